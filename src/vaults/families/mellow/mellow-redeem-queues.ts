import { type Address, encodeFunctionData, parseAbi } from "viem";
import { parseAddress, sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Token, Vault } from "../../vault.ts";
import type { ExitFollowUp, ExitMode, PendingExit } from "../../vault-exits.ts";
import { addressParam, optionalChoiceParam, tokensParam } from "../../vault-params.ts";

type QueueList =
  | "redeem_queues"
  | "other_redeem_queues"
  | "request_queues"
  | "deposit_queues"
  | "other_deposit_queues"
  | "withdrawal_queues";

/**
 * Reads a registry parameter that lists queue addresses, separated by commas. Empty if the parameter is missing or
 * empty. Throws an Error for an invalid address.
 */
export function queuesParam(vault: Vault, name: QueueList): Address[] {
  const entries = (vault.params[name] ?? "").split(",").filter((text) => text !== "");
  return entries.map((text) => {
    const queue = parseAddress(text.trim());
    if (queue === null) throw new Error(`${vault.vaultId}: ${name} has no address in "${text}"`);
    return queue;
  });
}

/** Returns the queue that a withdrawal in this mode calls, or null if the registry entry names none. */
export const queueFor = (vault: Vault, mode: ExitMode): Address | null =>
  addressParam(vault, mode === "instant" ? "sync_redeem_queue" : "redeem_queue");

/** As `queueFor`. Throws an Error if there is none. */
export function requireQueue(vault: Vault, mode: ExitMode): Address {
  const queue = queueFor(vault, mode);
  if (queue === null) throw new Error(`${vault.vaultId}: no redemption queue is known`);
  return queue;
}

/** Returns the tokens of a mode's queues, first that of the queue which withdrawals call. Throws an Error if invalid. */
export function redeemTokens(vault: Vault, mode: ExitMode): readonly [Token, ...Token[]] {
  const named = tokensParam(vault, mode === "instant" ? "sync_redeem_token" : "redeem_tokens");
  const [first = vault.asset, ...others] = named;
  return [first, ...others];
}

/**
 * Returns the queues that take or took redemption requests, of all tokens; `whole` if the registry entry is known to
 * have them all. Throws an Error for an invalid parameter.
 */
export function requestQueues(vault: Vault): { queues: readonly Address[]; whole: boolean } {
  const [own, listed] = [queueFor(vault, "request"), queuesParam(vault, "request_queues")];
  const isListed = own === null || listed.some((queue) => sameAddress(queue, own));
  const whole = optionalChoiceParam(vault, { name: "all_queues", choices: ["known"] }) !== null;
  return { queues: isListed ? listed : [own, ...listed], whole };
}

/** Pattern of a request's id: its timestamp, a uint32 in the claim, after its queue if `queueFor` is another one. */
const REQUEST_ID_PATTERN = /^(?:(0x[0-9a-f]{40}):)?(\d{1,10})$/;
const MAX_UINT32 = 2 ** 32 - 1;

/** Returns the id of the request that was made at a queue at this time, in unix seconds. */
export function requestIdAt(
  vault: Vault,
  { queue, time }: { queue: Address; time: bigint | number },
): string {
  const isMain = sameAddress(queue, queueFor(vault, "request") ?? "");
  return isMain ? `${time}` : `${queue.toLowerCase()}:${time}`;
}

/** Parses a request's id; `queue` is null if it names none. Null if it is none of this family. */
export function parseRequestId(id: string): { queue: Address | null; time: number } | null {
  const [, queue, digits] = REQUEST_ID_PATTERN.exec(id) ?? [];
  const time = Number(digits);
  return time <= MAX_UINT32 ? { queue: queue === undefined ? null : parseAddress(queue), time } : null;
}

const claimAbi = once(() =>
  parseAbi(["function claim(address receiver, uint32[] timestamps) returns (uint256)"]),
);

/** Encodes the claim of a request at its queue, or returns null if it is not claimable or its queue is not known. */
export function mellowClaim(
  vault: Vault,
  { user, request }: { user: Address; request: PendingExit },
): ExitFollowUp | null {
  const id = parseRequestId(request.requestId);
  const at = id?.queue ?? queueFor(vault, "request");
  const target = requestQueues(vault).queues.find((queue) => sameAddress(queue, at ?? ""));
  if (request.state !== "claimable" || id === null || target === undefined) return null;
  const args = [user, [id.time]] as const;
  return { target, data: encodeFunctionData({ abi: claimAbi(), functionName: "claim", args }) };
}
