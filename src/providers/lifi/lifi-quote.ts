import { isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../lib/address.ts";
import type { ProviderScope, TransferQuote, TransferRequest } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./api/lifi-client.ts";
import { lifiRejection, noLifiRoute, toolErrorReasons } from "./api/lifi-errors.ts";
import { LifiErrorBody, type LifiRoute, LifiRoutes } from "./api/lifi-schemas.ts";
import type { LifiContext } from "./lifi-context.ts";
import { LIFI_KEY, quoteFromStep } from "./quote-from-step.ts";
import { lifiSlippage, requestedTools, toolDeliveryModes, toolsFor } from "./request-params.ts";
import { checkQuotedAction } from "./verify/verify-envelope.ts";

/**
 * Prices a move by every bridge that can be verified, or by swaps on one chain; without a transaction. A call
 * at the end is left out of the price: what is delivered to it is what counts.
 * Throws `no_route`, `rate_limited`, `upstream_rejected`, `upstream_unavailable`, `upstream_timeout`.
 * Source: LI.FI `POST /advanced/routes`.
 */
export async function quoteLifiTransfer(
  context: LifiContext,
  input: { scope: ProviderScope; request: TransferRequest },
): Promise<TransferQuote[]> {
  const { scope, request } = input;
  const { priced, tools } = toPriceable(context, request);
  if (tools === null && isAddressEqual(request.fromToken, request.toToken))
    return [quoteWithoutSwap(request)];
  const answer = await context.client.ask(scope, {
    family: "routes",
    path: "/advanced/routes",
    body: routesBody(priced, { tools, integrator: context.integrator }),
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiRoutes,
  });
  if (answer.routes.length === 0) throw noLifiRoute(unavailableReasons(answer.unavailableRoutes));
  const ends = (tool: string) => deliveryModesOf(context, { request, tool });
  const options = answer.routes.flatMap((route) =>
    route === null ? [] : quoteFromRoute(route, { priced, tools, ends }),
  );
  if (options.length === 0) throw lifiRejection("routes");
  return bestOfEachBridge(options);
}

/** Of a bridge's several tools the one that gives most: it is asked for by its bridge, and LI.FI takes the best. */
function bestOfEachBridge(options: readonly TransferQuote[]): TransferQuote[] {
  const best = new Map<string | null, TransferQuote>();
  for (const option of options) {
    const other = best.get(option.bridge);
    if (other === undefined || option.toAmountMin > other.toAmountMin) best.set(option.bridge, option);
  }
  return [...best.values()];
}

function routesBody(
  request: TransferRequest,
  options: { tools: string[] | null; integrator: string },
): unknown {
  return {
    fromChainId: request.fromChainId,
    toChainId: request.toChainId,
    fromTokenAddress: request.fromToken,
    toTokenAddress: request.toToken,
    fromAmount: request.amount.toString(),
    fromAddress: request.user,
    toAddress: request.user,
    options: {
      integrator: options.integrator,
      slippage: lifiSlippage(request),
      allowSwitchChain: false,
      allowDestinationCall: false,
      ...(options.tools === null ? {} : { bridges: { allow: options.tools } }),
    },
  };
}

/**
 * What to price, and over which tools. Wrapped native that only a call can take from Across, whose pool unwraps it
 * for anybody else, has the price of native itself. Throws `no_route`.
 */
function toPriceable(
  context: LifiContext,
  request: TransferRequest,
): { priced: TransferRequest; tools: string[] | null } {
  const { deployments } = context;
  const onOneChain = request.fromChainId === request.toChainId;
  if (request.call === null && !onOneChain && toolsFor(deployments, request).length === 0) {
    const tools = toolsFor(deployments, { ...request, call: "any" });
    const wrapped = deployments.get(request.toChainId)?.wrappedNative ?? null;
    const unwraps = wrapped !== null && isAddressEqual(request.toToken, wrapped);
    if (unwraps && tools.length > 0) return { priced: { ...request, toToken: zeroAddress }, tools };
  }
  return { priced: request, tools: requestedTools(context, request) };
}

/** How a route can end: on one chain, a call takes tokens only. */
function deliveryModesOf(
  { deployments }: LifiContext,
  { request, tool }: { request: TransferRequest; tool: string },
): DeliveryModes {
  if (request.fromChainId !== request.toChainId) return toolDeliveryModes(deployments, { request, tool });
  return { callable: !isNative(request.toToken), plain: request.call === null };
}

type DeliveryModes = Pick<TransferQuote, "callable" | "plain">;

interface PricedRequest {
  priced: TransferRequest;
  tools: string[] | null;
  ends: (tool: string) => DeliveryModes;
}

/** A route of one signature over one of the tools asked for, with sound figures; otherwise nothing. */
function quoteFromRoute(route: LifiRoute, asked: PricedRequest): TransferQuote[] {
  const [step] = route.steps;
  if (step === undefined || route.steps.length !== 1) return [];
  if (asked.tools !== null && !asked.tools.includes(step.tool)) return [];
  try {
    checkQuotedAction(asked.priced, step);
  } catch {
    return [];
  }
  const { toAmount, toAmountMin } = step.estimate;
  if (toAmountMin <= 0n || toAmountMin > toAmount) return [];
  return [quoteFromStep(step, { toAmount, toAmountMin, ...asked.ends(step.tool) })];
}

function unavailableReasons(unavailable: unknown) {
  const parsed = LifiErrorBody.safeParse({ errors: unavailable });
  const reasons = parsed.success ? toolErrorReasons(parsed.data.errors) : [];
  return reasons.length > 0 ? reasons : (["no_quote"] as const);
}

/** The same token on the same chain, moved by the call alone. */
function quoteWithoutSwap(request: TransferRequest): TransferQuote {
  return {
    provider: LIFI_KEY,
    bridge: null,
    bridgeName: null,
    bridgeLogo: null,
    toAmount: request.amount,
    toAmountMin: request.amount,
    estimatedSeconds: null,
    gasCostUsd: null,
    fromAmountUsd: null,
    toAmountUsd: null,
    callable: true,
    plain: false,
  };
}
