import type { Context } from "../../context.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import type { Warning } from "../../schemas/step-schema.ts";
import type { ExitFacts, ExitWay } from "../exit-preflight.ts";
import { onwardAmount, quoteTransfer, requestedToken, toRouteOrder } from "../find-exit-transfer-route.ts";
import type { WithdrawalOrder } from "../withdrawal-order.ts";

/** Codes of errors by which a later payment has no way to the user today. Others leave that unknown. */
const WAYLESS: ReadonlySet<ErrorCode> = new Set([
  "no_route",
  "price_unsafe",
  "below_minimum",
  "token_unsupported",
  "chain_unsupported",
]);

/**
 * Checks that a provider offers today to swap or bridge what a request or cooldown will pay, because nothing may bring
 * the shares back if the payment has nowhere to go. Returns the offer's warnings, or one that it is unknown, and throws
 * the reason, with what to do instead, if there is no fair offer.
 */
export async function checkLaterRoute(
  ctx: Context,
  { order, facts, mode }: { order: WithdrawalOrder; facts: ExitFacts; mode: ExitWay["mode"] },
): Promise<readonly Warning[]> {
  const way = facts.ways.find((one) => one.mode === mode);
  const { name, asset } = order.vault;
  const unknown = { code: "route_unknown", detail: `whether a route takes what ${name} will pay is unknown` };
  try {
    const token = await requestedToken(ctx, order.to);
    const expected = way?.terms.previewAssets ?? null;
    if (way === undefined || expected === null) return [unknown];
    const paid = { token: way.token.address, amount: onwardAmount(expected) };
    return await quoteTransfer(ctx, { order: toRouteOrder(order, paid), token });
  } catch (error) {
    if (!(error instanceof AppError && WAYLESS.has(error.code))) {
      ctx.log.warn("later_route_unknown", { error: describeError(error) });
      return [unknown];
    }
    const { symbol } = way?.token ?? asset;
    const instead = `withdraw to ${symbol} on the vault's chain, and swap or bridge that once it is paid`;
    const { members, code, message } = error;
    throw new AppError(code, `${message}; ${instead}`, { members, cause: error });
  }
}
