import { type Hex, size, zeroAddress } from "viem";
import * as z from "zod";
import { type GasFees, gasCost, readGasFees } from "../chains/gas-fees.ts";
import type { Context } from "../context.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { type PlannedAuthorization, signedCalldata } from "../orders/authorization/planned-authorization.ts";
import { type ChainToken, formatUsdValue, type Prices, priceOf, valueInUsd } from "../prices/price.ts";
import { hasFeed, pricesOfRequest, requestMarketPrices } from "../prices/read-prices.ts";
import type { TransferQuote } from "../providers/provider.ts";
import type { Token } from "../vaults/vault.ts";
import { acceptedTokens } from "../vaults/vault-deposit-entry.ts";
import type { DepositOrder } from "./deposit-intent.ts";
import type { PreparedDeposit } from "./prepared-deposit.ts";

/**
 * Returns the tokens whose prices a deposit may need: the paid token, the vault's accepted tokens, and the native
 * currencies of both chains for gas.
 */
function tokensOf({ from, vault, client, entry }: DepositOrder): ChainToken[] {
  const accepted = acceptedTokens(vault, { chain: client.definition, entry });
  const { chainId } = vault;
  return [
    { chainId: from.chainId, token: from.token },
    { chainId: from.chainId, token: zeroAddress },
    { chainId, token: zeroAddress },
    ...accepted.map(({ address }) => ({ chainId, token: address })),
  ];
}

/**
 * Starts requesting the market prices that a deposit may need, without waiting for them. For a direct deposit, whose
 * prices are for display only, just the paid token's, if it has no feed. Never throws.
 */
export function requestDepositPrices(
  ctx: Context,
  { order, kind }: { order: DepositOrder; kind: PreparedDeposit["kind"] },
): void {
  const { chainId, token } = order.from;
  const paid = { chainId, token };
  if (kind === "routed") requestMarketPrices(ctx, tokensOf(order));
  else if (!hasFeed(ctx, paid)) requestMarketPrices(ctx, [paid]);
}

/**
 * Returns the known prices of a deposit's tokens without sending requests (see `pricesOfRequest`), after waiting up to
 * two seconds for requested ones. An unknown price is absent. Never throws.
 */
export async function depositPrices(ctx: Context, { order }: PreparedDeposit): Promise<Prices> {
  return pricesOfRequest(ctx, tokensOf(order));
}

/** Values of a deposit in US dollars, times 10^18, rounded down. Null if the token's price or decimals are unknown. */
export interface DepositValues {
  /** Value of the payment. */
  paid: bigint | null;
  /**
   * Expected value that is deposited. For a direct deposit: the amount of the vault's deposit call, as in
   * `DirectDeposit`. For a routed one: the route's expected output. Also null for a move on one chain.
   */
  arrives: bigint | null;
}

/**
 * Returns the values, in US dollars times 10^18, of a deposit's payment and of the amount that is expected to be
 * deposited. Pure.
 */
export function valueDeposit(prepared: PreparedDeposit, prices: Prices): DepositValues {
  const { from, vault } = prepared.order;
  const value = (amount: bigint, of: ChainToken & { decimals: number | null }): bigint | null => {
    const price = priceOf(prices, of);
    if (price === null || of.decimals === null) return null;
    return valueInUsd(amount, { decimals: of.decimals, usd: price.usd });
  };
  const arrived = (amount: bigint, { address, decimals }: Token) =>
    value(amount, { chainId: vault.chainId, token: address, decimals });
  if (prepared.kind === "direct") {
    const { intent, depositAmount } = prepared.direct;
    return {
      paid: arrived(from.amount, intent.token),
      // A move pays with shares, and its deposit is in another token.
      arrives: prepared.quoteType === "move" ? null : arrived(depositAmount, intent.token),
    };
  }
  const { fromDecimals, route, token } = prepared.routed;
  return {
    paid: value(from.amount, { chainId: from.chainId, token: from.token, decimals: fromDecimals }),
    arrives: arrived(route.toAmount, token),
  };
}

/** Gas fees by chain id. A value is null if the chain is not served or its fees could not be read. */
export type FeesByChain = ReadonlyMap<number, GasFees | null>;

const CachedFees: z.ZodType<GasFees | null> = z
  .object({ gasPrice: z.bigint(), dataFeePerByte: z.bigint() })
  .nullable();

/**
 * Reads the gas fees of several chains, from a cache that may be up to five minutes old. A chain that cannot be read
 * gets null. Never throws.
 */
export async function readDepositFees(ctx: Context, chainIds: readonly number[]): Promise<FeesByChain> {
  const read = async (chainId: number): Promise<GasFees | null> => {
    const client = ctx.chains.client(chainId);
    if (client === null) return null;
    try {
      const { value } = await ctx.cache.cached({
        key: `gas:${chainId}`,
        schema: CachedFees,
        freshMs: 15 * SECOND_MS,
        staleMs: MINUTE_MS,
        keepMs: 5 * MINUTE_MS,
        load: () => readGasFees(client),
      });
      return value;
    } catch (error) {
      ctx.log.warn("gas_fees_unreadable", { chain_id: chainId, error: describeError(error) });
      return null;
    }
  };
  const distinct = [...new Set(chainIds)];
  return new Map(await Promise.all(distinct.map(async (id) => [id, await read(id)] as const)));
}

/** Gas fees, and the prices of the native currencies in which they are paid. */
export interface GasMarket {
  fees: FeesByChain;
  prices: Prices;
}

/** Calldata size in bytes that is assumed for a transaction that was not built. */
const ASSUMED_DATA_BYTES = 1_500;

/** A signature of the usual size, in place of the one that is not made yet. */
const SIGNATURE: Hex = `0x${"00".repeat(65)}`;

/** Returns the size in bytes of the first transaction's calldata: of the signed order, or `unsigned` without one. */
function sizeOfFirst(authorization: PlannedAuthorization | null, unsigned: Hex): number {
  return size(authorization === null ? unsigned : signedCalldata(authorization, SIGNATURE));
}

/**
 * Returns the gas cost of a built deposit in US dollars, rounded down: the user's transactions without approvals and
 * claims. Null if the fees or a native currency's price are unknown.
 */
export function builtGasCost(prepared: PreparedDeposit, market: GasMarket): string | null {
  const { from, vault } = prepared.order;
  if (prepared.kind === "direct") {
    const { deposit, simulated } = prepared.direct;
    const one = { gasUsed: simulated.gasUsed, dataBytes: sizeOfFirst(prepared.authorization, deposit.data) };
    return formatUsdValue(valueOfGas(vault.chainId, { ...market, ...one }));
  }
  const { source, route, end, authorization } = prepared.routed;
  const first = { gasUsed: source.gasUsed, dataBytes: sizeOfFirst(authorization, route.transaction.data) };
  const cost = valueOfGas(from.chainId, { ...market, ...first });
  if (cost === null || end.kind === "one_step") return formatUsdValue(cost);
  const { deposit, simulated } = end.deposit;
  const second = { gasUsed: simulated.gasUsed, dataBytes: size(deposit.data) };
  const further = valueOfGas(vault.chainId, { ...market, ...second });
  return formatUsdValue(further === null ? null : cost + further);
}

/**
 * Returns the gas cost of a quoted route in US dollars, rounded down, by the provider's gas estimate, without the
 * user's own deposit after a delivery. Null if the estimate, the fees or the price are unknown.
 */
export function quotedGasCost(
  { gas }: Pick<TransferQuote, "gas">,
  on: GasMarket & { chainId: number },
): string | null {
  if (gas === null) return null;
  return formatUsdValue(valueOfGas(on.chainId, { ...on, gasUsed: gas, dataBytes: ASSUMED_DATA_BYTES }));
}

function valueOfGas(chainId: number, of: GasMarket & { gasUsed: bigint; dataBytes: number }): bigint | null {
  const fees = of.fees.get(chainId) ?? null;
  const native = priceOf(of.prices, { chainId, token: zeroAddress });
  if (fees === null || native === null) return null;
  return valueInUsd(gasCost(fees, of), { decimals: 18, usd: native.usd });
}

/** Scale of a price impact with four decimals. */
const IMPACT_SCALE = 10_000n;

/**
 * Returns the fraction of the paid value that swaps and bridges cost, as a decimal string with four decimals, rounded
 * up: `0.0025` is 0.25%, and a gain is negative. Null if a value is unknown or the paid value is zero.
 */
export function priceImpact({ paid, arrives }: DepositValues): string | null {
  if (paid === null || arrives === null || paid <= 0n) return null;
  const lost = (paid - arrives) * IMPACT_SCALE;
  const parts = lost > 0n ? (lost + paid - 1n) / paid : lost / paid;
  const digits = (parts < 0n ? -parts : parts).toString().padStart(5, "0");
  return `${parts < 0n ? "-" : ""}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
