import type { Context } from "../context.ts";
import type { TransferQuote } from "../providers/provider.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { Quote } from "../schemas/quote-schema.ts";
import { toWireVault } from "../vaults/vault-response.ts";
import { prepareDeposit } from "./build/build-deposit.ts";
import { toDepositApproval, toEstimate, toPaymentApproval, toWarnings } from "./build/build-response.ts";
import type { PreparedDeposit, RoutedDeposit } from "./build/prepared-deposit.ts";

type QuoteStep = Quote["estimate"]["steps"][number];

/** Lists the steps of a deposit in order: the swap or bridge of a routed deposit, then the deposit into the vault. */
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
 * Returns the price impact of a route from the provider's USD values: the fraction of the paid value that is lost, as a
 * string with four decimals. `0.0025` is 0.25%; the value is negative if more value arrives than was paid. Returns null
 * if the provider reports no USD values.
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

/** Lists all quoted routes of a deposit with their tags (such as `cheapest`); the route that was built comes first. */
export function toRouteOptions(prepared: PreparedDeposit): RouteOption[] {
  const estimate = toEstimate(prepared);
  if (prepared.kind === "direct") {
    const { to_amount, to_amount_min, deposit_amount } = estimate;
    const figures = { to_amount, to_amount_min, deposit_amount, estimated_time: null, gas_cost_usd: null };
    return [
      {
        provider: null,
        bridge: null,
        bridge_name: null,
        bridge_logo: null,
        ...figures,
        tags: ["recommended", "direct"],
      },
    ];
  }
  const { routed } = prepared;
  const others = routed.ranking.quotes.filter((option) => !isBuilt(option, routed));
  const all = [routed.route, ...others];
  return all.map((option, index) => {
    const one = index === 0 ? routed.end.kind === "one_step" : callsRouter(prepared) && option.supportsCall;
    return {
      provider: option.provider,
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

/** Returns true if a provider may make the vault deposit itself, by calling the Router with the delivered token. */
const callsRouter = ({ order }: PreparedDeposit): boolean => order.entry.via === "router";

function isBuilt(option: TransferQuote, { route }: RoutedDeposit): boolean {
  return option.provider === route.provider && option.bridge === route.bridge;
}

/**
 * Returns the tags of one route in comparison with all routes. `best_output` is the highest expected amount; routes that
 * tie share a tag. No route is tagged `cheapest` unless every route has a
 * known gas cost.
 */
function tagsOf(option: TransferQuote, all: readonly TransferQuote[]): string[] {
  const best = all.every(({ toAmount }) => toAmount <= option.toAmount);
  const seconds = option.estimatedSeconds;
  const fastest =
    seconds !== null && all.every((other) => (other.estimatedSeconds ?? Number.POSITIVE_INFINITY) >= seconds);
  const cost = option.gasCostUsd;
  const cheapest =
    cost !== null &&
    all.every((other) => other.gasCostUsd !== null && Number(other.gasCostUsd) >= Number(cost));
  return [
    ...(best ? ["best_output"] : []),
    ...(cheapest ? ["cheapest"] : []),
    ...(fastest ? ["fastest"] : []),
  ];
}

/**
 * Quotes a deposit from the same simulations as a build, but does not record it. Errors of `prepareDeposit` propagate.
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
    warnings: toWarnings(prepared),
  };
}

function quoteType({ kind, order }: PreparedDeposit): Quote["quote_type"] {
  if (kind === "direct") return "direct";
  return order.from.chainId === order.vault.chainId ? "same_chain_swap" : "cross_chain";
}

/** Returns the preflight of the vault deposit, which contains the vault's deposit conditions. */
function preflightOf(prepared: PreparedDeposit) {
  if (prepared.kind === "direct") return prepared.direct.checked;
  const { end } = prepared.routed;
  return end.kind === "two_step" ? end.deposit.checked : end.checked;
}
