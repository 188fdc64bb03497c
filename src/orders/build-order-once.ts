import { type Address, keccak256, stringToHex } from "viem";
import type { Context } from "../context.ts";
import {
  type IdempotencyKey,
  releaseKey,
  renewKey,
  selectKey,
  storeKeyResponse,
  takeKey,
} from "../db/queries/idempotency-queries.ts";
import { failure } from "../errors.ts";
import { stringifyWithBigints } from "../lib/bigint-json.ts";
import { BUILD_DEADLINE_MS, DAY_MS } from "../lib/durations.ts";
import { workUnderLease } from "../lib/renewed-lease.ts";
import { sleep } from "../lib/timers.ts";
import { shareFailure, throwLocalFailure, throwSharedFailure } from "./order-build-failure.ts";

/**
 * Lifetime of an idempotency key with a stored response, in milliseconds: one day from when a request takes it or last
 * renews its lease.
 */
export const KEY_TTL_MS = DAY_MS;
/**
 * Age of the last renewal after which a build without a stored response counts as dead, in milliseconds. `RENEW_MS` is
 * the interval of the renewals.
 */
const LEASE_MS = 3_500;
const RENEW_MS = 1_000;
/**
 * First pause, in milliseconds: while this isolate itself builds the same request. The pause doubles with each poll of
 * the database for the first request's response.
 */
const FIRST_POLL_MS = 150;
/** Maximum pause, in milliseconds. */
const MAX_POLL_MS = 1_200;

/**
 * Times of the last lease renewals of this isolate's builds in progress, in UNIX milliseconds, by caller, idempotency
 * key and parameters.
 */
const inFlight = new Map<string, number>();

/** The fields of a build's response that the idempotency logic uses. */
interface Built {
  tracking_id: string;
  expires_at: string;
}

/** A build of a deposit or withdrawal, and its idempotency key; `key` is null if the caller sent none. */
export interface BuildRequest<T extends Built> {
  key: string | null;
  /** Parameters of the request, of any shape; a repeated request has equal ones. */
  asked: object;
  /** User of the order; part of the key's scope for callers that are not authenticated. */
  user: Address;
  build(): Promise<T>;
}

/** The response of a build. `replayed` is true if another request stored it. */
interface BuildOutcome<T> {
  built: T;
  replayed: boolean;
}

/**
 * Builds a deposit or withdrawal, or returns the response that is stored under the caller's idempotency key; without a
 * key, every request builds. Throws `idempotency_conflict` for other parameters, `quote_expired` if the stored quote
 * has expired, `upstream_timeout` if the first request still builds at the deadline, `store_unavailable`, the failure
 * of a concurrent first request, and errors of `build` and of `ctx.charge`.
 */
export async function buildOnce<T extends Built>(
  ctx: Context,
  request: BuildRequest<T>,
): Promise<BuildOutcome<T>> {
  const { asked, key, user, build } = request;
  if (key === null) return { built: await build(), replayed: false };
  const id = { scope: scopeOf(ctx, user), key };
  const bodyHash = keccak256(stringToHex(stringifyWithBigints(asked)));
  const work = `${id.scope} ${key} ${bodyHash}`;
  const since = ctx.now() - ctx.timing.elapsedMs();
  let waitMs = FIRST_POLL_MS;
  let waited = false;
  // Past the deadline the client no longer waits, so further polling would only slow down the first request.
  for (; ctx.timing.elapsedMs() <= BUILD_DEADLINE_MS; await sleep(waitMs), waited = true) {
    if (isInFlight(work, ctx.now())) continue;
    if (waited) throwLocalFailure({ work, since });
    const stored = waited ? await storedAnswer<T>(ctx, { id, bodyHash }) : null;
    if (stored !== null) return { built: stored, replayed: true };
    if (waited) await throwSharedFailure(ctx, { work, since });
    if (isInFlight(work, ctx.now())) continue;
    const outcome = await buildFirst(ctx, { build, id, bodyHash, work });
    if (outcome !== null) return outcome;
    waitMs = Math.min(2 * waitMs, MAX_POLL_MS);
  }
  throw failure("upstream_timeout", "the first request under this key is still in progress; try again later");
}

const claimTimes = (now: number) => ({
  now: new Date(now),
  expiry: { forgottenBefore: new Date(now - KEY_TTL_MS), deadBefore: new Date(now - LEASE_MS) },
});

/**
 * Builds if this request can take the idempotency key. Otherwise returns the stored response, or null if there is none
 * yet.
 */
async function buildFirst<T extends Built>(
  ctx: Context,
  first: { build(): Promise<T>; id: IdempotencyKey; bodyHash: string; work: string },
): Promise<BuildOutcome<T> | null> {
  const { build, id, bodyHash, work } = first;
  const owner = ctx.randomId();
  inFlight.set(work, ctx.now());
  try {
    if (await takeKey(ctx.db, { ...id, bodyHash, owner, ...claimTimes(ctx.now()) })) {
      const renew = (): Promise<boolean> => {
        const now = ctx.now();
        inFlight.set(work, now);
        return renewKey(ctx.db, { ...id, owner, now: new Date(now) });
      };
      const built = await workUnderLease({ everyMs: RENEW_MS, renew }, () =>
        buildClaimed(ctx, { build, id, owner, work }),
      );
      if (built !== null) return { built, replayed: false };
    }
  } finally {
    inFlight.delete(work);
  }
  const stored = await storedAnswer<T>(ctx, { id, bodyHash });
  return stored === null ? null : { built: stored, replayed: true };
}

/**
 * Returns true while this isolate builds the same request. An entry that was not renewed within the lease is dropped,
 * because the platform may stop a request without running its cleanup.
 */
function isInFlight(work: string, now: number): boolean {
  const since = inFlight.get(work);
  if (since !== undefined && since < now - LEASE_MS) inFlight.delete(work);
  return inFlight.has(work);
}

/**
 * Returns the stored response of the first request under an idempotency key, or null if there is none yet. Throws
 * `idempotency_conflict` if the parameters differ, and `quote_expired` if the response's quote has expired.
 */
async function storedAnswer<T extends Built>(
  ctx: Context,
  asked: { id: IdempotencyKey; bodyHash: string },
): Promise<T | null> {
  const row = await selectKey(ctx.db, asked.id);
  if (row === null) return null;
  if (row.bodyHash !== asked.bodyHash) {
    throw failure(
      "idempotency_conflict",
      "this key was used for a different request: use a new key for each order",
    );
  }
  if (row.response === null || row.expiresAt === null) return null;
  if (row.expiresAt.getTime() <= ctx.now()) {
    throw failure("quote_expired", "the quote under this key has expired; use a new key");
  }
  // The same parameters mean the same operation, whose response has this shape.
  return row.response as T;
}

/**
 * Builds and stores the response under a key that this request has taken. Returns null if another request has taken the
 * key since then. If the build fails, frees the key and rethrows.
 */
async function buildClaimed<T extends Built>(
  ctx: Context,
  claimed: { build(): Promise<T>; id: IdempotencyKey; owner: string; work: string },
): Promise<T | null> {
  const { build, id, owner, work } = claimed;
  try {
    await ctx.charge();
    const response = await build();
    const expiresAt = new Date(response.expires_at);
    return (await storeKeyResponse(ctx.db, { ...id, owner, response, expiresAt })) ? response : null;
  } catch (error) {
    // Before the key is free, so that no request that waited for this one builds the same again.
    await shareFailure(ctx, { work, error });
    await releaseKey(ctx.db, { ...id, owner }).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the namespace of a caller's idempotency keys: the authenticated partner, otherwise the client address with
 * its user. An API key without its secret is public, so it does not prove the partner's identity.
 */
function scopeOf(ctx: Context, user: Address): string {
  const { actor } = ctx;
  if (actor.kind === "partner" && actor.proof !== "key")
    return `partner:${actor.partner.address.toLowerCase()}`;
  return `client:${ctx.clientAddress}:${user.toLowerCase()}`;
}
