import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import type { BuiltMove } from "../providers/provider.ts";
import { type Destination, planDestination } from "./destination.ts";
import { balanceRead } from "./effect.ts";
import { type Attempt, type BuiltTransfer, type MoveEnd, toBuildRequest, toPayment } from "./moved.ts";
import { simulateDelivery } from "./simulate-delivery.ts";
import { simulateSource } from "./simulate-source.ts";

/**
 * Builds one transaction that ends in the vault: the provider calls the Router with what it delivers. Source and
 * destination are simulated, the latter with the guaranteed amount and with the expected one.
 * Throws the refusals of the provider, of the vault and of both simulations.
 */
export async function buildWithCall(ctx: Context, attempt: Attempt): Promise<BuiltTransfer> {
  const destination = await planDestination(ctx, attempt);
  const scope = { ...ctx.providers.scope, deadline: attempt.deadline };
  const request = { ...toBuildRequest(attempt), call: destination.call };
  const move = await attempt.provider.build(scope, request);
  const { order } = attempt;
  const ended = { destination, move };
  return order.from.chainId === order.vault.chainId
    ? onOneChain(ctx, { ...ended, attempt })
    : acrossChains(ctx, { ...ended, attempt });
}

interface Ended {
  attempt: Attempt;
  destination: Destination;
  move: BuiltMove;
}

/** The deposit is part of the transaction itself. */
async function onOneChain(ctx: Context, { attempt, destination, move }: Ended): Promise<BuiltTransfer> {
  const payment = toPayment(attempt, move);
  const { vault, user } = attempt.order;
  const watch = balanceRead(vault.shareToken, user);
  const { source, gained } = await simulateSource(ctx, { payment, move, watch });
  if (gained === null) throw failure("simulation_unavailable", "the share balance could not be read");
  const { floors, checked } = destination;
  if (gained < floors.minShares) {
    throw failure("upstream_rejected", "the provider's transaction does not make the deposit");
  }
  const end: MoveEnd = { kind: "call", checked, floors, shares: gained, delivery: null };
  return { move, payment, source, end };
}

async function acrossChains(ctx: Context, { attempt, destination, move }: Ended): Promise<BuiltTransfer> {
  const payment = toPayment(attempt, move);
  const { executor } = move;
  if (executor === null) throw failure("upstream_rejected", "the provider does not make the deposit");
  const deliver = (amount: bigint) => simulateDelivery(ctx, { destination, executor, amount });
  const [{ source }, delivery, expected] = await Promise.all([
    simulateSource(ctx, { payment, move, watch: null }),
    deliver(move.toAmountMin),
    move.toAmount === move.toAmountMin ? null : deliver(move.toAmount),
  ]);
  const { shares } = expected ?? delivery;
  const { checked, floors } = destination;
  return { move, payment, source, end: { kind: "call", checked, floors, shares, delivery } };
}
