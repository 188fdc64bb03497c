import type { Address } from "viem";
import type { Context } from "../context.ts";
import type { AppError } from "../errors.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import type { VaultAction } from "../schemas/position-schema.ts";
import type { Vault } from "../vaults/vault.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import type { RequestAction } from "../withdrawals/requests/simulate-request-action.ts";
import type { TriedRequestCall } from "../withdrawals/requests/try-request-call.ts";
import { waitingShares } from "../withdrawals/withdrawal-order.ts";
import { refused } from "./possible-action.ts";
import { cancelAction, claimAction, sumOf, type UserRequests } from "./request-actions.ts";

/** A user of a vault, with the requests that were read at `block`. */
interface Asked {
  vault: Vault;
  user: Address;
  facts: UserRequests;
  block: BlockTime;
}

/** Number of requests whose call is simulated for one action, all in parallel; the views decide about further ones. */
const MAX_TRIED = 8;

/**
 * Returns what a user can claim now: what `claimAction` offers, without the claims that a simulation refuses as a build
 * would. Needs one round of simulations, a second one if only a deposit request is left.
 */
export async function findAvailableClaim(ctx: Context, asked: Asked): Promise<VaultAction> {
  const { vault, facts, block } = asked;
  const { timestamp } = block;
  const seen = claimAction(vault, { ...facts, timestamp });
  if (!seen.allowed) return refusedByVault(asked, seen);
  const ready = (facts.requests ?? []).filter(({ state }) => state === "claimable");
  const tries = await triesOf(ctx, { ...asked, requests: ready, action: "claim" });
  const [first] = tries.flatMap(({ tried }) => tried.refusal ?? []);
  const left = tries.filter(({ tried }) => tried.refusal === null).map(({ request }) => request);
  if (left.length > 0) return claimAction(vault, { ...facts, requests: left, timestamp });
  const offered = claimAction(vault, { ...facts, requests: [], timestamp });
  const refusal = offered.allowed ? await depositRefusal(ctx, asked) : first;
  return refusal === undefined ? offered : refusedAction(first ?? refusal, seen);
}

/** Returns an impossible claim with the vault's reason, if all that a request waits for is that the vault pays again. */
async function refusedByVault({ vault, facts, block }: Asked, seen: VaultAction): Promise<VaultAction> {
  const stuck = facts.requests?.find(({ state, refusal }) => state === "pending" && refusal !== undefined);
  if (seen.code !== "request_pending" || stuck === undefined) return seen;
  const { notClaimable } = await import("../withdrawals/requests/request-calls.ts");
  return refusedAction(notClaimable({ vault, request: stuck, block }), seen);
}

/** Returns why no claim for the user's deposit requests works; undefined if one may. */
async function depositRefusal(
  ctx: Context,
  { vault, user, facts, block }: Asked,
): Promise<AppError | undefined> {
  const { tryDepositClaim } = await import("../withdrawals/requests/try-request-call.ts");
  const calls = facts.deposits.flatMap(({ claim }) => claim ?? []);
  const tries = await Promise.all(calls.map((call) => tryDepositClaim(ctx, { vault, user, block, call })));
  const refusals = tries.flatMap(({ refusal }) => refusal ?? []);
  return refusals.length === tries.length ? refusals[0] : undefined;
}

/** What a user can cancel now, and the requests whose cancellation the views allow but a simulation refuses. */
interface AvailableCancellation {
  action: VaultAction;
  refused: ReadonlySet<PendingExit>;
}

/**
 * Returns what a user can cancel now: what `cancelAction` offers, without the cancellations that a simulation refuses as
 * a build would, with the shares that it saw returned. Needs one round of simulations.
 */
export async function findAvailableCancellation(ctx: Context, asked: Asked): Promise<AvailableCancellation> {
  const { vault, facts, block } = asked;
  const seen = cancelAction(vault, { ...facts, timestamp: block.timestamp });
  if (!seen.allowed) return { action: seen, refused: new Set() };
  const open = (facts.requests ?? []).filter(({ cancellable }) => cancellable);
  const tries = await triesOf(ctx, { ...asked, requests: open, action: "cancel" });
  const left = tries.filter(({ tried }) => tried.refusal === null);
  const [first] = tries.flatMap(({ tried }) => tried.refusal ?? []);
  const refused = new Set(tries.flatMap(({ request, tried }) => (tried.refusal === null ? [] : request)));
  if (left.length === 0 && first !== undefined) return { action: refusedAction(first, seen), refused };
  // Some vaults return later, or also what is claimable already.
  const returned = left.map(({ request, tried }) => tried.received || waitingShares(request));
  const action = { ...seen, max: sumOf(returned), mode: left[0]?.request.mode ?? seen.mode };
  return { action, refused };
}

async function triesOf(
  ctx: Context,
  of: Asked & { requests: readonly PendingExit[]; action: RequestAction },
): Promise<{ request: PendingExit; tried: TriedRequestCall }[]> {
  const { vault, user, block, requests, action } = of;
  if (requests.length === 0) return [];
  // Only accounts with a request need what builds need.
  const { tryRequestCall } = await import("../withdrawals/requests/try-request-call.ts");
  return Promise.all(
    requests.map(async (request, index) => {
      if (index >= MAX_TRIED) return { request, tried: { refusal: null, received: null } };
      return { request, tried: await tryRequestCall(ctx, { vault, user, block, request, action }) };
    }),
  );
}

function refusedAction({ code, message, members }: AppError, { mode }: VaultAction): VaultAction {
  const { until } = members;
  return refused({
    ...{ code, reason: message, max: "0", mode, until: typeof until === "string" ? until : null },
  });
}
