import { isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../lib/address.ts";
import type { ProviderScope, TransferQuote, TransferRequest } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./api/lifi-client.ts";
import { lifiRejection, noLifiRoute, toolErrorReasons } from "./api/lifi-errors.ts";
import { LifiErrorBody, type LifiRoute, LifiRoutes } from "./api/lifi-schemas.ts";
import type { LifiContext } from "./lifi-context.ts";
import { LIFI_KEY, quoteFromStep } from "./lifi-quote-from-step.ts";
import { lifiSlippage, requestedTools, toolDeliveryModes, toolsFor } from "./lifi-tool-selection.ts";
import { checkQuotedAction } from "./verify/verify-lifi-envelope.ts";

/**
 * Requests LI.FI's quotes for a transfer: for each verifiable bridge, the one with the highest minimum, or one for a
 * swap on one chain. A call there that spends the paid token needs no request. Amounts are those before a destination
 * call. Throws `no_route`, `rate_limited`, `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. Source:
 * LI.FI `POST /advanced/routes`.
 */
export async function quoteLifiTransfer(
  context: LifiContext,
  input: { scope: ProviderScope; request: TransferRequest },
): Promise<TransferQuote[]> {
  const { scope, request } = input;
  const { priced, tools } = toPricedRequest(context, request);
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
  const modesOf = (tool: string) => deliveryModesOf(context, { request, tool });
  const quotes = answer.routes.flatMap((route) =>
    route === null ? [] : quoteFromRoute(route, { priced, tools, modesOf }),
  );
  if (quotes.length === 0) throw lifiRejection("routes");
  return bestOfEachBridge(quotes);
}

/**
 * Returns, for each bridge, the quote with the highest minimum amount. The other quotes cannot be chosen: a
 * transaction is requested by bridge, and LI.FI picks its best tool.
 */
function bestOfEachBridge(quotes: readonly TransferQuote[]): TransferQuote[] {
  const best = new Map<string | null, TransferQuote>();
  for (const quote of quotes) {
    const other = best.get(quote.bridge);
    if (other === undefined || quote.toAmountMin > other.toAmountMin) best.set(quote.bridge, quote);
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
 * Returns the request to quote, and the tools that may serve it (null for any). If a tool can deliver the requested
 * wrapped native token only into a call, native currency is quoted instead, at the same cost. Throws `no_route` without
 * a tool.
 */
function toPricedRequest(
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

/**
 * Returns whether a LI.FI tool can deliver into a destination call, and whether to the user. On one chain a
 * call needs an ERC-20 token.
 */
function deliveryModesOf(
  { deployments }: LifiContext,
  { request, tool }: { request: TransferRequest; tool: string },
): DeliveryModes {
  if (request.fromChainId !== request.toChainId) return toolDeliveryModes(deployments, { request, tool });
  return { supportsCall: !isNative(request.toToken), supportsPlain: request.call === null };
}

/** Whether a transfer can be delivered into a destination call, and whether to the user. */
type DeliveryModes = Pick<TransferQuote, "supportsCall" | "supportsPlain">;

/**
 * The request that LI.FI's routes must match, its allowed tools (null for any), and a function that returns
 * the possible deliveries of a tool.
 */
interface PricedRequest {
  priced: TransferRequest;
  tools: string[] | null;
  modesOf: (tool: string) => DeliveryModes;
}

/**
 * Returns the quote of a LI.FI route, or an empty list if the route needs several transactions, uses a tool that was
 * not requested, does not match the request, or states a minimum that is zero or above the expected amount.
 */
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
  return [quoteFromStep(step, { toAmount, toAmountMin, ...asked.modesOf(step.tool) })];
}

/**
 * Returns the `no_route` reasons that LI.FI gives for the absence of routes, or `no_quote` if it gives none.
 */
function unavailableReasons(unavailable: unknown) {
  const parsed = LifiErrorBody.safeParse({ errors: unavailable });
  const reasons = parsed.success ? toolErrorReasons(parsed.data.errors) : [];
  return reasons.length > 0 ? reasons : (["no_quote"] as const);
}

/**
 * Returns the quote of a contract call on one chain that spends the paid token itself. No swap is needed, so its input
 * is exactly the amount paid.
 */
function quoteWithoutSwap(request: TransferRequest): TransferQuote {
  return {
    provider: LIFI_KEY,
    bridge: null,
    bridgeName: null,
    bridgeLogo: null,
    toAmount: request.amount,
    toAmountMin: request.amount,
    declaredFee: 0n,
    nativeFee: 0n,
    estimatedSeconds: null,
    gas: null,
    supportsCall: true,
    supportsPlain: false,
  };
}
