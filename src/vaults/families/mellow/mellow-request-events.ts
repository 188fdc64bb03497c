import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { ExitRequestSeen, ExitSettlement } from "../../vault-exits.ts";
import { claimFor } from "../../vault-log-arguments.ts";
import { parseRequestId, queueFor, requestIdAt, requestQueues } from "./mellow-redeem-queues.ts";

const eventsAbi = once(() =>
  parseAbi([
    "event RedeemRequested(address indexed account, uint256 shares, uint256 timestamp)",
    "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
  ]),
);

/** Returns the logs that the vault's known queues of requests emitted. */
function queueLogs(vault: Vault, logs: readonly Log[]): Log[] {
  const { queues } = requestQueues(vault);
  return logs.filter(({ address }) => queues.some((queue) => sameAddress(queue, address)));
}

/** Returns a user's first request in the logs, with the queue that took it. */
function requestIn(vault: Vault, { user, logs }: { user: Address; logs: readonly Log[] }) {
  const own = { abi: eventsAbi(), eventName: "RedeemRequested", logs: queueLogs(vault, logs) } as const;
  return parseEventLogs(own).find(({ args }) => isAddressEqual(args.account, user));
}

/** Finds a user's request in the logs of a receipt. Its shares are those after the redemption fee. */
export function findMellowRequest(
  vault: Vault,
  of: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const found = requestIn(vault, of);
  if (found === undefined) return null;
  const { timestamp: time, shares } = found.args;
  return { requestId: requestIdAt(vault, { queue: found.address, time }), shares };
}

/**
 * Finds the claim of a request at its queue: that of its id or, if it names none, that of its transaction, since
 * requests may have been made at another queue before.
 */
export function findMellowClaim(
  vault: Vault,
  of: { user: Address; requestId: string; logs: readonly Log[]; requestLogs: readonly Log[] },
): ExitSettlement | null {
  const { user, logs } = of;
  const id = parseRequestId(of.requestId);
  if (id === null) return null;
  const asked = id.queue ?? requestIn(vault, { user, logs: of.requestLogs })?.address;
  const queue = asked ?? queueFor(vault, "request") ?? "";
  const own = { abi: eventsAbi(), eventName: "RedeemRequestClaimed", logs: queueLogs(vault, logs) } as const;
  const found = parseEventLogs(own).find(
    ({ address, args }) =>
      sameAddress(address, queue) && isAddressEqual(args.account, user) && args.timestamp === id.time,
  );
  if (found === undefined) return null;
  const { assets, receiver } = found.args;
  const settlement = { outcome: "paid", assets, alone: true } as const;
  return claimFor(vault, { settlement, user, logs, receivers: [receiver] });
}
