import type { Address } from "viem";
import type { TokenPrice } from "../../../src/prices/price.ts";
import { NATIVE, tokens } from "../lifi/parts.ts";
import { GNOSIS, USDC_100, WETH_100 } from "../velora/stage.ts";

/** A token with its true price in US dollars, times 10^18. */
export interface TradedToken {
  chainId: number;
  address: Address;
  decimals: number;
  usd: bigint;
  unit: string;
}

const USD = 10n ** 18n;
const dollar = (chainId: number, address: Address, decimals = 6): TradedToken => ({
  chainId,
  address,
  decimals,
  usd: USD,
  unit: "USD",
});
/** Price of the native currency of every test chain, in US dollars times 10^18. */
export const NATIVE_USD = 2_700n * USD;

const ether = (chainId: number, address: Address): TradedToken => ({
  chainId,
  address,
  decimals: 18,
  usd: NATIVE_USD,
  unit: "ETH",
});

export const WETH_42161: Address = "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1";

/** A deposit that a user requests: one token into a vault of another token. */
export interface Trade {
  name: string;
  from: TradedToken;
  to: TradedToken;
  amount: bigint;
  slippage: number;
  /** `router`: the vault can be reached in one step; `user`: only in two steps. */
  caller: "router" | "user";
  /** LI.FI's tools that support the trade. */
  tools: readonly string[];
  /** True if Across supports the trade without LI.FI. */
  across: boolean;
  same: boolean;
}

const CARRIERS = ["across", "stargateV2", "celercircle", "polymerStandard"] as const;
const bridged: Omit<Trade, "name"> = {
  from: dollar(8453, tokens.usdc[8453]),
  to: dollar(42161, tokens.usdc[42161]),
  amount: 5_000_000_000n,
  slippage: 0.03,
  caller: "router",
  tools: CARRIERS,
  across: true,
  same: true,
};
const swapped: Omit<Trade, "name"> = {
  ...bridged,
  from: ether(1, tokens.weth[1]),
  amount: 2n * 10n ** 18n,
  across: false,
  same: false,
};
const onBase: Omit<Trade, "name"> = {
  ...swapped,
  from: ether(8453, tokens.weth[8453]),
  to: dollar(8453, tokens.usdc[8453]),
  tools: ["fly"],
};

const onGnosis: Omit<Trade, "name"> = {
  ...onBase,
  from: ether(GNOSIS, WETH_100),
  to: dollar(GNOSIS, USDC_100),
};

/** The trades that are attacked. They cover every kind of route into a vault. */
export const trades: readonly Trade[] = [
  { ...bridged, name: "USDC bridged, one step" },
  { ...bridged, name: "USDC bridged, two steps", caller: "user" },
  { ...bridged, name: "USDC bridged at 0.5 %", slippage: 0.005 },
  { ...bridged, name: "a little USDC bridged", amount: 40_000_000n },
  {
    ...bridged,
    name: "USDC of 18 decimals bridged",
    from: dollar(56, tokens.usdc[56], 18),
    amount: 5_000n * 10n ** 18n,
    tools: ["across", "stargateV2"],
    across: false,
  },
  {
    ...bridged,
    name: "WETH bridged",
    from: ether(8453, tokens.weth[8453]),
    to: ether(42161, WETH_42161),
    amount: 2n * 10n ** 18n,
    tools: ["across"],
  },
  { ...swapped, name: "WETH swapped and bridged, one step" },
  { ...swapped, name: "WETH swapped and bridged, two steps", caller: "user" },
  { ...swapped, name: "ETH swapped and bridged", from: ether(1, NATIVE) },
  { ...onBase, name: "WETH swapped on one chain, one step" },
  { ...onBase, name: "WETH swapped on one chain, two steps", caller: "user" },
  { ...onBase, name: "ETH swapped on one chain", from: ether(8453, NATIVE) },
  { ...onGnosis, name: "WETH swapped on Gnosis, one step" },
  { ...onGnosis, name: "WETH swapped on Gnosis, two steps", caller: "user" },
];

/** Returns the exchange beside LI.FI that serves a trade, or null for a trade across chains. */
export function exchangeOf({ from, to }: Pick<Trade, "from" | "to">): "kyber" | "velora" | null {
  if (from.chainId !== to.chainId) return null;
  return from.chainId === GNOSIS ? "velora" : "kyber";
}

/** Declared error of the tests' price feeds, in basis points. */
export const FEED_ERROR_BPS = 25;

/** Returns a token's price as the service would read it from a feed. */
export function priceOfToken(token: TradedToken): TokenPrice {
  const { usd, unit } = token;
  const known = { usd, low: usd, high: usd, unit, disputed: false, judges: true };
  return { ...known, source: "feed", at: 1_790_000_000, confidence: null, errorBps: FEED_ERROR_BPS };
}

/** Returns the native currency of a trade's source chain, in which additional fees are paid. */
export const nativeOf = ({ from }: Pick<Trade, "from">): TradedToken => ether(from.chainId, NATIVE);

/** Returns the value of a trade's payment in the requested token's smallest unit, at the true prices, rounded down. */
export function fairOutput({ from, to, amount }: Pick<Trade, "from" | "to" | "amount">): bigint {
  return (amount * from.usd * 10n ** BigInt(to.decimals)) / (to.usd * 10n ** BigInt(from.decimals));
}
