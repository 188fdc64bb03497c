import type { Context } from "../context.ts";
import { toEstimate, toPaymentApproval } from "../deposits/built-wire.ts";
import { toApproval } from "../deposits/direct-wire.ts";
import { type PreparedDeposit, prepareDeposit } from "../deposits/prepare.ts";
import { toWireVault } from "../deposits/vault-wire.ts";
import type { BuildInput, Quote } from "../schemas/quote.ts";
import { priceImpact } from "./price-impact.ts";
import { toRouteOptions } from "./route-options.ts";
import { toSteps } from "./steps.ts";

/**
 * Quotes a deposit without tracking it; its figures come from the same simulations as a build's.
 * Throws what building throws, but for the store.
 */
export async function getQuote(ctx: Context, input: BuildInput): Promise<Quote> {
  const prepared = await prepareDeposit(ctx, input);
  const { vault, entry, client, from } = prepared.order;
  const move = prepared.kind === "direct" ? null : prepared.moved.move;
  return {
    quote_type: typeOf(prepared),
    vault: toWireVault(vault, {
      chain: client.definition,
      entry,
      pausedOnChain: false,
      minDeposit: checkedOf(prepared)?.terms.minDeposit ?? null,
    }),
    estimate: {
      from_amount: from.amount.toString(),
      from_amount_usd: move?.fromAmountUsd ?? null,
      ...toEstimate(prepared),
      price_impact: priceImpact(move),
      estimated_time: move?.estimatedSeconds ?? null,
      gas_cost_usd: move?.gasCostUsd ?? null,
      steps: toSteps(prepared),
    },
    approval:
      prepared.kind === "direct"
        ? toApproval(prepared.direct.intent)
        : toPaymentApproval(prepared.moved.payment),
    route_options: toRouteOptions(prepared),
    reasons: prepared.kind === "direct" ? [] : prepared.moved.reasons,
  };
}

function typeOf({ kind, order }: PreparedDeposit): Quote["quote_type"] {
  if (kind === "direct") return "direct";
  return order.from.chainId === order.vault.chainId ? "same_chain_swap" : "cross_chain";
}

/** What the vault said of the deposit. */
function checkedOf(prepared: PreparedDeposit) {
  if (prepared.kind === "direct") return prepared.direct.checked;
  const { end } = prepared.moved;
  return end.kind === "second" ? end.deposit.checked : end.checked;
}
