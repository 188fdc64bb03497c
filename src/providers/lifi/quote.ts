import { isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../lib/address.ts";
import type { MoveOption, MoveRequest, ProviderScope } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./client.ts";
import { noRoute, rejected, toolReasons } from "./errors.ts";
import type { LifiContext } from "./lifi-context.ts";
import { PROVIDER_NAME, toOption } from "./option.ts";
import { requestedTools, slippageFor } from "./request.ts";
import { LifiErrorBody, type LifiRoute, LifiRoutes } from "./schema.ts";
import { endsOf, toolsFor } from "./tools.ts";
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
  const { priced, tools } = priceable(context, request);
  if (tools === null && isAddressEqual(request.fromToken, request.toToken)) return [unswapped(request)];
  const answer = await context.client.ask(scope, {
    family: "routes",
    path: "/advanced/routes",
    body: routesBody(priced, { tools, integrator: context.integrator }),
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiRoutes,
  });
  if (answer.routes.length === 0) throw noRoute(reasonsOf(answer.unavailableRoutes));
  const ends = (tool: string) => endsFor(context, { request, tool });
  const options = answer.routes.flatMap((route) =>
    route === null ? [] : optionOf(route, { priced, tools, ends }),
  );
  if (options.length === 0) throw rejected("routes");
  return bestOfEach(options);
}

/** Of a bridge's several tools the one that gives most: it is asked for by its bridge, and LI.FI takes the best. */
function bestOfEach(options: readonly MoveOption[]): MoveOption[] {
  const best = new Map<string | null, MoveOption>();
  for (const option of options) {
    const other = best.get(option.bridge);
    if (other === undefined || option.toAmountMin > other.toAmountMin) best.set(option.bridge, option);
  }
  return [...best.values()];
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

/**
 * What to price, and over which tools. Wrapped native that only a call can take from Across, whose pool unwraps it
 * for anybody else, has the price of native itself. Throws `no_route`.
 */
function priceable(
  context: LifiContext,
  request: MoveRequest,
): { priced: MoveRequest; tools: string[] | null } {
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
function endsFor(
  { deployments }: LifiContext,
  { request, tool }: { request: MoveRequest; tool: string },
): Ends {
  if (request.fromChainId !== request.toChainId) return endsOf(deployments, { request, tool });
  return { callable: !isNative(request.toToken), plain: request.call === null };
}

type Ends = Pick<MoveOption, "callable" | "plain">;

interface Asked {
  priced: MoveRequest;
  tools: string[] | null;
  ends: (tool: string) => Ends;
}

/** A route of one signature over one of the tools asked for, with sound figures; otherwise nothing. */
function optionOf(route: LifiRoute, asked: Asked): MoveOption[] {
  const [step] = route.steps;
  if (step === undefined || route.steps.length !== 1) return [];
  if (asked.tools !== null && !asked.tools.includes(step.tool)) return [];
  try {
    checkAction(asked.priced, step);
  } catch {
    return [];
  }
  const { toAmount, toAmountMin } = step.estimate;
  if (toAmountMin <= 0n || toAmountMin > toAmount) return [];
  return [toOption(step, { toAmount, toAmountMin, ...asked.ends(step.tool) })];
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
    toAmountUsd: null,
    callable: true,
    plain: false,
  };
}
