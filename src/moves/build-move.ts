import type { Context } from "../context.ts";
import { buildDepositOnce, prepareDeposit } from "../deposits/build-deposit.ts";
import { sourceClient } from "../deposits/deposit-order.ts";
import { getQuote } from "../deposits/get-deposit-quote.ts";
import type { PreparedDeposit } from "../deposits/prepared-deposit.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { Quote } from "../schemas/quote-schema.ts";
import { findMovedVault } from "./find-move-source.ts";
import { prepareMove } from "./prepare-move.ts";

/** Error codes of a redemption after which swapping the shares on an exchange may still succeed. */
const SELLABLE: ReadonlySet<ErrorCode> = new Set([
  "mode_unsupported",
  "no_liquidity",
  "exits_paused",
  "cooldown",
  "share_locked",
  "request_pending",
  "price_stale",
  "no_route",
]);

/**
 * Error for a deposit that is paid with the share token of the target vault itself. It has no error code; the caller
 * must convert it.
 */
export class OwnShareError extends Error {
  override readonly name = "OwnShareError";
}

/**
 * Prepares a deposit, or a move if the paid token is the share of another vault. If the shares cannot be redeemed now,
 * they are swapped on an exchange instead. Throws `OwnShareError` if the paid token is the target vault's own share; errors
 * of the preparation propagate.
 */
async function prepareDepositOrMove(ctx: Context, input: BuildInput): Promise<PreparedDeposit> {
  sourceClient(ctx, input.from_chain_id);
  const paid = await findMovedVault(ctx, input);
  if (paid.kind === "own") throw new OwnShareError("the vault's own share");
  if (paid.kind === "none") return prepareDeposit(ctx, input);
  try {
    return await prepareMove(ctx, { input, from: paid.vault });
  } catch (error) {
    if (!(error instanceof AppError && SELLABLE.has(error.code))) throw error;
    return prepareDeposit(ctx, input).catch(() => {
      throw error;
    });
  }
}

/**
 * Quotes a deposit, or a move if the paid token is the share of another vault. Throws `OwnShareError` if it is the target
 * vault's own share; errors of `getQuote`, `findMovedVault` and `prepareMove` propagate.
 */
export function quoteDepositOrMove(ctx: Context, input: BuildInput): Promise<Quote> {
  return getQuote(ctx, { input, prepare: prepareDepositOrMove });
}

/**
 * Builds a deposit, or a move if the paid token is the share of another vault, at most once per idempotency key and
 * caller. Throws `OwnShareError` if it is the target vault's own share; errors of `buildDepositOnce`, `findMovedVault` and
 * `prepareMove` propagate.
 */
export function buildDepositOrMoveOnce(ctx: Context, request: { input: BuildInput; key: string | null }) {
  return buildDepositOnce(ctx, { ...request, prepare: prepareDepositOrMove });
}
