import { isAddressEqual } from "viem";
import type { MoveOption, MoveRequest, ProviderScope } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./client.ts";
import { noRoute, rejected, toolReasons } from "./errors.ts";
import type { LifiContext } from "./lifi-context.ts";
import { PROVIDER_NAME, toOption } from "./option.ts";
import { requestedTools, slippageFor } from "./request.ts";
import { LifiErrorBody, type LifiRoute, LifiRoutes } from "./schema.ts";
import { checkAction } from "./verify/envelope.ts";

/**
 * Prices a move by every bridge that can be verified, or by swaps on one chain; without a transaction. A call
 * at the end is left out of the price: what is delivered to it is what counts.
 * Throws `no_route`, `rate_limited`, `upstream_rejected`, `upstream_unavailable`, `upstream_timeout`.
 * Source: LI.FI `POST /advanced/routes`.
 */
export async function quoteMove(
  context: LifiContext,
  input: { scope: ProviderScope; request: MoveRequest },
): Promise<MoveOption[]> {
  const { scope, request } = input;
  const tools = requestedTools(context, request);
  if (tools === null && isAddressEqual(request.fromToken, request.toToken)) return [unswapped(request)];
  const answer = await context.client.ask(scope, {
    family: "routes",
    path: "/advanced/routes",
    body: routesBody(request, { tools, integrator: context.integrator }),
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiRoutes,
  });
  if (answer.routes.length === 0) throw noRoute(reasonsOf(answer.unavailableRoutes));
  const options = answer.routes.flatMap((route) => optionOf(route, { request, tools }));
  if (options.length === 0) throw rejected("routes");
  return options;
}

function routesBody(request: MoveRequest, options: { tools: string[] | null; integrator: string }): unknown {
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
      slippage: slippageFor(request),
      allowSwitchChain: false,
      allowDestinationCall: false,
      ...(options.tools === null ? {} : { bridges: { allow: options.tools } }),
    },
  };
}

/** A route of one signature over one of the tools asked for, with sound figures; otherwise nothing. */
function optionOf(route: LifiRoute, asked: { request: MoveRequest; tools: string[] | null }): MoveOption[] {
  const [step] = route.steps;
  if (step === undefined || route.steps.length !== 1) return [];
  if (asked.tools !== null && !asked.tools.includes(step.tool)) return [];
  try {
    checkAction(asked.request, step);
  } catch {
    return [];
  }
  const { toAmount, toAmountMin } = step.estimate;
  return toAmountMin > 0n && toAmountMin <= toAmount ? [toOption(step, { toAmount, toAmountMin })] : [];
}

function reasonsOf(unavailable: unknown) {
  const parsed = LifiErrorBody.safeParse({ errors: unavailable });
  const reasons = parsed.success ? toolReasons(parsed.data.errors) : [];
  return reasons.length > 0 ? reasons : (["no_quote"] as const);
}

/** The same token on the same chain, moved by the call alone. */
function unswapped(request: MoveRequest): MoveOption {
  return {
    provider: PROVIDER_NAME,
    bridge: null,
    bridgeName: null,
    bridgeLogo: null,
    toAmount: request.amount,
    toAmountMin: request.amount,
    estimatedSeconds: null,
    gasCostUsd: null,
    fromAmountUsd: null,
  };
}
