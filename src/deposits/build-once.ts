import { keccak256, stringToHex } from "viem";
import type { Context } from "../context.ts";
import {
  answerKey,
  claimKey,
  type IdempotencyKey,
  releaseKey,
  selectKey,
} from "../db/queries/idempotency.ts";
import { failure } from "../errors.ts";
import { stringifyExact } from "../lib/json.ts";
import type { BuildInput, BuiltDeposit } from "../schemas/quote.ts";
import { buildDeposit } from "./build.ts";

const DAY_MS = 86_400_000;
/** A build that has not answered by then never will. */
const DEAD_MS = 30_000;
const WAIT_STEP_MS = 150;
const WAIT_STEPS = 100;

/**
 * Builds a deposit at most once per `Idempotency-Key` of a caller (a partner, or a client address with its
 * user): the same request within a day gives the stored answer while its quote lives, twins wait for the
 * first, a failure frees the key. Without a key it just builds.
 * Throws `idempotency_conflict` for another request under the key, `quote_expired`, and what building throws.
 */
export async function buildDepositOnce(
  ctx: Context,
  request: { input: BuildInput; key: string | null },
): Promise<BuiltDeposit> {
  const { input, key } = request;
  if (key === null) return buildDeposit(ctx, input);
  const id = { scope: scopeOf(ctx, input), key };
  const bodyHash = keccak256(stringToHex(stringifyExact(input)));
  for (let step = 0; step < WAIT_STEPS; step += 1) {
    if (step > 0) await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS));
    const owner = ctx.randomId();
    const now = ctx.now();
    const ages = { forgottenBefore: new Date(now - DAY_MS), deadBefore: new Date(now - DEAD_MS) };
    if (await claimKey(ctx.db, { ...id, bodyHash, owner, now: new Date(now), ages })) {
      return buildClaimed(ctx, { input, id, owner });
    }
    const stored = await storedAnswer(ctx, { id, bodyHash });
    if (stored !== null) return stored;
  }
  throw failure("idempotency_conflict", "the first request under this key is still being answered");
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
