import { type Address, type Hex, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { parseAddress, sameAddress } from "../../../lib/address.ts";
import { acceptedBefore, requestContracts, withAccepted } from "../../accepted-contracts.ts";
import type { Token } from "../../vault.ts";
import type { DerivationSubject } from "../../vault-deriver.ts";
import { tokensParam } from "../../vault-params.ts";
import { ORDINARY_ACCOUNT } from "../erc4626-base/erc4626-derivation.ts";
import { authorityAbi, mayBurn, mayCall } from "./veda-authority.ts";
import { vedaDelayedAbi } from "./veda-delayed-withdraw.ts";
import { vedaQueueAbi } from "./veda-withdraw-queue.ts";

/** Selector of the teller's `withdraw(address,uint256,uint256,address)`. */
const WITHDRAW_SELECTOR: Hex = "0x16762eed";

/**
 * Returns a query for the registry parameters for withdrawals. A contract of the earlier registry entry becomes empty
 * if the chain shows that it is not the vault's; what cannot be read stays as in that entry. `queue_requests` and
 * `delayed_requests` are the accepted queues and delayed-withdrawal contracts: requests stay open in those that were
 * replaced or that the vault no longer lets pay, and the vault may let the last delayed-withdrawal contract pay again. An operator who removes `delayed_withdraw` ends new requests for good.
 */
export function vedaExitParams(subject: DerivationSubject, teller: Address): Query<Record<string, string>> {
  const { address: vault, params } = subject;
  const reviewed = reviewedExits(subject);
  const own = (contract: Address | null) =>
    createQuery(
      { own: read({ to: contract ?? zeroAddress, abi: authorityAbi(), name: "boringVault" }) },
      (results) => (results.own.ok ? sameAddress(results.own.value, vault) : null),
    );
  const open = mayCall(ORDINARY_ACCOUNT, { target: teller, selector: WITHDRAW_SELECTOR });
  const { withdraw_queue: queue, delayed_withdraw: named } = reviewed;
  const delayed = delayedOf(reviewed);
  // The published contract with a fixed wait does not name its vault, but the vault's authority lets it burn shares.
  const burns = mayBurn(delayed ?? zeroAddress, vault);
  return mapQuery(queryAll({ open, queue: own(queue), names: own(delayed), burns }), (results) => {
    const { names, burns: isAllowed } = results;
    // The view that names the vault is not expected to answer, but without the right to burn nothing is paid.
    const isOwn = names === true || isAllowed === true;
    const isForeign = !isOwn && (names ?? isAllowed) === false;
    const isKept = isOwn || (named !== null && !isForeign);
    const [queues, before] = [reviewed.queue_requests, reviewed.delayed_requests];
    const requests = isOwn && delayed !== null ? withAccepted(before, delayed) : before;
    const accepted = results.queue === true && queue !== null ? withAccepted(queues, queue) : queues;
    return {
      ...((results.open ?? params["teller_withdraw"] === "public") && { teller_withdraw: "public" }),
      ...(queue !== null && { withdraw_queue: results.queue === false ? "" : queue.toLowerCase() }),
      ...(accepted.length > 0 && { queue_requests: accepted.join(",").toLowerCase() }),
      ...(delayed !== null && { delayed_withdraw: isKept ? delayed.toLowerCase() : "" }),
      ...(requests.length > 0 && { delayed_requests: requests.join(",").toLowerCase() }),
    };
  });
}

type PayingContract = "withdraw_queue" | "delayed_withdraw";

/**
 * Contracts of the registry entry through which a vault pays later, null if it names none, and the accepted ones.
 * `mayReopen` is true unless an operator removed the parameter `delayed_withdraw`.
 */
type WaitingContracts = Readonly<
  Record<PayingContract, Address | null> &
    Record<"queue_requests" | "delayed_requests", readonly Address[]> & { mayReopen: boolean }
>;

const delayedOf = (reviewed: WaitingContracts): Address | null =>
  reviewed.delayed_withdraw ?? (reviewed.mayReopen ? (reviewed.delayed_requests.at(-1) ?? null) : null);

/**
 * Returns a query for the waits of withdrawals in seconds, by the token's lowercase address: until a request in the
 * queue matures, and the delay of the delayed-withdrawal contract. Each is null if unread or if `reviewed` names no
 * such contract. `paidBy` names those of the two that are known to pay the token.
 */
export function vedaWaits(
  reviewed: WaitingContracts,
  tokens: readonly Address[],
): Query<Record<string, Record<PayingContract, number | null> & { paidBy: PayingContract[] }>> {
  const name = "withdrawAssets" as const;
  const waits = tokens.map((token) => {
    const [to, other] = [reviewed.withdraw_queue ?? zeroAddress, delayedOf(reviewed) ?? zeroAddress];
    const reads = {
      queue: read({ to, abi: vedaQueueAbi(), name, args: [token] }),
      delayed: read({ to: other, abi: vedaDelayedAbi(), name, args: [token] }),
    };
    const query = createQuery(reads, ({ queue, delayed }) => ({
      withdraw_queue: valueOrNull(queue)?.[1] ?? null,
      delayed_withdraw: valueOrNull(delayed)?.[1] ?? null,
      paidBy: [
        ...(valueOrNull(queue)?.[0] === true ? (["withdraw_queue"] as const) : []),
        ...(valueOrNull(delayed)?.[0] === true ? (["delayed_withdraw"] as const) : []),
      ],
    }));
    return [token.toLowerCase(), query] as const;
  });
  return queryAll(Object.fromEntries(waits));
}

/** Maximum number of tokens whose open requests are still looked for after the vault stopped paying them. */
const MAX_STOPPED = 8;

/** Parameters that name contracts of which a request is found by its token. */
const BY_TOKEN = ["delayed_withdraw", "delayed_requests", "atomic_queues"];

/**
 * Returns the tokens (`known`, possibly repeated) that are not `listed` and that open requests with a
 * delayed-withdrawal contract or an AtomicQueue may still name: at most eight, the first ones. None if `exits`, the
 * parameters for withdrawals, name no such contract. White space and commas, which a parameter cannot hold, leave their symbols.
 */
export function stoppedTokens(of: {
  exits: Readonly<Record<string, string>>;
  listed: readonly Token[];
  known: readonly Token[];
}): Token[] {
  const { exits, listed, known } = of;
  if (!BY_TOKEN.some((name) => (exits[name] ?? "") !== "")) return [];
  const isAmong = (tokens: readonly Token[], { address }: Token): boolean =>
    tokens.some((one) => sameAddress(one.address, address));
  const stopped = known.filter(
    (token, index) => !isAmong(listed, token) && !isAmong(known.slice(0, index), token),
  );
  return stopped
    .slice(0, MAX_STOPPED)
    .map((token) => ({ ...token, symbol: token.symbol.replaceAll(/[\s,]/g, "") || "?" }));
}

/** Returns the tokens of the earlier registry entry that the vault only pays, and those that it had stopped paying. */
export function pastTokens({
  address: vaultId,
  params,
}: DerivationSubject): Record<"paid" | "stopped", Token[]> {
  const entry = { vaultId, params };
  return { paid: tokensParam(entry, "redeem_tokens"), stopped: tokensParam(entry, "stopped_tokens") };
}

/** Returns the contracts of the earlier registry entry through which the vault pays later; null if it names none. */
export const reviewedExits = ({ params }: DerivationSubject) => ({
  withdraw_queue: parseAddress(params["withdraw_queue"] ?? ""),
  delayed_withdraw: parseAddress(params["delayed_withdraw"] ?? ""),
  queue_requests: acceptedBefore(params, requestContracts.queues),
  delayed_requests: acceptedBefore(params, requestContracts.delayed),
  mayReopen: params["delayed_withdraw"] !== undefined,
});

/**
 * Returns the wait for the asset in the vault's own contract, in seconds: that of the queue if it has both. Null if
 * unknown, or if it has neither.
 */
export function exitWaitOf(
  exits: Readonly<Record<string, string>>,
  waits: { withdraw_queue: number | null; delayed_withdraw: number | null } | undefined,
): number | null {
  const own = (["withdraw_queue", "delayed_withdraw"] as const).find((name) => (exits[name] ?? "") !== "");
  return own === undefined ? null : (waits?.[own] ?? null);
}
