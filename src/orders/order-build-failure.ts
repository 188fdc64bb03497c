import { keccak256, stringToHex } from "viem";
import * as z from "zod";
import type { Context } from "../context.ts";
import { AppError, type ErrorCode, errorCodes } from "../errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";

/** Lifetime of a stored failure in Redis, in milliseconds. */
const KEPT_MS = 5_000;

/** A failure as isolates share it. `at` is in UNIX milliseconds. */
const SharedFailure = z.object({
  code: z.custom<ErrorCode>((code) => errorCodes.some((known) => known === code)),
  detail: z.string(),
  members: z.record(z.string(), z.unknown()),
  at: z.int(),
});
type SharedFailure = z.infer<typeof SharedFailure>;

/** The latest failures of this isolate's builds, by work: caller, idempotency key and parameters. */
const latest = new BoundedMap<SharedFailure>(1_000);

const redisKey = (work: string): string => `build-failure:${keccak256(stringToHex(work))}`;

/**
 * Shares the failure of a build with requests that wait for it: in this isolate, and for five seconds through Redis in
 * others. `work`: caller, idempotency key and parameters. If the failure cannot be encoded as JSON or Redis fails, only
 * this isolate has it. Never throws.
 */
export async function shareFailure(ctx: Context, failed: { work: string; error: unknown }): Promise<void> {
  const { work, error } = failed;
  const known = error instanceof AppError ? error : new AppError("internal", "an unexpected error occurred");
  const shared = { code: known.code, detail: known.message, members: known.members, at: ctx.now() };
  latest.set(work, shared);
  try {
    await ctx.redis.set(redisKey(work), JSON.stringify(shared), KEPT_MS);
  } catch {
    // The caller still has the failure itself to report.
  }
}

/**
 * Throws the latest failure of a build that this isolate still knows, if it happened after `since`, the start of the
 * waiting request (UNIX milliseconds). `work`: caller, idempotency key and parameters.
 */
export function throwLocalFailure(of: { work: string; since: number }): void {
  throwIfLater(latest.get(of.work), of.since);
}

/**
 * Throws the failure of `work` (as in `throwLocalFailure`) that an isolate has shared through Redis, if it happened
 * after `since`, the start of the waiting request (UNIX milliseconds). Does nothing if Redis fails.
 */
export async function throwSharedFailure(ctx: Context, of: { work: string; since: number }): Promise<void> {
  const text = await ctx.redis.get(redisKey(of.work)).catch(() => null);
  if (text !== null) throwIfLater(parseFailure(text), of.since);
}

function throwIfLater(failure: SharedFailure | undefined, since: number): void {
  if (failure === undefined || failure.at <= since) return;
  throw new AppError(failure.code, failure.detail, { members: failure.members });
}

function parseFailure(text: string): SharedFailure | undefined {
  try {
    return SharedFailure.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
