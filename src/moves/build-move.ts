import type { Context } from "../context.ts";
import { buildDepositOnce, prepareDeposit } from "../deposits/build-deposit.ts";
import { sourceClient } from "../deposits/deposit-intent.ts";
import { getQuote } from "../deposits/get-deposit-quote.ts";
import type { PreparedDeposit } from "../deposits/prepared-deposit.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { Quote } from "../schemas/quote-schema.ts";
import type { Warning } from "../schemas/step-schema.ts";
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
 * Error for a deposit that is paid with the target vault's own share token, which the vault does not accept. It is not
 * an AppError, so the caller must convert it to one.
 */
export class OwnShareError extends Error {
  override readonly name = "OwnShareError";
}

/**
 * Prepares a deposit, or a move if `findMovedVault` returns `other`; shares that cannot be redeemed now may be swapped
 * instead. Throws `OwnShareError` if `findMovedVault` returns `own`, and `chain_unsupported`; errors of
 * `findMovedVault`, `prepareMove` and `prepareDeposit` propagate.
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
    const sold = await prepareDeposit(ctx, input).catch(() => {
      throw error;
    });
    return withWarning(sold, {
      code: "shares_sold",
      detail: `the shares of ${paid.vault.name} cannot be moved in this transaction (${error.code}), so they are sold`,
    });
  }
}

function withWarning(prepared: PreparedDeposit, warning: Warning): PreparedDeposit {
  if (prepared.kind === "direct") return { ...prepared, warnings: [...(prepared.warnings ?? []), warning] };
  const { routed } = prepared;
  return { ...prepared, routed: { ...routed, warnings: [...routed.warnings, warning] } };
}

/**
 * Quotes a deposit, or a move if another vault's shares pay and the target vault does not accept them as a token; those
 * that cannot be redeemed now may be swapped instead. Throws `OwnShareError` if the target vault's own shares pay and
 * it does not accept them, and `chain_unsupported`; errors of `findMovedVault`, `prepareMove` and `prepareDeposit`
 * propagate.
 */
export function quoteDepositOrMove(ctx: Context, input: BuildInput): Promise<Quote> {
  return getQuote(ctx, { input, prepare: prepareDepositOrMove });
}

/**
 * Builds what `quoteDepositOrMove` quotes, with one response per idempotency key and caller; without a key (null), each
 * call builds. Throws the errors of `quoteDepositOrMove`; those of `buildDepositOnce` propagate.
 */
export function buildDepositOrMoveOnce(ctx: Context, request: { input: BuildInput; key: string | null }) {
  return buildDepositOnce(ctx, { ...request, prepare: prepareDepositOrMove });
}
