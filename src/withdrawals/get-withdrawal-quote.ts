import type { Context } from "../context.ts";
import { pricesOfRequest } from "../prices/read-prices.ts";
import type { WithdrawInput, WithdrawOption, WithdrawQuote } from "../schemas/withdraw-build-schema.ts";
import { toFigures, toRefusedOption, withdrawalWarnings } from "./describe-built-withdrawal.ts";
import { quoteWithdrawal } from "./prepare-withdrawal.ts";
import { transferOf } from "./prepared-withdrawal.ts";

/**
 * Quotes a withdrawal in every requested mode without recording it. The mode that a build would choose comes first, and
 * `warnings` are its warnings. A refused mode has reasons and no amounts. Throws as `quoteWithdrawal`.
 */
export async function getWithdrawalQuote(ctx: Context, input: WithdrawInput): Promise<WithdrawQuote> {
  const { options, tokens } = await quoteWithdrawal(ctx, input);
  const prices = await pricesOfRequest(ctx, tokens);
  const shown = options.map((option): WithdrawOption => {
    if (option.prepared === null) return toRefusedOption(option);
    const { prepared, mode } = option;
    const reasons = [...(transferOf(prepared)?.reasons ?? [])];
    return { mode, two_step: prepared.kind === "two_step", ...toFigures(prepared, prices), reasons };
  });
  const [first] = options;
  const warnings = first?.prepared ? withdrawalWarnings(first.prepared) : [];
  return { options: shown, warnings };
}
