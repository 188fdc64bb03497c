import { keccak256, stringToHex } from "viem";
import type { Context } from "../../context.ts";
import {
  answerKey,
  claimKey,
  deleteKeysBefore,
  type IdempotencyKey,
  releaseKey,
  renewKey,
  selectKey,
} from "../../db/queries/idempotency-queries.ts";
import { failure } from "../../errors.ts";
import { stringifyWithBigints } from "../../lib/bigint-json.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { workUnderLease } from "../../lib/renewed-lease.ts";
import { sleep } from "../../lib/timers.ts";
import type { BuildInput } from "../../schemas/build-input-schema.ts";
import type { BuiltDeposit } from "../../schemas/quote-schema.ts";
import { BUILD_DEADLINE_MS, buildDeposit } from "./build-deposit.ts";

/** Lifetime of an idempotency key, in milliseconds. */
const KEY_TTL_MS = DAY_MS;
/**
 * Age of the last renewal after which a build without a stored response counts as dead, in milliseconds, and the
 * interval of the renewals. Together with a twin's pause between polls, the key of a killed build is free within five
 * seconds.
 */
const LEASE_MS = 3_500;
const RENEW_MS = 1_000;
/** Pause before the second database poll for the response of the first request, in milliseconds. */
const FIRST_POLL_MS = 150;
/** Longest pause between two of these polls, in milliseconds; the pause doubles after each poll. */
const MAX_POLL_MS = 1_200;

/**
 * Last renewals of the builds in progress in this isolate, in unix milliseconds, by idempotency key and caller. A second
 * request under the same key waits for the build here instead of polling the database.
 */
const inFlight = new Map<string, number>();

/** A built deposit, and whether it is the stored response of an earlier request. */
interface BuildOutcome {
  built: BuiltDeposit;
  replayed: boolean;
}

/**
 * Builds a deposit at most once per `Idempotency-Key` and caller (a partner, or a client address with its user). Within
 * a day, a repeated request receives the stored response while its quote is valid; concurrent requests wait for the
 * first; a failed build frees the key. Without a key, the deposit is built directly. Throws `idempotency_conflict` if
 * the key was used for a different request, `quote_expired`, and `upstream_timeout` if the first request does not
 * finish in time; errors of `buildDeposit` propagate.
 */
export async function buildDepositOnce(
  ctx: Context,
  request: { input: BuildInput; key: string | null },
): Promise<BuildOutcome> {
  const { input, key } = request;
  if (key === null) return { built: await buildDeposit(ctx, input), replayed: false };
  const id = { scope: scopeOf(ctx, input), key };
  const bodyHash = keccak256(stringToHex(stringifyWithBigints(input)));
  const work = `${id.scope} ${key} ${bodyHash}`;
  let waitMs = FIRST_POLL_MS;
  let waited = false;
  // Past the deadline the client no longer waits, so further polling would only slow down the first request.
  for (; ctx.timing.elapsedMs() <= BUILD_DEADLINE_MS; await sleep(waitMs), waited = true) {
    if (isInFlight(work, ctx.now())) continue;
    const stored = waited ? await storedAnswer(ctx, { id, bodyHash }) : null;
    if (stored !== null) return { built: stored, replayed: true };
    if (isInFlight(work, ctx.now())) continue;
    const outcome = await buildFirst(ctx, { input, id, bodyHash, work });
    if (outcome !== null) return outcome;
    waitMs = Math.min(2 * waitMs, MAX_POLL_MS);
  }
  throw failure("upstream_timeout", "the first request under this key is still in progress; try again later");
}

const claimTimes = (now: number) => ({
  now: new Date(now),
  ages: { forgottenBefore: new Date(now - KEY_TTL_MS), deadBefore: new Date(now - LEASE_MS) },
});

/**
 * Builds the deposit if this request claims the idempotency key. Otherwise returns the stored response, or null if
 * there is none yet.
 */
async function buildFirst(
  ctx: Context,
  { work, ...first }: { input: BuildInput; id: IdempotencyKey; bodyHash: string; work: string },
): Promise<BuildOutcome | null> {
  const { input, id, bodyHash } = first;
  const owner = ctx.randomId();
  inFlight.set(work, ctx.now());
  try {
    if (await claimKey(ctx.db, { ...id, bodyHash, owner, ...claimTimes(ctx.now()) })) {
      const renew = (): Promise<boolean> => {
        const now = ctx.now();
        inFlight.set(work, now);
        return renewKey(ctx.db, { ...id, owner, now: new Date(now) });
      };
      const built = await workUnderLease({ everyMs: RENEW_MS, renew }, () =>
        buildClaimed(ctx, { input, id, owner }),
      );
      if (built !== null) return { built, replayed: false };
    }
  } finally {
    inFlight.delete(work);
  }
  const stored = await storedAnswer(ctx, { id, bodyHash });
  return stored === null ? null : { built: stored, replayed: true };
}

/**
 * Returns true while this isolate builds the same request. Entries that are no longer renewed are dropped, because the
 * platform may stop a request without running its cleanup.
 */
function isInFlight(work: string, now: number): boolean {
  const since = inFlight.get(work);
  if (since !== undefined && since < now - LEASE_MS) inFlight.delete(work);
  return inFlight.has(work);
}

/** Returns the stored response of the first request under an idempotency key, or null if there is none yet. */
async function storedAnswer(
  ctx: Context,
  asked: { id: IdempotencyKey; bodyHash: string },
): Promise<BuiltDeposit | null> {
  const row = await selectKey(ctx.db, asked.id);
  if (row === null) return null;
  if (row.bodyHash !== asked.bodyHash) {
    throw failure("idempotency_conflict", "this key was used for a different request");
  }
  if (row.response === null || row.expiresAt === null) return null;
  if (row.expiresAt.getTime() <= ctx.now()) {
    throw failure("quote_expired", "the quote under this key has expired; use a new key");
  }
  return row.response;
}

/**
 * Builds the deposit and stores its response. Returns null if another request has taken the key in the meantime, whose
 * response then counts: a key never has two responses.
 */
async function buildClaimed(
  ctx: Context,
  claim: { input: BuildInput; id: IdempotencyKey; owner: string },
): Promise<BuiltDeposit | null> {
  const { id, owner } = claim;
  try {
    await ctx.charge();
    const response = await buildDeposit(ctx, claim.input);
    const expiresAt = new Date(response.expires_at);
    return (await answerKey(ctx.db, { ...id, owner, response, expiresAt })) ? response : null;
  } catch (error) {
    await releaseKey(ctx.db, { ...id, owner }).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the caller that owns an idempotency key: an authenticated partner, or else a client address with its user. An
 * API key without its secret may be copied from a web page, so it does not prove the partner's identity.
 */
function scopeOf(ctx: Context, input: BuildInput): string {
  const { actor } = ctx;
  if (actor.kind === "partner" && actor.proof !== "key")
    return `partner:${actor.partner.address.toLowerCase()}`;
  return `client:${ctx.clientAddress}:${input.user_address.toLowerCase()}`;
}

/** Maximum number of stored responses deleted per run. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes the stored responses whose idempotency key has expired, oldest first, because they contain client addresses
 * and users. Returns the number of deleted responses. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
