import { type Address, isAddress, zeroAddress } from "viem";
import { type BridgeChain, type BridgeToken, isNative, tokenAt } from "../../bridge/bridge-chains.ts";
import { GAS_PRICE } from "../lifi/costs.ts";
import { exchangeQuote } from "../lifi/exchange.ts";
import { usdValue } from "../lifi/wire-format.ts";
import { VeloraRefusal } from "./errors.ts";

/** Address of the native currency in the API. */
export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const BPS = 10_000n;
/** Fee of the executor's pools; see AugustusV6.sol. */
const POOL_FEE_BPS = 25n;
const GAS = 240_000n;
/** The contract function that swaps through an executor. */
const METHOD = "swapExactAmountIn";

/** A price with the tokens of the swap. Amounts are in the smallest unit. */
export interface FoundPrice {
  from: BridgeToken;
  to: BridgeToken;
  amountIn: bigint;
  amountOut: bigint;
  /** The price as the API shows it. */
  priceRoute: Record<string, unknown>;
}

/** Finds a price. Throws the API's errors. Source: `GET /prices`. */
export function findPrice(chain: BridgeChain, query: URLSearchParams): FoundPrice {
  if (query.get("version") !== "6.2") throw new VeloraRefusal("Validation failed: version");
  if ((query.get("side") ?? "SELL") !== "SELL") throw new VeloraRefusal("Validation failed: side");
  const [from, to] = [tokenIn(chain, { query, side: "src" }), tokenIn(chain, { query, side: "dest" })];
  const text = query.get("amount") ?? "";
  if (!/^[1-9][0-9]{0,77}$/.test(text)) throw new VeloraRefusal("Validation failed: amount");
  if (from.asset === to.asset) throw new VeloraRefusal("Invalid tokens");
  const methods = query.get("includeContractMethods");
  if (methods !== null && !methods.split(",").includes(METHOD))
    throw new VeloraRefusal("No routes found with enough liquidity", 404);
  const amountIn = BigInt(text);
  const amountOut = exchangeQuote({ from, to }, (amountIn * (BPS - POOL_FEE_BPS)) / BPS);
  if (amountOut === 0n) throw new VeloraRefusal("No routes found with enough liquidity", 404);
  const found = { from, to, amountIn, amountOut };
  return { ...found, priceRoute: describePrice(chain, found) };
}

function describePrice(chain: BridgeChain, found: Omit<FoundPrice, "priceRoute">): FoundPrice["priceRoute"] {
  const { from, to, amountIn, amountOut } = found;
  const native = chain.tokens.find(isNative);
  return {
    blockNumber: 1,
    network: chain.chainId,
    srcToken: nameOf(from).toLowerCase(),
    srcDecimals: from.decimals,
    srcAmount: amountIn.toString(),
    destToken: nameOf(to).toLowerCase(),
    destDecimals: to.decimals,
    destAmount: amountOut.toString(),
    bestRoute: [{ percent: 100, swaps: [{ srcToken: nameOf(from), destToken: nameOf(to) }] }],
    gasCostUSD: native === undefined ? "0" : usdValue(native, GAS * GAS_PRICE),
    gasCost: GAS.toString(),
    side: "SELL",
    version: "6.2",
    contractAddress: chain.contracts.veloraRouter,
    tokenTransferProxy: chain.contracts.veloraRouter,
    contractMethod: METHOD,
    partnerFee: 0,
    srcUSD: usdValue(from, amountIn),
    destUSD: usdValue(to, amountOut),
    partner: "anon",
    maxImpactReached: false,
    hmac: "00".repeat(20),
  };
}

/** Returns the address of a token in the API. */
export const nameOf = (token: BridgeToken): Address => (isNative(token) ? NATIVE : token.address);

/** Returns a listed token; the native currency has a name of its own, and decimals must be the token's. */
function tokenIn(
  chain: BridgeChain,
  { query, side }: { query: URLSearchParams; side: "src" | "dest" },
): BridgeToken {
  const text = query.get(`${side}Token`) ?? "";
  const native = text === NATIVE;
  if (!isAddress(text, { strict: false }) || (text.toLowerCase() === NATIVE.toLowerCase() && !native))
    throw new VeloraRefusal(`Invalid ${side}Token`);
  const token = text === zeroAddress ? null : tokenAt(chain, native ? zeroAddress : text);
  if (token === null) throw new VeloraRefusal(`Token ${text} Not Found`);
  if (query.get(`${side}Decimals`) !== token.decimals.toString())
    throw new VeloraRefusal(`Validation failed: ${side}Decimals`);
  return token;
}
