import { keccak256, stringToHex } from "viem";
import type { Context } from "../../context.ts";
import {
  answerKey,
  claimKey,
  deleteKeysBefore,
  type IdempotencyKey,
  releaseKey,
  selectKey,
} from "../../db/queries/idempotency.ts";
import { failure } from "../../errors.ts";
import { stringifyWithBigints } from "../../lib/bigint-json.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { sleep } from "../../lib/timers.ts";
import type { BuildInput, BuiltDeposit } from "../../schemas/quote.ts";
import { BUILD_DEADLINE_MS, buildDeposit } from "./build.ts";

/** For how long a key means its first request: a day. */
const KEY_TTL_MS = DAY_MS;
/** A build that has not answered by then never will. */
const STALLED_MS = 30_000;
/** A twin asks the database less and less often. */
const FIRST_POLL_MS = 150;
const MAX_POLL_MS = 1_200;

/** What this isolate builds now, since when (unix milliseconds): its twins need not ask the database meanwhile. */
const inFlight = new Map<string, number>();

/**
 * Builds a deposit at most once per `Idempotency-Key` of a caller (a partner, or a client address with its
 * user): the same request within a day gives the stored answer while its quote lives, twins wait for the
 * first, a failure frees the key. Without a key it just builds.
 * Throws `idempotency_conflict` for another request under the key, `quote_expired`, `upstream_timeout` when the
 * first is not done in time, and what building throws.
 */
export async function buildDepositOnce(
  ctx: Context,
  request: { input: BuildInput; key: string | null },
): Promise<BuiltDeposit> {
  const { input, key } = request;
  if (key === null) return buildDeposit(ctx, input);
  const id = { scope: scopeOf(ctx, input), key };
  const bodyHash = keccak256(stringToHex(stringifyWithBigints(input)));
  const work = `${id.scope} ${key} ${bodyHash}`;
  let waitMs = FIRST_POLL_MS;
  let waited = false;
  // A twin whose caller has been told already asks no more: a crowd of them would hold up the first.
  for (; ctx.timing.elapsedMs() <= BUILD_DEADLINE_MS; await sleep(waitMs), waited = true) {
    if (isInFlight(work, ctx.now())) continue;
    const stored = waited ? await storedAnswer(ctx, { id, bodyHash }) : null;
    if (stored !== null) return stored;
    if (isInFlight(work, ctx.now())) continue;
    const outcome = await buildFirst(ctx, { input, id, bodyHash, work });
    if (outcome !== null) return outcome;
    waitMs = Math.min(2 * waitMs, MAX_POLL_MS);
  }
  throw failure("upstream_timeout", "the first request under this key is still being answered");
}

const claimTimes = (now: number) => ({
  now: new Date(now),
  ages: { forgottenBefore: new Date(now - KEY_TTL_MS), deadBefore: new Date(now - STALLED_MS) },
});

/** Builds if nobody did; else the stored answer, null while there is none yet. */
async function buildFirst(
  ctx: Context,
  { work, ...first }: { input: BuildInput; id: IdempotencyKey; bodyHash: string; work: string },
): Promise<BuiltDeposit | null> {
  const { input, id, bodyHash } = first;
  const owner = ctx.randomId();
  inFlight.set(work, ctx.now());
  try {
    if (await claimKey(ctx.db, { ...id, bodyHash, owner, ...claimTimes(ctx.now()) }))
      return await buildClaimed(ctx, { input, id, owner });
  } finally {
    inFlight.delete(work);
  }
  return storedAnswer(ctx, { id, bodyHash });
}

/** A request that the platform ended takes no leave: its entry is too old some time. */
function isInFlight(work: string, now: number): boolean {
  const since = inFlight.get(work);
  if (since !== undefined && since < now - STALLED_MS) inFlight.delete(work);
  return inFlight.has(work);
}

/** The first request's answer; null while there is none yet. */
async function storedAnswer(
  ctx: Context,
  asked: { id: IdempotencyKey; bodyHash: string },
): Promise<BuiltDeposit | null> {
  const row = await selectKey(ctx.db, asked.id);
  if (row === null) return null;
  if (row.bodyHash !== asked.bodyHash) {
    throw failure("idempotency_conflict", "this key was used for another request");
  }
  if (row.response === null || row.expiresAt === null) return null;
  if (row.expiresAt.getTime() <= ctx.now()) {
    throw failure("quote_expired", "the quote that was given under this key is over");
  }
  return row.response;
}

async function buildClaimed(
  ctx: Context,
  claim: { input: BuildInput; id: IdempotencyKey; owner: string },
): Promise<BuiltDeposit> {
  const { id, owner } = claim;
  try {
    await ctx.charge();
    const response = await buildDeposit(ctx, claim.input);
    await answerKey(ctx.db, { ...id, owner, response, expiresAt: new Date(response.expires_at) });
    return response;
  } catch (error) {
    await releaseKey(ctx.db, { ...id, owner }).catch(() => undefined);
    throw error;
  }
}

/** A key alone, which anybody may have copied from a page, does not make a caller the partner. */
function scopeOf(ctx: Context, input: BuildInput): string {
  const { actor } = ctx;
  if (actor.kind === "partner" && actor.proof !== "key")
    return `partner:${actor.partner.address.toLowerCase()}`;
  return `client:${ctx.clientAddress}:${input.user_address.toLowerCase()}`;
}

/** Rows that one run removes; each holds an answer. */
const DELETE_LIMIT = 5_000;

/**
 * Removes the answers that no `Idempotency-Key` gives any more, the oldest first: they name client addresses and users.
 * Returns how many. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
