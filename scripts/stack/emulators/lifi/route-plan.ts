import type { BridgeToken } from "../../bridge/bridge-chains.ts";
import {
  type BridgePlan,
  type BridgeTool,
  bridgeTools,
  planBridge,
  sourceBridgeToken,
} from "./bridge-plan.ts";
import { NoQuote } from "./errors.ts";
import { exchangeQuote } from "./exchange.ts";
import { isAllowed, type QuoteRequest } from "./quote-request.ts";

/** Tool keys of `GET /tools`. */
const BRIDGE_TOOL = "across";
/** Key of the local exchange. */
export const EXCHANGE_TOOL = "localdex";
const PPM = 1_000_000n;
/** Divisor of an amount that yields LI.FI's fixed fee of 0.25 %. */
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
export interface RoutePlan {
  request: QuoteRequest;
  /** Fee in the sent token; zero for amounts too small. */
  fee: bigint;
  swap: SwapPlan | null;
  bridge: BridgePlan | null;
  /** Amount delivered before any call. */
  toAmount: bigint;
  toAmountMin: bigint;
}

/** Plans a route by the tool that delivers most, LI.FI's default order. Throws {@link NoQuote}. */
export function planRoute(request: QuoteRequest): RoutePlan {
  const { plans, refusals } = planRoutes(request);
  const [plan] = plans.sort((a, b) => (a.toAmount === b.toAmount ? 0 : a.toAmount > b.toAmount ? -1 : 1));
  if (plan !== undefined) return plan;
  // The error of the preferred tool.
  throw refusals[0] ?? new NoQuote(BRIDGE_TOOL, null);
}

/** Plans a route by every possible tool and collects the errors of the others. */
export function planRoutes(request: QuoteRequest): { plans: RoutePlan[]; refusals: NoQuote[] } {
  const crosses = request.fromChain !== request.toChain;
  const tools = crosses ? bridgeTools.filter((tool) => isAllowed(request.bridges, tool)) : [null];
  const plans: RoutePlan[] = [];
  const refusals: NoQuote[] = [];
  for (const tool of tools) {
    try {
      plans.push(planBy(request, tool));
    } catch (error) {
      if (!(error instanceof NoQuote)) throw error;
      refusals.push(error);
    }
  }
  return { plans, refusals };
}

function planBy(request: QuoteRequest, tool: BridgeTool | null): RoutePlan {
  const fee = request.amount / FEE_DIVISOR;
  const left = request.amount - fee;
  const target = tool === null ? request.to : sourceBridgeToken(request, tool);
  // The slippage covers the whole route; for bridges other than Across the swap gets half of it.
  const slippage = tool === null || tool === BRIDGE_TOOL ? request.slippage : request.slippage / 2n;
  const swap = planSwap(request, { to: target, amountIn: left, slippage });
  const [sent, sentLeast] = [swap?.expected ?? left, swap?.least ?? left];
  if (tool === null) return { request, fee, swap, bridge: null, toAmount: sent, toAmountMin: sentLeast };
  const bridge = planBridge(request, { tool, input: target, sent, sentLeast });
  return { request, fee, swap, bridge, toAmount: bridge.expected, toAmountMin: bridge.least };
}

/** Plans the swap: into the requested token on one chain, into the bridge's token otherwise. */
function planSwap(
  request: QuoteRequest,
  { to, amountIn, slippage }: { to: BridgeToken; amountIn: bigint; slippage: bigint },
): SwapPlan | null {
  const { from } = request;
  if (from === to) return null;
  if (!isAllowed(request.exchanges, EXCHANGE_TOOL)) throw new NoQuote(EXCHANGE_TOOL, null);
  const expected = exchangeQuote({ from, to }, amountIn);
  const least = (expected * (PPM - slippage)) / PPM;
  if (least === 0n) throw new NoQuote(EXCHANGE_TOOL, "AMOUNT_TOO_LOW");
  return { from, to, amountIn, expected, least };
}
