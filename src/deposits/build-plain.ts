import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { type Attempt, type BuiltTransfer, toBuildRequest, toPayment } from "./moved.ts";
import { prepareSecondStep } from "./second-step.ts";
import { simulateSource, watchOf } from "./simulate-source.ts";

/**
 * Builds the transaction that brings a token to the user on the vault's chain, and the deposit that follows: for
 * the guaranteed amount, which is there whatever happens on the way. Both are simulated.
 * Throws the refusals of the provider, of the vault and of both simulations.
 */
export async function buildPlain(ctx: Context, attempt: Attempt): Promise<BuiltTransfer> {
  const { order, token } = attempt;
  const scope = { ...ctx.providers.scope, deadline: attempt.deadline };
  const move = await attempt.provider.build(scope, toBuildRequest(attempt));
  const payment = toPayment(attempt, move);
  const onOneChain = order.from.chainId === order.vault.chainId;
  const watch = onOneChain ? watchOf(token.address, order.user) : null;
  const [{ source, gained }, deposit] = await Promise.all([
    simulateSource(ctx, { payment, move, watch }),
    prepareSecondStep(ctx, { ...order, token: token.address, amount: move.toAmountMin }),
  ]);
  if (gained !== null && gained < move.toAmountMin) {
    throw failure("upstream_rejected", "the provider's transaction gives less than it says");
  }
  return { move, payment, source, end: { kind: "second", deposit } };
}
