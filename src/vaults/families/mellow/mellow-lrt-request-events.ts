import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { type ExitRequestSeen, type ExitSettlement, paidTo } from "../../vault-exits.ts";
import { namesAccount } from "../../vault-log-arguments.ts";
import { queuesParam } from "./mellow-redeem-queues.ts";

const vaultAbi = once(() =>
  parseAbi([
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);
/** First topic of `Claimed(address,address,uint256)`, by which a queue pays an account's claim. */
const CLAIMED_TOPIC = "0xf7a40077ff7a04c7e61f6f26fb13774259ddf1b6bce9ecf26a8276cdd3992683";
/**
 * First topics of the events by which a queue records assets for an account:
 * `WithdrawalRequested(address,uint256,uint256)`, `Request(address,uint256,uint256,bool)` and
 * `Transfer(address,address,uint256,uint256)`.
 */
const QUEUED_TOPICS: readonly (string | undefined)[] = [
  "0x24b91f4f47caf44230a57777a9be744924e82bf666f2d5702faf97df35e60f9f",
  "0x904dcc9200e6c05bcfff3fee25cc8636e5a53ac7d839088c20e245c55f4316c4",
  "0x9ed053bb818ff08b8353cd46f78db1f0799f31c9e4458fdb425c10eccd2efc44",
];

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

/** Finds the redemption of a user of whose assets the vault paid less than all, so that it queued the rest. */
export function findLrtRequest(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  // Anyone may redeem nothing for the user.
  const found = parseEventLogs({ abi: vaultAbi(), eventName: "Withdraw", logs: own }).find(
    ({ args }) => args.shares > 0n && isAddressEqual(args.owner, user),
  );
  if (found === undefined) return null;
  // The event counts what is queued too: nothing is requested if all of it was paid.
  if (sumOf(paidTo(logs, { token: vault.asset.address, receiver: user })) >= found.args.assets) return null;
  return { requestId: "0", shares: found.args.shares, assets: found.args.assets };
}

/**
 * Finds what a user's claims paid, at the queues of the registry entry or that took the request: any contract could
 * emit the event. The vault only forwards claims.
 */
export function findLrtClaim(
  vault: Vault,
  { user, logs, requestLogs }: { user: Address; logs: readonly Log[]; requestLogs: readonly Log[] },
): ExitSettlement | null {
  const asked = requestLogs.filter(
    (log) => QUEUED_TOPICS.includes(log.topics[0]) && namesAccount(log, { account: user }),
  );
  const queues = [...queuesParam(vault, "withdrawal_queues"), ...asked.map(({ address }) => address)];
  const claimed = logs.filter(
    (log) =>
      log.topics[0] === CLAIMED_TOPIC &&
      queues.some((queue) => sameAddress(queue, log.address)) &&
      // A stranger's claim in favour of the user names the user second.
      namesAccount(log, { account: user, first: true }),
  );
  const payers = new Set(claimed.map(({ address }) => address.toLowerCase() as Address));
  const of = { token: vault.asset.address, receiver: user };
  const amounts = [...payers].flatMap((sender) => paidTo(logs, { ...of, sender }));
  // The queued assets of two epochs become claimable one after the other.
  return amounts.length === 0 ? null : { outcome: "paid", assets: sumOf(amounts), inParts: true };
}
