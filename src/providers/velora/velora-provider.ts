import { type Address, erc20Abi, isAddressEqual } from "viem";
import { aggregate } from "../../chains/aggregator/aggregate-reads.ts";
import { read, valueOrNull } from "../../chains/chain-reads.ts";
import { AppError } from "../../errors.ts";
import { isNative } from "../../lib/address.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import {
  type Provider,
  type ProviderScope,
  type TransferQuote,
  type TransferRequest,
  unknownStatus,
} from "../provider.ts";
import { exchangeRequestFailure, noExchangeRoute } from "../swap-provider-failures.ts";
import { AUGUSTUS_DUST, AUGUSTUS_METHOD } from "./velora-calldata.ts";
import { createVeloraClient, type VeloraClient } from "./velora-client.ts";
import { resolveVeloraDeployments, type VeloraDeployment } from "./velora-deployments.ts";
import { veloraRejection } from "./velora-errors.ts";
import { VeloraPrices, type VeloraRoute, VeloraSwap } from "./velora-schemas.ts";
import { matchesSwapRequest, veloraToken, verifyVeloraSwap } from "./verify-velora-swap.ts";

/** Name of the provider Velora, and the `tool` of its transfers. */
const VELORA_KEY = "velora";
/** Version of the router to build for. */
const API_VERSION = "6.2";
/** Seconds for which a built swap is offered to the user. Even later, its minimum output would protect the user. */
const VALID_SECONDS = 300;
const BPS = 10_000n;
const PARTS_PER_BPS = PARTS_PER_BILLION / BPS;
const NATIVE_DECIMALS = 18;
/** Maximum number of tokens whose decimals are kept. */
const MAX_TOKENS = 1_000;

/** Options of the Velora provider. */
export interface VeloraOptions {
  /** Base URL of the API: `https://api.paraswap.io`, or an emulator of it. */
  apiUrl: string;
  /** Deployments on chains that are not defined in code, such as local ones. */
  deployments?: readonly VeloraDeployment[];
}

/** The parts of the provider that its operations share. */
interface VeloraParts {
  client: VeloraClient;
  /** Decimals by chain id and token, which never change. */
  decimals: BoundedMap<number>;
}

/**
 * Creates the Velora provider, which swaps on one chain and delivers to the user. Its status is always `unknown`: only
 * the receipt shows the result. Throws `internal` if a deployment in the options names a chain that is defined in code,
 * or two name the same.
 */
export function createVelora(options: VeloraOptions): Provider {
  const deployments = resolveVeloraDeployments(options.deployments ?? []);
  const parts = { client: createVeloraClient(options), decimals: new BoundedMap<number>(MAX_TOKENS) };
  const inputOf = (scope: ProviderScope, request: TransferRequest): SwapInput => {
    const deployment = deployments.get(request.fromChainId);
    return { scope, request, deployment: requireSwap(deployment, request) };
  };
  return {
    name: VELORA_KEY,
    capabilities: () => ({
      bridges: [],
      swaps: true,
      swapChains: [...deployments.keys()],
      destinationCall: false,
    }),
    quote: async (scope, request) => [await quoteSwap(parts, inputOf(scope, request))],
    spenders({ fromChainId, toChainId, fromToken }) {
      const deployment = fromChainId === toChainId ? deployments.get(fromChainId) : undefined;
      return deployment === undefined || isNative(fromToken) ? [] : [deployment.router];
    },
    build: async (scope, request) => buildSwap(parts, inputOf(scope, request)),
    assets: () => [],
    // A swap begins and ends in one transaction, whose receipt shows it.
    status: async () => unknownStatus,
  };
}

/**
 * Returns the deployment that serves a request. Throws `no_route` if there is none, or if the request is for another
 * chain, restricted to certain bridges, has a destination call, or names the same token twice.
 */
function requireSwap(deployment: VeloraDeployment | undefined, request: TransferRequest): VeloraDeployment {
  if (deployment === undefined || request.fromChainId !== request.toChainId)
    throw noExchangeRoute("exchange_unavailable");
  const bare = request.call === null && request.bridges === null;
  if (!bare || isAddressEqual(request.fromToken, request.toToken)) throw noExchangeRoute("request_refused");
  return deployment;
}

interface SwapInput {
  scope: ProviderScope;
  request: TransferRequest;
  deployment: VeloraDeployment;
}

/**
 * Requests a price. Errors of the client and of `readDecimals` propagate; throws `upstream_rejected` if the price is
 * for another swap, and `no_route` if the minimum output would be zero. Source: `GET /prices`.
 */
async function quoteSwap(parts: VeloraParts, input: SwapInput): Promise<TransferQuote> {
  const { scope, request } = input;
  const query = await swapQuery(parts, input);
  const { priceRoute: route } = await parts.client.ask(scope, {
    path: "/prices",
    query,
    schema: VeloraPrices,
  });
  if (!matchesSwapRequest(route, input)) throw veloraRejection("priceRoute");
  const toAmountMin = minimumOutput(route.destAmount, request);
  if (toAmountMin <= 0n) throw noExchangeRoute("no_quote");
  return { ...quoteOf(route), toAmount: route.destAmount, toAmountMin };
}

/**
 * Requests a price with its transaction and verifies it. Errors of the client, `readDecimals` and `verifyVeloraSwap`
 * propagate. Source: `GET /swap`, which does not check balances and excludes sources that sign quotes for one sender.
 */
async function buildSwap(parts: VeloraParts, input: SwapInput) {
  const { scope, request, deployment } = input;
  const query = await swapQuery(parts, input);
  query.set("userAddress", request.user);
  query.set("receiver", request.user);
  query.set("slippage", slippageBps(request).toString());
  const answer = await parts.client.ask(scope, { path: "/swap", query, schema: VeloraSwap });
  return {
    ...quoteOf(answer.priceRoute),
    ...verifyVeloraSwap({ request, deployment, answer }),
    spender: isNative(request.fromToken) ? null : deployment.router,
    executor: null,
    tool: VELORA_KEY,
    validSeconds: VALID_SECONDS,
    swaps: true,
  };
}

/**
 * Returns the query of a swap's price. It names no partner, so that no fee is taken, and allows only the function that
 * can be decoded. Tokens without a price in USD are not refused, because prices are judged here.
 */
async function swapQuery(parts: VeloraParts, { scope, request }: SwapInput): Promise<URLSearchParams> {
  const { fromToken, toToken, fromChainId, amount } = request;
  const [srcDecimals, destDecimals] = await readDecimals(parts, { scope, request });
  return new URLSearchParams({
    srcToken: veloraToken(fromToken),
    srcDecimals: srcDecimals.toString(),
    destToken: veloraToken(toToken),
    destDecimals: destDecimals.toString(),
    amount: amount.toString(),
    side: "SELL",
    network: fromChainId.toString(),
    version: API_VERSION,
    // The names of V6.2 are documented by Velora's SDK and not verified live.
    includeContractMethods: AUGUSTUS_METHOD,
    ignoreBadUsdPrice: "true",
  });
}

/**
 * Returns the decimals of both tokens of a swap, which Velora asks for. Throws `no_route` if a token has none or the
 * chain is not served, and `upstream_timeout` or `upstream_unavailable` if the chain cannot be read.
 */
async function readDecimals(
  { decimals }: VeloraParts,
  { scope, request }: Pick<SwapInput, "scope" | "request">,
): Promise<[number, number]> {
  const { fromChainId, fromToken, toToken } = request;
  const keyOf = (token: Address) => `${fromChainId}:${token.toLowerCase()}`;
  const tokens = [fromToken, toToken];
  // Held here, because new entries may evict them.
  const known = new Map(
    tokens.map((token) => [token, isNative(token) ? NATIVE_DECIMALS : decimals.get(keyOf(token))]),
  );
  const missing = tokens.filter((token) => known.get(token) === undefined);
  if (missing.length > 0)
    for (const [token, count] of await askDecimals(scope, { chainId: fromChainId, tokens: missing })) {
      known.set(token, count);
      decimals.set(keyOf(token), count);
    }
  const [from, to] = [known.get(fromToken), known.get(toToken)];
  if (from === undefined || to === undefined) throw noExchangeRoute("token_unknown");
  return [from, to];
}

async function askDecimals(
  scope: ProviderScope,
  { chainId, tokens }: { chainId: number; tokens: readonly Address[] },
): Promise<[Address, number][]> {
  const client = scope.chain(chainId);
  if (client === null) throw noExchangeRoute("exchange_unavailable");
  const reads = Object.fromEntries(
    tokens.map((token) => [token, read({ to: token, abi: erc20Abi, name: "decimals" })]),
  );
  try {
    const { results } = await aggregate(client, reads);
    return tokens.flatMap((token): [Address, number][] => {
      const result = results[token];
      const count = result === undefined ? null : valueOrNull(result);
      return count === null ? [] : [[token, count]];
    });
  } catch (error) {
    throw error instanceof AppError ? error : exchangeRequestFailure(error);
  }
}

/** Returns the fields of a Velora quote other than its amounts. */
function quoteOf({ gasCost }: VeloraRoute) {
  return {
    provider: VELORA_KEY,
    bridge: null,
    bridgeName: null,
    bridgeLogo: null,
    // No partner is named, and a transaction with a fee is refused.
    declaredFee: 0n,
    nativeFee: 0n,
    estimatedSeconds: null,
    gas: gasCost,
    supportsCall: false,
    supportsPlain: true,
  };
}

/**
 * Returns the slippage to send to Velora, in basis points: below the user's, so that the user's minimum is still
 * reached less the unit that the router keeps. Velora does not document its rounding; lower minimums are refused.
 */
const slippageBps = ({ slippage }: TransferRequest): bigint => (slippage - 1n) / PARTS_PER_BPS;

/**
 * Returns the minimum that a swap will deliver for an expected output, rounded down, less the unit that Augustus keeps.
 */
const minimumOutput = (output: bigint, request: TransferRequest): bigint =>
  (output * (BPS - slippageBps(request))) / BPS - AUGUSTUS_DUST;
