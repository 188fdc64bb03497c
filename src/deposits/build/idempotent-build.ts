import { keccak256, stringToHex } from "viem";
import type { Context } from "../../context.ts";
import {
  answerKey,
  claimKey,
  deleteKeysBefore,
  type IdempotencyKey,
  releaseKey,
  selectKey,
} from "../../db/queries/idempotency-queries.ts";
import { failure } from "../../errors.ts";
import { stringifyWithBigints } from "../../lib/bigint-json.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { sleep } from "../../lib/timers.ts";
import type { BuildInput, BuiltDeposit } from "../../schemas/quote-schema.ts";
import { BUILD_DEADLINE_MS, buildDeposit } from "./build-deposit.ts";

/** How long an idempotency key is kept: a day, in milliseconds. */
const KEY_TTL_MS = DAY_MS;
/** Age in milliseconds after which an unanswered build counts as dead. */
const STALLED_MS = 30_000;
/**
 * First and longest pause between two polls of the database for the first request's answer, in milliseconds.
 */
const FIRST_POLL_MS = 150;
const MAX_POLL_MS = 1_200;

/**
 * Start times of the builds that run in this isolate, in unix milliseconds. Requests under the same key wait
 * here without polling the database.
 */
const inFlight = new Map<string, number>();

/**
 * Builds a deposit at most once per `Idempotency-Key` and caller (a partner, or a client address with its
 * user). The same request within a day receives the stored answer while its quote is valid, concurrent
 * requests wait for the first, and a failed build frees the key. Builds directly when there is no key. Throws
 * `idempotency_conflict` for a different request under the key, `quote_expired`, `upstream_timeout` when the
 * first request does not finish in time, and the errors of `buildDeposit`.
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
  // Past the deadline the client has its answer already; further polling would only slow the first request.
  for (; ctx.timing.elapsedMs() <= BUILD_DEADLINE_MS; await sleep(waitMs), waited = true) {
    if (isInFlight(work, ctx.now())) continue;
    const stored = waited ? await storedAnswer(ctx, { id, bodyHash }) : null;
    if (stored !== null) return stored;
    if (isInFlight(work, ctx.now())) continue;
    const outcome = await buildFirst(ctx, { input, id, bodyHash, work });
    if (outcome !== null) return outcome;
    waitMs = Math.min(2 * waitMs, MAX_POLL_MS);
  }
  throw failure("upstream_timeout", "the first request under this key is still in progress; try again later");
}

const claimTimes = (now: number) => ({
  now: new Date(now),
  ages: { forgottenBefore: new Date(now - KEY_TTL_MS), deadBefore: new Date(now - STALLED_MS) },
});

/**
 * Builds when this request claims the key; otherwise returns the stored answer, or null while there is none.
 */
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

/**
 * Returns true while this isolate builds the same request. The platform may stop a request without cleanup,
 * so an old entry is dropped.
 */
function isInFlight(work: string, now: number): boolean {
  const since = inFlight.get(work);
  if (since !== undefined && since < now - STALLED_MS) inFlight.delete(work);
  return inFlight.has(work);
}

/** Returns the stored answer of the first request; null while there is none. */
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

/**
 * Returns the owner of an idempotency key. An API key without its secret may be copied from a web page, so it
 * does not prove the partner.
 */
function scopeOf(ctx: Context, input: BuildInput): string {
  const { actor } = ctx;
  if (actor.kind === "partner" && actor.proof !== "key")
    return `partner:${actor.partner.address.toLowerCase()}`;
  return `client:${ctx.clientAddress}:${input.user_address.toLowerCase()}`;
}

/** Rows deleted per run; each holds a whole answer. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes stored answers whose idempotency key has expired, oldest first: they contain client addresses and
 * users. Returns the number deleted. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
