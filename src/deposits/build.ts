import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import type { BuildInput, BuiltDeposit } from "../schemas/quote.ts";
import { writeBuilt } from "./built-wire.ts";
import { type PreparedDeposit, prepareDeposit } from "./prepare.ts";
import { QUOTE_TTL_MS } from "./prepare-direct.ts";
import { recordDeposit } from "./record.ts";

/** Within what a build is answered, milliseconds from the request's start: callers wait for eight seconds. */
export const BUILD_DEADLINE_MS = 7_300;

/**
 * Builds a deposit: resolve → check → route → encode → verify → simulate → record. What it returns has been seen
 * to work on the heads of its chains.
 * Throws the refusals of resolving and preparing, `store_unavailable`, `upstream_unavailable`, `upstream_timeout`.
 */
export async function buildDeposit(ctx: Context, input: BuildInput): Promise<BuiltDeposit> {
  const prepared = await prepareDeposit(ctx, input);
  // Nobody waits for it any more, and what nobody was given is not recorded.
  if (ctx.timing.elapsedMs() > BUILD_DEADLINE_MS)
    throw failure("upstream_timeout", "the deposit could not be built in time");
  const expiresAt = new Date(ctx.now() + lifetimeMs(prepared));
  await recordDeposit(ctx, { prepared, expiresAt });
  return writeBuilt(prepared, expiresAt);
}

/** How long the figures hold, in milliseconds: no longer than those of whoever moves the money. */
export function lifetimeMs(prepared: PreparedDeposit): number {
  if (prepared.kind === "direct") return QUOTE_TTL_MS;
  return Math.min(QUOTE_TTL_MS, prepared.moved.move.validSeconds * 1000);
}
