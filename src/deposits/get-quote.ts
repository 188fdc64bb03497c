import type { Context } from "../context.ts";
import type { TransferQuote } from "../providers/provider.ts";
import type { BuildInput, Quote } from "../schemas/quote-schema.ts";
import { toWireVault } from "../vaults/vault-response.ts";
import { prepareDeposit } from "./build/build-deposit.ts";
import { toDepositApproval, toEstimate, toPaymentApproval } from "./build/build-response.ts";
import type { PreparedDeposit, RoutedDeposit } from "./build/prepared-deposit.ts";

type QuoteStep = Quote["estimate"]["steps"][number];

/** Lists the steps of a deposit in order: a swap or bridge when there is one, then the deposit. */
function toQuoteSteps(prepared: PreparedDeposit): QuoteStep[] {
  const { vault, from } = prepared.order;
  const deposit = (to: string): QuoteStep => ({
    type: "deposit",
    chain_id: vault.chainId,
    tool: vault.adapter,
    to,
  });
  if (prepared.kind === "direct") return [deposit(prepared.direct.deposit.target)];
  const { route, end } = prepared.routed;
  const type = from.chainId === vault.chainId ? "swap" : "bridge";
  const first = { type, chain_id: from.chainId, tool: route.tool, to: route.transaction.to };
  return [
    first,
    deposit(end.kind === "two_step" ? end.deposit.deposit.target : prepared.order.entry.address),
  ];
}

/**
 * Returns the share of the value that a route costs by the provider's USD figures: 0.0025 is 0.25 %, negative
 * when more arrives than was paid. Four decimals. Null when the provider gives no USD figures.
 */
export function priceImpact(
  route: Pick<TransferQuote, "fromAmountUsd" | "toAmountUsd"> | null,
): string | null {
  const [paid, arrives] = [
    Number(route?.fromAmountUsd ?? Number.NaN),
    Number(route?.toAmountUsd ?? Number.NaN),
  ];
  if (!(paid > 0) || !(arrives >= 0)) return null;
  return ((paid - arrives) / paid).toFixed(4);
}

type RouteOption = Quote["route_options"][number];

/** Lists every quoted route with its tags, the built route first. */
export function toRouteOptions(prepared: PreparedDeposit): RouteOption[] {
  const estimate = toEstimate(prepared);
  if (prepared.kind === "direct") {
    const { to_amount, to_amount_min, deposit_amount } = estimate;
    const figures = { to_amount, to_amount_min, deposit_amount, estimated_time: null, gas_cost_usd: null };
    return [
      { bridge: null, bridge_name: null, bridge_logo: null, ...figures, tags: ["recommended", "direct"] },
    ];
  }
  const { routed } = prepared;
  const others = routed.ranking.quotes.filter((option) => !isBuilt(option, routed));
  const all = [routed.route, ...others];
  return all.map((option, index) => {
    const one = index === 0 ? routed.end.kind === "one_step" : callsRouter(prepared) && option.supportsCall;
    return {
      bridge: option.bridge,
      bridge_name: option.bridgeName,
      bridge_logo: option.bridgeLogo,
      to_amount: option.toAmount.toString(),
      to_amount_min: option.toAmountMin.toString(),
      deposit_amount: (one ? option.toAmount : option.toAmountMin).toString(),
      estimated_time: option.estimatedSeconds,
      gas_cost_usd: option.gasCostUsd,
      tags: [
        ...(index === 0 ? ["recommended"] : []),
        ...tagsOf(option, all),
        one ? "one_transaction" : "two_step",
      ],
    };
  });
}

/** Returns true when a provider may make the deposit itself, through the Router. */
const callsRouter = ({ order }: PreparedDeposit): boolean => order.entry.via === "router";

function isBuilt(option: TransferQuote, { route }: RoutedDeposit): boolean {
  return option.provider === route.provider && option.bridge === route.bridge;
}

/** Returns the tags of a route among all; `cheapest` only when every provider reports its gas cost. */
function tagsOf(option: TransferQuote, all: readonly TransferQuote[]): string[] {
  const least = all.every(({ toAmountMin }) => toAmountMin <= option.toAmountMin);
  const seconds = option.estimatedSeconds;
  const fastest =
    seconds !== null && all.every((other) => (other.estimatedSeconds ?? Number.POSITIVE_INFINITY) >= seconds);
  const cost = option.gasCostUsd;
  const cheapest =
    cost !== null &&
    all.every((other) => other.gasCostUsd !== null && Number(other.gasCostUsd) >= Number(cost));
  return [
    ...(least ? ["best_output"] : []),
    ...(cheapest ? ["cheapest"] : []),
    ...(fastest ? ["fastest"] : []),
  ];
}

/**
 * Quotes a deposit without recording it, from the same simulations as a build. Throws the errors of
 * `prepareDeposit`.
 */
export async function getQuote(ctx: Context, input: BuildInput): Promise<Quote> {
  const prepared = await prepareDeposit(ctx, input);
  const { vault, entry, client, from } = prepared.order;
  const route = prepared.kind === "direct" ? null : prepared.routed.route;
  return {
    quote_type: quoteType(prepared),
    vault: toWireVault(vault, {
      chain: client.definition,
      entry,
      pausedOnChain: false,
      minDeposit: preflightOf(prepared)?.terms.minDeposit ?? null,
    }),
    estimate: {
      from_amount: from.amount.toString(),
      from_amount_usd: route?.fromAmountUsd ?? null,
      ...toEstimate(prepared),
      price_impact: priceImpact(route),
      estimated_time: route?.estimatedSeconds ?? null,
      gas_cost_usd: route?.gasCostUsd ?? null,
      steps: toQuoteSteps(prepared),
    },
    approval:
      prepared.kind === "direct"
        ? toDepositApproval(prepared.direct.intent)
        : toPaymentApproval(prepared.routed.payment),
    route_options: toRouteOptions(prepared),
    reasons: prepared.kind === "direct" ? [] : prepared.routed.reasons,
  };
}

function quoteType({ kind, order }: PreparedDeposit): Quote["quote_type"] {
  if (kind === "direct") return "direct";
  return order.from.chainId === order.vault.chainId ? "same_chain_swap" : "cross_chain";
}

/** Returns the vault's terms for the deposit. */
function preflightOf(prepared: PreparedDeposit) {
  if (prepared.kind === "direct") return prepared.direct.checked;
  const { end } = prepared.routed;
  return end.kind === "two_step" ? end.deposit.checked : end.checked;
}
