import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  type Log,
  numberToHex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { settlementTransitions } from "../../../src/tracking/deposits/deposit-request-settlement.ts";
import type { StoredVault } from "../../../src/vaults/vault.ts";
import { completeClient } from "../chains/complete-client.ts";
import { contractsClient, head } from "../chains/multicall.ts";
import { wireLog } from "../chains/wire.ts";
import { testContext } from "../context.ts";
import { fixedDatabase, storedOf } from "../withdrawals/withdrawing.ts";
import { row as built, OTHER, USDC, USER, VAULT, vault } from "./fixtures.ts";
import { log, receiptOf, transferLog } from "./logs.ts";

const abi = parseAbi([
  "function mintRequests(uint256) view returns (address sender, address tokenIn, uint8 status, uint256 depositedUsdAmount, uint256 usdAmountWithoutFees, uint256 tokenOutRate)",
  "event ApproveRequest(uint256 indexed requestId, uint256 newOutRate)",
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "event DepositRequestCanceled(uint256 indexed requestId, address indexed controller)",
  "event CancelDepositClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 assets)",
]);
export const hashOf = (value: number): Hex => numberToHex(value, { size: 32 });
export const words = (...values: readonly bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: "uint256" })),
    values,
  );
export const REQUEST = hashOf(0x1111);
/** A contract of the vault that no registry entry names, such as Lagoon's silo. */
export const SILO: Address = "0x00000000000000000000000000000000000051f0";
/** Block after the request's: no reorg replaces it any more. */
const FIRST = head.number - 1_000;
export const ASKED = 100_000_000n;
const [TRANSFER] = transferLog().topics;
export const row: DepositRow = { ...built, state: "requested", requestId: "7", depositTxHash: REQUEST };

/** A transaction in which the user received something, by default of another account's own. */
export interface Sent {
  from?: Address;
  to?: Address;
  logs: readonly Log[];
}

export const shares = (value: bigint, from: Address = zeroAddress) => transferLog({ from, value });
export const assets = (from: Address, value = ASKED) => transferLog({ token: USDC, from, value });
export const approvalOf = (requestId: bigint) =>
  log(VAULT, encodeEventTopics({ abi, eventName: "ApproveRequest", args: { requestId } }), words(1n));
export const claimOf = (sender: Address, value: bigint, paid = ASKED) =>
  log(
    VAULT,
    encodeEventTopics({ abi, eventName: "Deposit", args: { sender, owner: USER } }),
    words(paid, value),
  );
export const lagoonCancellation = (controller: Address) =>
  log(
    VAULT,
    encodeEventTopics({ abi, eventName: "DepositRequestCanceled", args: { requestId: 7n, controller } }),
    "0x",
  );
export const cancelledClaim = (requestId: bigint) =>
  log(
    VAULT,
    encodeEventTopics({
      ...{ abi, eventName: "CancelDepositClaim" },
      args: { receiver: USER, controller: USER, requestId },
    }),
    words(BigInt(USER), ASKED),
  );
export const standardCancellation = () => cancelledClaim(7n);

const account = { account: USER };
const mellowAbi = parseAbi([
  "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)",
  "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
]);
export const mellowClaim = log(
  VAULT,
  encodeEventTopics({ abi: mellowAbi, eventName: "DepositRequestClaimed", args: account }),
  words(5n, 1n),
);
export const mellowCancellation = log(
  VAULT,
  encodeEventTopics({ abi: mellowAbi, eventName: "DepositRequestCanceled", args: account }),
  words(ASKED, 1n),
);
const midasParams = { deposit: "request", recipient: "argument", asset_rate: "stable" };
const midas = storedOf({ ...vault, adapter: "midas", type: "midas", caller: "user", params: midasParams });
export const lagoon = storedOf({ ...vault, adapter: "lagoon", caller: "user" });
export const mellow = storedOf({
  ...vault,
  ...{ adapter: "mellow", type: "lido", caller: "user", params: { queue: "async" } },
});
/** What the views of a vault return for a request: of Midas the status, of Lagoon nothing pending or claimable. */
const statusView = (status: number): Hex =>
  encodeFunctionResult({ abi, functionName: "mintRequests", result: [USER, USDC, status, 0n, 0n, 0n] });
export const APPROVED = { stored: midas, view: statusView(1) };
export const REJECTED = { stored: midas, view: statusView(2) };
export const EMPTY = { stored: lagoon, view: words(0n) };

export interface Case {
  stored: StoredVault;
  view: Hex;
  sent: readonly Sent[];
  of?: DepositRow;
  others?: readonly DepositRow[];
  /** Places of the transactions in `sent` that the follower of logs or a report has named. */
  hinted?: readonly number[];
  /** Names of views that return 0 instead of `view`. */
  zero?: readonly string[];
}

/** A client whose logs show the transactions, one in each block after the request. */
function clientOf({ view, sent, zero = [] }: Pick<Case, "view" | "sent" | "zero">) {
  const empty = zero.map((name) =>
    toFunctionSelector(`${name}(${name === "maxMint" ? "" : "uint256,"}address)`),
  );
  const reading = contractsClient(({ data }) => ({
    ok: true,
    data: empty.some((selector) => data.startsWith(selector)) ? words(0n) : view,
  }));
  const wire = sent.flatMap(({ logs }, at) =>
    logs.map(({ address, topics, data }, index) => {
      const event = { address: address.toLowerCase(), topics, data };
      return wireLog(event, { block: FIRST + at, txHash: hashOf(at), index });
    }),
  );
  return completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) =>
      method === "eth_getLogs"
        ? wire.filter(({ topics }) => topics[0] === TRANSFER)
        : reading.request(method, params),
  });
}

/** What one check after the other decides, with the number of transactions that each reads. */
export async function* checks({ stored, of = row, others = [], hinted = [], ...chain }: Case) {
  const { sent } = chain;
  let answers = 0;
  let reads = 0;
  const db = fixedDatabase(() => (answers++ === 0 ? [stored] : others));
  const ctx = testContext({ clients: [clientOf(chain)], db });
  const readTransaction = async (_chainId: number, hash: Hex) => {
    reads += 1;
    const at = hash === REQUEST ? -1 : Number(hash);
    const { from = OTHER, to = OTHER, logs = [] } = sent[at] ?? {};
    return {
      transaction: { hash, from, to, input: "0x", value: 0n, gas: 1n } as const,
      receipt: { ...receiptOf(...logs), blockNumber: BigInt(FIRST + at) },
      confirmations: 50,
    };
  };
  const { trackingId, vaultChainId: chainId } = of;
  const noted = { trackingId, chainId, origin: "logs", notedAt: of.createdAt, droppedAt: null } as const;
  const hints = hinted.map((at) => ({ ...noted, txHash: hashOf(at) }));
  for (;;) {
    [answers, reads] = [0, 0];
    const [end] = await settlementTransitions(ctx, { row: of, readTransaction, hints });
    yield { end: end === undefined ? null : { ...end.event, ...end.change }, reads };
  }
}

/** What a check of the request decides: what the chain shows, and the transition's changes. */
export async function decide(given: Case): Promise<object | null> {
  const { value } = await checks(given).next();
  return value?.end ?? null;
}
