import { type Address, isAddress, keccak256, stringToHex, zeroAddress } from "viem";
import { type BridgeChain, type BridgeToken, isNative, tokenAt } from "../../bridge/bridge-chains.ts";
import { GAS_PRICE } from "../lifi/costs.ts";
import { exchangeQuote } from "../lifi/exchange.ts";
import { usdValue } from "../lifi/wire-format.ts";
import { invalidField, SwapRefusal } from "./errors.ts";

/** Address of the native currency in the API. */
export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const BPS = 10_000n;
/** Fee of the executor's pools; see MetaAggregationRouter.sol. */
const POOL_FEE_BPS = 30n;
const GAS = 260_000n;
/** An integer that a double cannot represent, like those in the real service's pool data. */
const SQRT_PRICE = "79228162514264337593543950336123";

/** A route as text: the whole response and its summary, which a build must repeat unchanged. */
export interface FoundRoute {
  body: string;
  summary: string;
  checksum: string;
}

/** Finds a route. Throws the API's errors: `4000`, `4008`, `4011`. Source: `GET /{chain}/api/v1/routes`. */
export function findRoute(chain: BridgeChain, query: URLSearchParams): FoundRoute {
  const tokenIn = addressOf(query, "tokenIn");
  const tokenOut = addressOf(query, "tokenOut");
  if (tokenIn.toLowerCase() === tokenOut.toLowerCase())
    throw invalidField("tokenIn", "identical with tokenOut");
  const text = query.get("amountIn") ?? "";
  if (!/^[1-9][0-9]{0,77}$/.test(text)) throw invalidField("amountIn", text === "" ? "required" : "invalid");
  const [from, to] = [listed(chain, tokenIn), listed(chain, tokenOut)];
  const amountIn = BigInt(text);
  const amountOut = swapOutput({ from, to }, amountIn);
  if (from.asset === to.asset || amountOut === 0n)
    throw new SwapRefusal(4008, { message: "route not found" });
  const fields = describeRoute(chain, { from, to, tokenIn, tokenOut, amountIn, amountOut });
  const checksum = BigInt(keccak256(stringToHex(fields)).slice(0, 18)).toString();
  const summary = `{${fields},"checksum":"${checksum}"}`;
  const data = `{"routeSummary":${summary},"routerAddress":"${chain.contracts.kyberRouter}"}`;
  return {
    summary,
    checksum,
    body: `{"code":0,"message":"successfully","data":${data},"requestId":"local"}`,
  };
}

/** Returns the executor's output for an amount: the exchange's output after the pools' fee. */
function swapOutput(pair: { from: BridgeToken; to: BridgeToken }, amountIn: bigint): bigint {
  return exchangeQuote(pair, (amountIn * (BPS - POOL_FEE_BPS)) / BPS);
}

interface Swap {
  from: BridgeToken;
  to: BridgeToken;
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  amountOut: bigint;
}

/** Returns the fields of a route's summary as JSON text, without the braces. */
function describeRoute(chain: BridgeChain, swap: Swap): string {
  const { from, to, tokenIn, tokenOut } = swap;
  const [amountIn, amountOut] = [swap.amountIn.toString(), swap.amountOut.toString()];
  const native = chain.tokens.find(isNative);
  const gasUsd = native === undefined ? "0" : usdValue(native, GAS * GAS_PRICE);
  const summary = {
    tokenIn: tokenIn.toLowerCase(),
    amountIn,
    amountInUsd: usdValue(from, swap.amountIn),
    tokenOut: tokenOut.toLowerCase(),
    amountOut,
    amountOutUsd: usdValue(to, swap.amountOut),
    gas: GAS.toString(),
    gasPrice: GAS_PRICE.toString(),
    gasUsd,
    extraFee: { feeAmount: "0", chargeFeeBy: "", isInBps: false, feeReceiver: "" },
    timestamp: Math.floor(Date.now() / 1000),
  };
  const pool = `"pool":"${chain.contracts.exchange}","swapAmount":"${amountIn}","amountOut":"${amountOut}"`;
  const route = `[[{${pool},"exchange":"local","poolType":"local","poolExtra":{"sqrtPriceX96":${SQRT_PRICE}}}]]`;
  return `${JSON.stringify(summary).slice(1, -1)},"route":${route}`;
}

function addressOf(query: URLSearchParams, name: string): Address {
  const text = query.get(name) ?? "";
  if (text === "") throw invalidField(name, "required");
  if (!isAddress(text, { strict: false })) throw invalidField(name, "invalid");
  return text;
}

/** Returns a listed token; the native currency is listed under the zero address. Throws `4011`. */
export function listed(chain: BridgeChain, address: Address): BridgeToken {
  const native = address.toLowerCase() === NATIVE.toLowerCase();
  const token = address === zeroAddress ? null : tokenAt(chain, native ? zeroAddress : address);
  if (token === null) throw new SwapRefusal(4011, { message: "token not found" });
  return token;
}
