import type { BridgeToken } from "../../bridge/world.ts";
import { type Ask, isAllowed } from "./ask.ts";
import { type BridgePlan, type BridgeTool, bridgedToken, bridgeTools, planBridge } from "./bridge-plan.ts";
import { NoQuote } from "./errors.ts";
import { exchangeQuote } from "./exchange.ts";

/** Tool keys of `GET /tools`. */
const BRIDGE_TOOL = "across";
/** Key of the local exchange. */
export const EXCHANGE_TOOL = "localdex";
const PPM = 1_000_000n;
/** LI.FI's fixed fee is the amount divided by this: 0.25 %. */
const FEE_DIVISOR = 400n;

/** A swap on the source chain. Amounts in smallest units. */
export interface SwapPlan {
  from: BridgeToken;
  to: BridgeToken;
  amountIn: bigint;
  expected: bigint;
  least: bigint;
}

/** A route: fee, optional swap, optional bridge, optional calls. */
export interface Plan {
  ask: Ask;
  /** Fee in the sent token; zero for amounts too small. */
  fee: bigint;
  swap: SwapPlan | null;
  bridge: BridgePlan | null;
  /** Amount delivered before any call. */
  toAmount: bigint;
  toAmountMin: bigint;
}

/** Plans a route by the tool that delivers most, LI.FI's default order. Throws {@link NoQuote}. */
export function planMove(ask: Ask): Plan {
  const { plans, refusals } = planMoves(ask);
  const [plan] = plans.sort((a, b) => (a.toAmount === b.toAmount ? 0 : a.toAmount > b.toAmount ? -1 : 1));
  if (plan !== undefined) return plan;
  // The error of the preferred tool.
  throw refusals[0] ?? new NoQuote(BRIDGE_TOOL, null);
}

/** Plans a route by every possible tool and collects the errors of the others. */
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
  // The slippage covers the whole route; for bridges other than Across the swap gets half of it.
  const slippage = tool === null || tool === BRIDGE_TOOL ? ask.slippage : ask.slippage / 2n;
  const swap = planSwap(ask, { to: target, amountIn: left, slippage });
  const [sent, sentLeast] = [swap?.expected ?? left, swap?.least ?? left];
  if (tool === null) return { ask, fee, swap, bridge: null, toAmount: sent, toAmountMin: sentLeast };
  const bridge = planBridge(ask, { tool, input: target, sent, sentLeast });
  return { ask, fee, swap, bridge, toAmount: bridge.expected, toAmountMin: bridge.least };
}

/** Plans the swap: into the requested token on one chain, into the bridge's token otherwise. */
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
