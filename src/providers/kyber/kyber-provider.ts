import { type Hex, isAddressEqual, toEventSelector } from "viem";
import { isNative } from "../../lib/address.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import {
  type Provider,
  type ProviderScope,
  type TransferEvent,
  type TransferQuote,
  type TransferRequest,
  unknownStatus,
} from "../provider.ts";
import { noExchangeRoute } from "../swap-provider-failures.ts";
import { createKyberClient, type KyberApiSettings, type KyberClient } from "./kyber-client.ts";
import { type KyberDeployment, type KyberDeployments, resolveKyberDeployments } from "./kyber-deployments.ts";
import { kyberRejection } from "./kyber-errors.ts";
import { KyberBuild, KyberRoutes } from "./kyber-schemas.ts";
import { kyberToken, verifyKyberSwap } from "./verify-kyber-swap.ts";

/** Name of the KyberSwap provider, and the `tool` of its transfers. */
const KYBER_KEY = "kyber";
/** Seconds for which a built swap is offered to the user. Even later, its minimum output would protect the user. */
const VALID_SECONDS = 300;
/** Seconds from the build until KyberSwap's executor rejects the swap. */
const DEADLINE_SECONDS = 1_200;
const BPS = 10_000n;
const PARTS_PER_BPS = PARTS_PER_BILLION / BPS;
/** Largest slippage that the API accepts, in basis points. */
const MAX_SLIPPAGE_BPS = 2_000n;

/** Options of the KyberSwap provider. */
export interface KyberOptions extends KyberApiSettings {
  /** Deployments on chains that are not defined in code, such as local ones. */
  deployments?: readonly KyberDeployment[];
}

/**
 * Creates the KyberSwap provider, which swaps on one chain and delivers to the user. Its status is always `unknown`:
 * only the receipt shows the result. Throws `internal` if a deployment in the options names a chain that is defined in
 * code, or two name the same.
 */
export function createKyber(options: KyberOptions): Provider {
  const deployments = resolveKyberDeployments(options.deployments ?? []);
  const client = createKyberClient(options);
  return {
    name: KYBER_KEY,
    capabilities: () => ({
      bridges: [],
      swaps: true,
      swapChains: [...deployments.keys()],
      destinationCall: false,
    }),
    async quote(scope, request) {
      const deployment = requireSwap(deployments, request);
      return [(await fetchRoute(client, { scope, request, deployment })).quote];
    },
    spenders({ fromChainId, toChainId, fromToken }) {
      const deployment = fromChainId === toChainId ? deployments.get(fromChainId) : undefined;
      return deployment === undefined || isNative(fromToken) ? [] : [deployment.router];
    },
    async build(scope, request) {
      const deployment = requireSwap(deployments, request);
      const { summary } = await fetchRoute(client, { scope, request, deployment });
      return buildSwap(client, { scope, request, deployment, summary });
    },
    assets: () => [],
    events: (chainId) => kyberEvents(deployments.get(chainId)),
    // A swap begins and ends in one transaction, whose receipt shows it.
    status: async () => unknownStatus,
  };
}

/**
 * First topic of the router's event `Swapped`, whose data begins with the sender. Source: MetaAggregationRouterV2.sol.
 */
const swappedTopic = once(
  (): Hex => toEventSelector("Swapped(address,address,address,address,uint256,uint256)"),
);

/**
 * Returns the router's event of a swap. Only its data contains the user, so it is read only for native payments; token
 * payments are found by the token's `Transfer` event.
 */
function kyberEvents(deployment: KyberDeployment | undefined): TransferEvent[] {
  if (deployment === undefined) return [];
  const contracts = [deployment.router];
  return [{ side: "source", contracts, topic: swappedTopic(), userTopic: null, nativeOnly: true }];
}

/**
 * Returns the deployment that serves a request. Throws `no_route` if the chain is not served, or if the request is for
 * another chain, restricted to certain bridges, has a destination call, or names the same token twice.
 */
function requireSwap(deployments: KyberDeployments, request: TransferRequest): KyberDeployment {
  const deployment = deployments.get(request.fromChainId);
  if (deployment === undefined || request.fromChainId !== request.toChainId)
    throw noExchangeRoute("exchange_unavailable");
  const bare = request.call === null && request.bridges === null;
  if (!bare || isAddressEqual(request.fromToken, request.toToken)) throw noExchangeRoute("request_refused");
  return deployment;
}

interface SwapInput {
  scope: ProviderScope;
  request: TransferRequest;
  deployment: KyberDeployment;
}

/**
 * Requests a route, and returns it as a quote and unchanged (`summary`, to be sent back). Throws `upstream_rejected`
 * for another swap, `no_route`, and the errors of the client. Source: `GET /{chain}/api/v1/routes`.
 */
async function fetchRoute(
  client: KyberClient,
  { scope, request, deployment }: SwapInput,
): Promise<{ summary: unknown; quote: TransferQuote }> {
  const query = new URLSearchParams({
    tokenIn: kyberToken(request.fromToken),
    tokenOut: kyberToken(request.toToken),
    amountIn: request.amount.toString(),
    excludeRFQSources: "true",
    origin: request.user,
  });
  const path = `/${deployment.slug}/api/v1/routes?${query}`;
  const { parsed, json } = await client.ask(scope, { path, schema: KyberRoutes });
  const { routeSummary: route, routerAddress } = parsed.data;
  const matches =
    isAddressEqual(routerAddress, deployment.router) &&
    isAddressEqual(route.tokenIn, kyberToken(request.fromToken)) &&
    isAddressEqual(route.tokenOut, kyberToken(request.toToken)) &&
    route.amountIn === request.amount &&
    route.amountOut > 0n;
  if (!matches) throw kyberRejection("routeSummary");
  const toAmountMin = minimumOutput(route.amountOut, request);
  if (toAmountMin === 0n) throw noExchangeRoute("no_quote");
  const quote = { ...quoteOf(route), toAmount: route.amountOut, toAmountMin };
  return { summary: (json as { data: { routeSummary: unknown } }).data.routeSummary, quote };
}

/**
 * Requests the transaction of a route and verifies it. Errors of the client and of `verifyKyberSwap` propagate. Source:
 * `POST /{chain}/api/v1/route/build`.
 */
async function buildSwap(client: KyberClient, input: SwapInput & { summary: unknown }) {
  const { scope, request, deployment, summary } = input;
  const { parsed } = await client.ask(scope, {
    path: `/${deployment.slug}/api/v1/route/build`,
    body: {
      routeSummary: summary,
      sender: request.user,
      // The executor's opaque data pay this address. The router passes on what it gets, to any receiver.
      recipient: deployment.router,
      origin: request.user,
      slippageTolerance: Number(slippageBps(request)),
      deadline: Math.floor(scope.now() / 1000) + DEADLINE_SECONDS,
    },
    schema: KyberBuild,
  });
  const answer = parsed.data;
  const verified = verifyKyberSwap({ request, deployment, answer });
  return {
    ...quoteOf(answer),
    ...verified,
    spender: isNative(request.fromToken) ? null : deployment.router,
    executor: null,
    tool: KYBER_KEY,
    validSeconds: VALID_SECONDS,
    swaps: true,
  };
}

/** Returns the fields of a KyberSwap quote other than its amounts. `gas` is in units of gas, or null if unknown. */
function quoteOf({ gas }: { gas: bigint | null }) {
  return {
    provider: KYBER_KEY,
    bridge: null,
    bridgeName: null,
    bridgeLogo: null,
    // The requests to KyberSwap ask for none.
    declaredFee: 0n,
    nativeFee: 0n,
    estimatedSeconds: null,
    gas,
    supportsCall: false,
    supportsPlain: true,
  };
}

/**
 * Returns the slippage to send to KyberSwap, in basis points: the user's slippage rounded down, so that KyberSwap's
 * minimum is never below the user's, and at most 20%.
 */
function slippageBps({ slippage }: TransferRequest): bigint {
  const asked = slippage / PARTS_PER_BPS;
  return asked < MAX_SLIPPAGE_BPS ? asked : MAX_SLIPPAGE_BPS;
}

/** Returns the minimum output that KyberSwap will encode for an expected output, rounded down as KyberSwap does. */
function minimumOutput(amountOut: bigint, request: TransferRequest): bigint {
  return (amountOut * (BPS - slippageBps(request))) / BPS;
}
