import type { Context } from "../context.ts";
import { toApproval } from "../deposits/direct-wire.ts";
import { prepareDeposit } from "../deposits/prepare.ts";
import { toWireVault } from "../deposits/vault-wire.ts";
import type { BuildInput, Quote } from "../schemas/quote.ts";

/**
 * Quotes a deposit without tracking it; its figures come from the same simulation as a build's.
 * Throws what building throws, but for the store.
 */
export async function getQuote(ctx: Context, input: BuildInput): Promise<Quote> {
  const { direct: prepared } = await prepareDeposit(ctx, input);
  const { intent } = prepared;
  const { vault, entry, client } = intent;
  const { terms } = prepared.checked;
  const amounts = {
    to_amount: prepared.depositAmount.toString(),
    to_amount_min: prepared.floors.minIn.toString(),
    deposit_amount: prepared.depositAmount.toString(),
  };
  return {
    quote_type: "direct",
    vault: toWireVault(vault, {
      chain: client.definition,
      entry,
      pausedOnChain: false,
      minDeposit: terms.minDeposit,
    }),
    estimate: {
      from_amount: intent.amount.toString(),
      from_amount_usd: null,
      ...amounts,
      estimated_shares: prepared.expectedShares.toString(),
      min_shares: prepared.floors.minShares?.toString() ?? null,
      price_impact: null,
      estimated_time: null,
      gas_cost_usd: null,
      steps: [{ type: "deposit", chain_id: vault.chainId, tool: vault.adapter, to: prepared.deposit.target }],
    },
    approval: toApproval(intent),
    route_options: [
      {
        bridge: null,
        bridge_name: null,
        bridge_logo: null,
        ...amounts,
        estimated_time: null,
        gas_cost_usd: null,
        tags: ["recommended", "direct"],
      },
    ],
    reasons: [],
  };
}
