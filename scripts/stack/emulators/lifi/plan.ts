import type { BridgeToken } from "../../bridge/world.ts";
import { type Ask, isAllowed } from "./ask.ts";
import { type BridgePlan, type BridgeTool, bridgedToken, bridgeTools, planBridge } from "./bridge-plan.ts";
import { NoQuote } from "./errors.ts";
import { exchangeQuote } from "./exchange.ts";

/** Keys of `GET /tools`. */
const BRIDGE_TOOL = "across";
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

/** Plans a move by the tool that delivers most, as LI.FI's order is by default. Throws {@link NoQuote}. */
export function planMove(ask: Ask): Plan {
  const { plans, refusals } = planMoves(ask);
  const [plan] = plans.sort((a, b) => (a.toAmount === b.toAmount ? 0 : a.toAmount > b.toAmount ? -1 : 1));
  if (plan !== undefined) return plan;
  // Why the tool that would have been taken cannot; the others say no more.
  throw refusals[0] ?? new NoQuote(BRIDGE_TOOL, null);
}

/** Plans a move by every tool that can make it, and says why the others cannot. */
export function planMoves(ask: Ask): { plans: Plan[]; refusals: NoQuote[] } {
  const crosses = ask.fromChain !== ask.toChain;
  const tools = crosses ? bridgeTools.filter((tool) => isAllowed(ask.bridges, tool)) : [null];
  const plans: Plan[] = [];
  const refusals: NoQuote[] = [];
  for (const tool of tools) {
    try {
      plans.push(planBy(ask, tool));
    } catch (error) {
      if (!(error instanceof NoQuote)) throw error;
      refusals.push(error);
    }
  }
  return { plans, refusals };
}

function planBy(ask: Ask, tool: BridgeTool | null): Plan {
  const fee = ask.amount / FEE_DIVISOR;
  const left = ask.amount - fee;
  const target = tool === null ? ask.to : bridgedToken(ask, tool);
  // What is allowed to be lost is for the whole way: of other bridges than Across the swap leaves them half.
  const slippage = tool === null || tool === BRIDGE_TOOL ? ask.slippage : ask.slippage / 2n;
  const swap = planSwap(ask, { to: target, amountIn: left, slippage });
  const [sent, sentLeast] = [swap?.expected ?? left, swap?.least ?? left];
  if (tool === null) return { ask, fee, swap, bridge: null, toAmount: sent, toAmountMin: sentLeast };
  const bridge = planBridge(ask, { tool, input: target, sent, sentLeast });
  return { ask, fee, swap, bridge, toAmount: bridge.expected, toAmountMin: bridge.least };
}

/** On one chain a swap into what is asked for, before a bridge one into what it takes. */
function planSwap(
  ask: Ask,
  { to, amountIn, slippage }: { to: BridgeToken; amountIn: bigint; slippage: bigint },
): SwapPlan | null {
  const { from } = ask;
  if (from === to) return null;
  if (!isAllowed(ask.exchanges, EXCHANGE_TOOL)) throw new NoQuote(EXCHANGE_TOOL, null);
  const expected = exchangeQuote({ from, to }, amountIn);
  const least = (expected * (PPM - slippage)) / PPM;
  if (least === 0n) throw new NoQuote(EXCHANGE_TOOL, "AMOUNT_TOO_LOW");
  return { from, to, amountIn, expected, least };
}
