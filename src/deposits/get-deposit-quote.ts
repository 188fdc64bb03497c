import type { Context } from "../context.ts";
import { sameAddress } from "../lib/address.ts";
import { formatUsdValue } from "../prices/price.ts";
import type { TransferQuote } from "../providers/provider.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { Quote } from "../schemas/quote-schema.ts";
import { toWireVault } from "../vaults/describe-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { prepareDeposit } from "./build-deposit.ts";
import {
  builtGasCost,
  depositPrices,
  type GasMarket,
  priceImpact,
  quotedGasCost,
  readDepositFees,
  valueDeposit,
} from "./deposit-usd-values.ts";
import {
  authorizationOf,
  toDepositApproval,
  toEstimate,
  toPaymentApproval,
  toWarnings,
} from "./describe-built-deposit.ts";
import type { PrepareDeposit, PreparedDeposit, RoutedDeposit } from "./prepared-deposit.ts";

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

type RouteOption = Quote["route_options"][number];

/**
 * Lists the routes of a prepared deposit: the one that was built, then the other fair ones in order of preference. A
 * direct deposit has one, without provider. Amounts are in smallest units; unknown figures are null.
 */
export function toRouteOptions(prepared: PreparedDeposit, market: GasMarket): RouteOption[] {
  const estimate = toEstimate(prepared);
  if (prepared.kind === "direct") {
    const { to_amount, to_amount_min, deposit_amount } = estimate;
    const costs = { estimated_time: null, gas_cost_usd: builtGasCost(prepared, market) };
    const figures = { to_amount, to_amount_min, deposit_amount, ...costs };
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
  const { chainId } = prepared.order.from;
  const costs = all.map((option, index) =>
    index === 0 ? builtGasCost(prepared, market) : quotedGasCost(option, { ...market, chainId }),
  );
  return all.map((option, index) => {
    const one =
      index === 0
        ? routed.end.kind === "one_step"
        : reachesVaultThroughRouter(prepared) && option.supportsCall;
    return {
      provider: option.provider,
      bridge: option.bridge,
      bridge_name: option.bridgeName,
      bridge_logo: option.bridgeLogo,
      to_amount: option.toAmount.toString(),
      to_amount_min: option.toAmountMin.toString(),
      deposit_amount: option.toAmount.toString(),
      estimated_time: option.estimatedSeconds,
      gas_cost_usd: costs[index] ?? null,
      tags: [
        ...(index === 0 ? ["recommended"] : []),
        ...tagsOf(option, all),
        ...(isLeast(costs, index) ? ["cheapest"] : []),
        one ? "one_transaction" : "two_step",
      ],
    };
  });
}

/** Returns true if a provider may make the vault deposit itself, by calling the Router with the delivered token. */
const reachesVaultThroughRouter = ({ order }: PreparedDeposit): boolean => order.entry.via === "router";

function isBuilt(option: TransferQuote, { route }: RoutedDeposit): boolean {
  return option.provider === route.provider && option.bridge === route.bridge;
}

/** Returns true if the gas cost at `index` is the lowest. False if the gas cost of any route is unknown. */
function isLeast(costs: readonly (string | null)[], index: number): boolean {
  const cost = Number(costs[index]);
  return costs.every((other) => other !== null && Number(other) >= cost);
}

/**
 * Returns the tags that one route earns among all: `best_output` for the highest expected amount, `fastest` for the
 * shortest duration. Routes that tie share a tag.
 */
function tagsOf(option: TransferQuote, all: readonly TransferQuote[]): string[] {
  const best = all.every(({ toAmount }) => toAmount <= option.toAmount);
  const seconds = option.estimatedSeconds;
  const fastest =
    seconds !== null && all.every((other) => (other.estimatedSeconds ?? Number.POSITIVE_INFINITY) >= seconds);
  return [...(best ? ["best_output"] : []), ...(fastest ? ["fastest"] : [])];
}

/**
 * Quotes a deposit by preparing and simulating it as a build does, without recording it. Unknown US dollar values are
 * null. `prepare` replaces `prepareDeposit` for moves; its errors propagate.
 */
export async function getQuote(
  ctx: Context,
  { input, prepare = prepareDeposit }: { input: BuildInput; prepare?: PrepareDeposit },
): Promise<Quote> {
  const [prepared, fees] = await Promise.all([
    prepare(ctx, input),
    readDepositFees(ctx, [input.from_chain_id, input.vault_id.chainId]),
  ]);
  const market = { fees, prices: await depositPrices(ctx, prepared) };
  const values = valueDeposit(prepared, market.prices);
  const { vault, entry, client, from } = prepared.order;
  const route = prepared.kind === "direct" ? null : prepared.routed.route;
  return {
    quote_type: quoteType(prepared),
    vault: toWireVault(vault, {
      chain: client.definition,
      entry,
      pausedOnChain: false,
      minDeposit: minimumInAsset(vault, preflightOf(prepared)),
    }),
    estimate: {
      from_amount: from.amount.toString(),
      from_amount_usd: formatUsdValue(values.paid),
      ...toEstimate(prepared),
      price_impact: prepared.kind === "direct" ? null : priceImpact(values),
      estimated_time: route?.estimatedSeconds ?? null,
      gas_cost_usd: builtGasCost(prepared, market),
      steps: toQuoteSteps(prepared),
    },
    approval: toApproval(prepared),
    authorize: authorizationOf(prepared) ?? "approve",
    route_options: toRouteOptions(prepared, market),
    reasons: prepared.kind === "direct" ? [] : prepared.routed.reasons,
    warnings: toWarnings(prepared),
  };
}

/** Returns a deposit's approval, whatever the allowance now; null for the native currency or if a signature pays. */
function toApproval(prepared: PreparedDeposit): Quote["approval"] {
  if (authorizationOf(prepared) !== null) return null;
  return prepared.kind === "direct"
    ? toDepositApproval(prepared.direct.intent)
    : toPaymentApproval(prepared.routed.payment);
}

function quoteType({ kind, order, quoteType: move }: PreparedDeposit): Quote["quote_type"] {
  if (move !== undefined) return move;
  if (kind === "direct") return "direct";
  return order.from.chainId === order.vault.chainId ? "same_chain_swap" : "cross_chain";
}

/** Returns the vault's minimum in the asset's smallest unit, or null if unknown: terms are in that of the paid token. */
function minimumInAsset(vault: Vault, checked: ReturnType<typeof preflightOf>): bigint | null {
  const { asset = null, minDeposit = null } = checked?.terms ?? {};
  return asset !== null && sameAddress(asset, vault.asset.address) ? minDeposit : null;
}

/** Returns the preflight of the vault deposit: the vault's terms, and the user's balance and allowance. */
function preflightOf(prepared: PreparedDeposit) {
  if (prepared.kind === "direct") return prepared.direct.checked;
  const { end } = prepared.routed;
  return end.kind === "two_step" ? end.deposit.checked : end.checked;
}
