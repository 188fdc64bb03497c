import { type Address, getAbiItem, type Hex, toEventSelector } from "viem";
import { isNativeAlias } from "../../lib/address.ts";
import { PARTS_PER_BILLION } from "../../lib/amount.ts";
import type {
  Provider,
  ProviderCapabilities,
  ProviderScope,
  TransferEvent,
  TransferQuote,
  TransferRequest,
} from "../provider.ts";
import { spokePoolAbi } from "./across-abi.ts";
import { type AcrossApiSettings, fetchSuggestedFees } from "./across-api.ts";
import { type AcrossDelivery, encodeAcrossDelivery, encodeAcrossDeposit } from "./across-calldata.ts";
import {
  type AcrossDeployment,
  type AcrossDeployments,
  resolveAcrossDeployments,
} from "./across-deployments.ts";
import { ACROSS_VALID_SECONDS, type AcrossTerms, acceptTerms, toOutputUnits } from "./across-quote-checks.ts";
import { ACROSS_KEY, type AcrossRoute, findAcrossRoute } from "./across-route.ts";
import { trackAcrossTransfer } from "./tracking/across-status.ts";
import { verifyAcrossDeposit } from "./verify-across-deposit.ts";

const DISPLAY_NAME = "Across";

/** Options of the Across provider. */
export interface AcrossOptions {
  /** Base URL of the API: `https://app.across.to/api`, or an emulator of it. */
  apiUrl: string;
  /** Sent to Across's API as a bearer token; absent for requests without a key. */
  apiKey?: string;
  /** The two-byte integrator id that Across assigned; appended to the calldata. */
  integratorId?: Hex;
  /** Deployments on chains that are not defined in code, such as local ones. */
  deployments?: readonly AcrossDeployment[];
}

/**
 * Creates the Across provider, which bridges a token to the same asset on another chain. Across delivers the full
 * quoted amount or refunds the deposit. Throws `internal` if `options.deployments` names a chain that is defined in
 * code, or one chain twice.
 */
export function createAcross(options: AcrossOptions): Provider {
  const deployments = resolveAcrossDeployments(options.deployments ?? []);
  const settings: AcrossApiSettings = { ...options, apiUrl: options.apiUrl.replace(/\/+$/, "") };
  const integratorId = options.integratorId ?? null;
  return {
    name: ACROSS_KEY,
    capabilities: () => acrossCapabilities(deployments),
    async quote(scope, request) {
      const { route, terms } = await priceTransfer(scope, { request, deployments, settings });
      return [quoteFromTerms({ request, route, terms })];
    },
    spenders(request) {
      const origin = deployments.get(request.fromChainId);
      return origin === undefined || isNativeAlias(request.fromToken) ? [] : [origin.spokePool];
    },
    async build(scope, request) {
      const { route, terms, delivery } = await priceTransfer(scope, { request, deployments, settings });
      const data = encodeAcrossDeposit({ request, route, terms, delivery, integratorId });
      const value = route.native ? request.amount : 0n;
      const transaction = { to: route.origin.spokePool, data, value };
      verifyAcrossDeposit(transaction, { request, route, terms, integratorId });
      return {
        ...quoteFromTerms({ request, route, terms }),
        transaction,
        spender: route.native ? null : route.origin.spokePool,
        executor: request.call === null ? null : route.handler,
        tool: ACROSS_KEY,
        validSeconds: ACROSS_VALID_SECONDS,
        swaps: false,
        // The calldata names the user as depositor, to whom refunds go.
        asStep: { receiverOffset: null, leftovers: [] },
      };
    },
    assets: (chainId) => deployments.get(chainId)?.tokens ?? [],
    events: (chainId) => acrossEvents(deployments.get(chainId)),
    status: (scope, transfer) => trackAcrossTransfer(scope, { transfer, tracker: { settings, deployments } }),
  };
}

/**
 * An Across transfer whose quote has passed the checks: its contracts and tokens, its delivery and its deposit
 * parameters.
 */
interface PricedTransfer {
  route: AcrossRoute;
  delivery: AcrossDelivery;
  terms: AcrossTerms;
}

/**
 * Requests an Across quote for a transfer and checks it. Errors of `findAcrossRoute`, `fetchSuggestedFees`
 * and `acceptTerms` propagate.
 */
async function priceTransfer(
  scope: ProviderScope,
  ask: { request: TransferRequest; deployments: AcrossDeployments; settings: AcrossApiSettings },
): Promise<PricedTransfer> {
  const { request, settings } = ask;
  const route = findAcrossRoute(request, ask.deployments);
  const delivery = encodeAcrossDelivery(request, route);
  const query = suggestedFeesQuery(request, { route, recipient: delivery.recipient });
  const fees = await fetchSuggestedFees(scope, { settings, query, message: delivery.message });
  const now = Math.floor(scope.now() / 1000);
  return { route, delivery, terms: acceptTerms(fees, { request, route, now }) };
}

function suggestedFeesQuery(
  request: TransferRequest,
  { route, recipient }: { route: AcrossRoute; recipient: Address },
): Record<string, string> {
  return {
    inputToken: route.input.address,
    outputToken: route.output.address,
    originChainId: request.fromChainId.toString(),
    destinationChainId: request.toChainId.toString(),
    amount: request.amount.toString(),
    recipient,
    ...(route.input.decimals === route.output.decimals ? {} : { allowUnmatchedDecimals: "true" }),
  };
}

/**
 * Converts the deposit parameters of a checked Across quote to a `TransferQuote`. Across delivers exactly the quoted
 * amount or refunds the deposit, so the expected and the minimum amount are equal.
 */
function quoteFromTerms(priced: {
  request: TransferRequest;
  route: AcrossRoute;
  terms: AcrossTerms;
}): TransferQuote {
  const { terms, route } = priced;
  const paid = toOutputUnits(priced);
  return {
    provider: ACROSS_KEY,
    bridge: ACROSS_KEY,
    bridgeName: DISPLAY_NAME,
    bridgeLogo: null,
    toAmount: terms.outputAmount,
    toAmountMin: terms.outputAmount,
    declaredFee: paid === 0n ? 0n : ((paid - terms.outputAmount) * PARTS_PER_BILLION) / paid,
    nativeFee: 0n,
    estimatedSeconds: terms.estimatedSeconds,
    gas: null,
    supportsCall: route.destination.multicallHandler !== null,
    supportsPlain: true,
  };
}

/**
 * Returns the SpokePool's events that a search for a user's transfers reads: the deposit, which has the depositor among
 * its topics, and the fill, which has no user topic. Source: SpokePool.sol.
 */
function acrossEvents(deployment: AcrossDeployment | undefined): TransferEvent[] {
  if (deployment === undefined) return [];
  const contracts = [deployment.spokePool];
  const topicOf = (eventName: "FundsDeposited" | "FilledRelay") =>
    toEventSelector(getAbiItem({ abi: spokePoolAbi(), name: eventName }));
  return [
    { side: "source", contracts, topic: topicOf("FundsDeposited"), userTopic: 3, nativeOnly: false },
    { side: "destination", contracts, topic: topicOf("FilledRelay"), userTopic: null, nativeOnly: true },
  ];
}

function acrossCapabilities(deployments: AcrossDeployments): ProviderCapabilities {
  const offered = [...deployments.values()].filter(({ tokens }) => tokens.length > 0);
  const chains = offered.map(({ chainId }) => chainId);
  return { bridges: [{ key: ACROSS_KEY, name: DISPLAY_NAME, chains }], swaps: false, destinationCall: true };
}
