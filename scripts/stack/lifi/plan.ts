import { limitsOf, PCT, type RelayFees, relayFees } from "../bridge/fees.ts";
import { type BridgeToken, isNative, tokenOfAsset } from "../bridge/world.ts";
import { type Ask, isAllowed } from "./ask.ts";
import { NoQuote } from "./errors.ts";
import { exchangeQuote } from "./exchange.ts";

/** Keys of `GET /tools`. */
export const BRIDGE_TOOL = "across";
export const EXCHANGE_TOOL = "localdex";
const PPM = 1_000_000n;
/** LI.FI's fixed fee: a quarter of a percent of what is sent. */
const FEE_DIVISOR = 400n;

/** A swap on the source chain. Amounts in smallest units. */
export interface SwapPlan {
  from: BridgeToken;
  to: BridgeToken;
  amountIn: bigint;
  expected: bigint;
  least: bigint;
}

/** A delivery by Across. */
export interface BridgePlan {
  input: BridgeToken;
  output: BridgeToken;
  /** What is bridged, expected and at least: they differ after a swap. */
  sent: bigint;
  sentLeast: bigint;
  /** Parts of 10^18 of what is really bridged that the relayer must deliver. */
  multiplier: bigint;
  fees: RelayFees;
  expected: bigint;
  least: bigint;
}

/** How a move is made: a fee, then a swap or none, then the bridge or none, then calls or none. */
export interface Plan {
  ask: Ask;
  /** What pays the fee, in the token that is sent; dust pays none. */
  fee: bigint;
  swap: SwapPlan | null;
  bridge: BridgePlan | null;
  /** What is delivered before any call. */
  toAmount: bigint;
  toAmountMin: bigint;
}

/** Plans a move. Throws {@link NoQuote}. */
export function planMove(ask: Ask): Plan {
  const crosses = ask.fromChain !== ask.toChain;
  if (crosses && !isAllowed(ask.bridges, BRIDGE_TOOL)) throw new NoQuote(BRIDGE_TOOL, null);
  const fee = ask.amount / FEE_DIVISOR;
  const left = ask.amount - fee;
  const swap = planSwap(ask, left);
  if (!crosses) {
    return {
      ask,
      fee,
      swap,
      bridge: null,
      toAmount: swap?.expected ?? left,
      toAmountMin: swap?.least ?? left,
    };
  }
  const bridge = planBridge(ask, { swap, left });
  return { ask, fee, swap, bridge, toAmount: bridge.expected, toAmountMin: bridge.least };
}

/** On one chain a swap into what is asked for, before a bridge one into the asset that arrives. */
function planSwap(ask: Ask, amountIn: bigint): SwapPlan | null {
  const { from, fromChain, toChain } = ask;
  if (fromChain !== toChain && from.asset === ask.to.asset) return null;
  const to = fromChain === toChain ? ask.to : tokenOfAsset(fromChain, ask.to.asset);
  if (from === to) return null;
  if (!isAllowed(ask.exchanges, EXCHANGE_TOOL)) throw new NoQuote(EXCHANGE_TOOL, null);
  const expected = exchangeQuote({ from, to }, amountIn);
  const least = (expected * (PPM - ask.slippage)) / PPM;
  if (least === 0n) throw new NoQuote(EXCHANGE_TOOL, "AMOUNT_TOO_LOW");
  return { from, to, amountIn, expected, least };
}

function planBridge(ask: Ask, { swap, left }: { swap: SwapPlan | null; left: bigint }): BridgePlan {
  const { to, toChain, calls } = ask;
  const output = isNative(to) ? tokenOfAsset(toChain, to.asset) : to;
  // The pool unwraps for an account without code, and calls are made with tokens only.
  const unwraps = calls.length === 0 && output.address === toChain.wrappedNative;
  if (unwraps !== isNative(to)) throw new NoQuote(BRIDGE_TOOL, "NO_POSSIBLE_ROUTE");
  const [sent, sentLeast] = [swap?.expected ?? left, swap?.least ?? left];
  const { minDeposit, maxDeposit } = limitsOf(to.asset);
  if (sentLeast < minDeposit) throw new NoQuote(BRIDGE_TOOL, "AMOUNT_TOO_LOW");
  if (sent > maxDeposit) throw new NoQuote(BRIDGE_TOOL, "AMOUNT_TOO_HIGH");
  const fees = relayFees(to.asset, sentLeast);
  const least = fees.outputAmount;
  // Rounded to the nearest, as captured quotes are: about every second transfer arrives with one unit less.
  const multiplier = (least * PCT + sentLeast / 2n) / sentLeast;
  const expected = swap === null ? least : (sent * multiplier) / PCT;
  const input = swap?.to ?? ask.from;
  return { input, output, sent, sentLeast, multiplier, fees, expected, least };
}
