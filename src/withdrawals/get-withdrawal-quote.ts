import type { Context } from "../context.ts";
import { requestPrices } from "../prices/read-prices.ts";
import type { WithdrawInput, WithdrawOption, WithdrawQuote } from "../schemas/withdraw-build-schema.ts";
import { quoteWithdrawal } from "./prepare-withdrawal.ts";
import { transferOf } from "./prepared-withdrawal.ts";
import { toFigures, toRefusedOption, withdrawalWarnings } from "./withdrawal-response.ts";

/**
 * Quotes a withdrawal in every requested mode, from the same simulations as a build, without recording it. A mode that
 * the vault does not allow now is included with its reasons. Errors of `quoteWithdrawal` propagate.
 */
export async function getWithdrawalQuote(ctx: Context, input: WithdrawInput): Promise<WithdrawQuote> {
  const { options, tokens } = await quoteWithdrawal(ctx, input);
  const prices = await requestPrices(ctx, tokens);
  const shown = options.map((option): WithdrawOption => {
    if (option.prepared === null) return toRefusedOption(option);
    const { prepared, mode } = option;
    const reasons = [...(transferOf(prepared)?.reasons ?? [])];
    return { mode, ...toFigures(prepared, prices), reasons };
  });
  const [first] = options;
  const warnings = first?.prepared ? withdrawalWarnings(first.prepared) : [];
  return { options: shown, warnings };
}
