import type { BlockTime } from "../lib/block-ranges.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import type { PendingPosition } from "../positions/position-pending-deposits.ts";
import type { VaultAction } from "../schemas/position-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { mayCancel, waitingShares } from "../withdrawals/withdrawal-order.ts";
import { POSSIBLE, refused } from "./possible-action.ts";

/** A user's redemption requests at a vault, null if they could not be read, and deposit requests. */
export interface UserRequests {
  requests: readonly PendingExit[] | null;
  deposits: readonly PendingPosition[];
}

/** Claim or cancellation while the vault's open requests cannot be read. */
const UNREAD = refused({
  code: "simulation_unavailable",
  reason: "the account's requests at this vault could not be read",
});

/**
 * Returns what a user can claim now: redemptions that are ready, otherwise deposit requests. `max` of a possible claim
 * is their payment, or the assets deposited for the shares, in smallest units; null if unknown, in several tokens or in
 * shares. The code `cooldown` has the earliest known time in `until`. `timestamp`: the block's, in UNIX seconds.
 */
export function claimAction(
  vault: Vault,
  { requests, deposits, timestamp }: UserRequests & Pick<BlockTime, "timestamp">,
): VaultAction {
  const known = requests ?? [];
  const ready = known.filter(({ state }) => state === "claimable");
  const mode = (ready[0] ?? known[0])?.mode ?? null;
  if (ready.length > 0) return { ...POSSIBLE, max: paymentOf(ready), mode };
  const settled = deposits.filter(({ claim }) => claim !== null);
  if (settled.length > 0) {
    const back = settled.every(({ claim }) => claim?.paysBack === true);
    const max = sumOf(settled.map((one) => (back ? (one.returnedAssets ?? null) : one.claimableAssets)));
    const reason = back
      ? "the assets of a cancelled deposit request can be claimed back"
      : "the shares of a deposit request are ready";
    return { ...POSSIBLE, max, mode: "request", reason };
  }
  if (requests === null) return UNREAD;
  if (requests.length + deposits.length === 0) return noRequest(vault);
  const pending = requests.filter(({ state }) => state === "pending");
  if (pending.length + deposits.length === 0) {
    const reason = "the vault no longer pays the account's requests";
    return refused({ code: "nothing_to_withdraw", reason, max: "0", mode });
  }
  const times = pending.flatMap(({ earliest }) => earliest ?? []).filter((time) => time > timestamp);
  const waiting = { max: "0", mode: mode ?? "request" } as const;
  if (times.length === 0)
    return refused({
      ...waiting,
      code: "request_pending",
      reason: "the vault has not settled the request yet",
    });
  const until = formatUnixTime(Math.min(...times));
  return refused({ ...waiting, code: "cooldown", reason: "the vault's waiting time is not over", until });
}

/** Returns what claimable requests pay, as a decimal string; null if unknown, in several tokens or in shares. */
function paymentOf(requests: readonly PendingExit[]): string | null {
  const tokens = new Set(requests.map(({ pays, token }) => `${pays}:${token.toLowerCase()}`));
  const isShares = requests.some(({ pays }) => pays === "shares");
  return tokens.size > 1 || isShares ? null : sumOf(requests.map(({ claimableAssets }) => claimableAssets));
}

/** Returns the sum of amounts as a decimal string, or null if one of them is unknown. */
export function sumOf(amounts: readonly (bigint | null)[]): string | null {
  const add = (total: bigint | null, own: bigint | null) =>
    total === null || own === null ? null : total + own;
  return amounts.reduce<bigint | null>(add, 0n)?.toString() ?? null;
}

/** Returns the claim or cancellation of an account without open requests. */
function noRequest(vault: Vault): VaultAction {
  if (adapterOf(vault).exits?.pending !== undefined)
    return refused({ code: "nothing_to_withdraw", reason: "the account has no open request", max: "0" });
  const reason = `${vault.name} takes no redemption requests`;
  return refused({ code: "mode_unsupported", reason, max: "0" });
}

/**
 * Returns what a user can cancel now. `max` of a possible cancellation is the shares that it returns, in the share
 * token's smallest unit, or null if they are unknown. `timestamp`: the block's, in UNIX seconds.
 */
export function cancelAction(
  vault: Vault,
  { requests, timestamp }: Pick<UserRequests, "requests"> & Pick<BlockTime, "timestamp">,
): VaultAction {
  if (requests === null) return UNREAD;
  const open = requests.filter(({ cancellable }) => cancellable);
  const mode = (open[0] ?? requests[0])?.mode ?? null;
  if (open.length > 0) return { ...POSSIBLE, max: sumOf(open.map(waitingShares)), mode };
  if (requests.length === 0) return noRequest(vault);
  if (!mayCancel(vault)) {
    const never = `${vault.name} does not allow requests to be cancelled`;
    return refused({ code: "mode_unsupported", reason: never, max: "0", mode });
  }
  const reason = "no request of this account can be cancelled now";
  const times = requests
    .flatMap(({ cancellableAt }) => cancellableAt ?? [])
    .filter((time) => time > timestamp);
  const until = times.length === 0 ? null : formatUnixTime(Math.min(...times));
  return refused({ code: "withdrawal_state", reason, max: "0", mode, until });
}
