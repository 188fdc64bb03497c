import type { Address, Hex } from "viem";
import { isNativeAlias } from "../../lib/address.ts";
import type { Capabilities, MoveOption, MoveRequest, Provider, ProviderScope } from "../provider.ts";
import { type ApiSettings, askSuggestedFees } from "./client.ts";
import { type Delivery, encodeDelivery } from "./delivery.ts";
import { type Deployment, type Deployments, resolveDeployments } from "./deployments.ts";
import { encodeDeposit } from "./encode.ts";
import { BRIDGE, findRoute, type Route } from "./route.ts";
import { followTransfer } from "./status.ts";
import { acceptTerms, type Terms } from "./terms.ts";
import { verifyDeposit } from "./verify.ts";

const NAME = "Across";
/** The terms leave at least ten minutes for the delivery after that; see lies.ts. */
const VALID_SECONDS = 300;

export interface AcrossOptions {
  /** Without a trailing slash; Across' own is `https://app.across.to/api`. */
  apiUrl: string;
  apiKey?: string;
  /** Two bytes that Across gave the integrator; written behind the calldata. */
  integratorId?: Hex;
  /** Deployments on chains that the code does not know, such as local ones. */
  deployments?: readonly Deployment[];
}

/**
 * Makes the provider for Across: prices from its API, calldata and addresses from here. Throws `internal`
 * when an option would replace a deployment that ships in code.
 */
export function createAcross(options: AcrossOptions): Provider {
  const deployments = resolveDeployments(options.deployments ?? []);
  const settings: ApiSettings = options;
  const widths = new Map<number, bigint>();
  const integratorId = options.integratorId ?? null;
  return {
    name: BRIDGE,
    capabilities: () => capabilitiesOf(deployments),
    async quote(scope, request) {
      const { route, terms } = await price(scope, { request, deployments, settings });
      return [optionOf(route, terms)];
    },
    spenders(request) {
      const origin = deployments.get(request.fromChainId);
      return origin === undefined || isNativeAlias(request.fromToken) ? [] : [origin.spokePool];
    },
    async build(scope, request) {
      const { route, terms, delivery } = await price(scope, { request, deployments, settings });
      const data = encodeDeposit({ request, route, terms, delivery, integratorId });
      const value = route.native ? request.amount : 0n;
      const transaction = { to: route.origin.spokePool, data, value };
      verifyDeposit(transaction, { request, route, terms, integratorId });
      return {
        ...optionOf(route, terms),
        transaction,
        spender: route.native ? null : route.origin.spokePool,
        executor: request.call === null ? null : route.handler,
        tool: BRIDGE,
        validSeconds: VALID_SECONDS,
      };
    },
    status: (scope, transfer) =>
      followTransfer(scope, { transfer, follower: { settings, deployments, widths } }),
  };
}

interface Priced {
  route: Route;
  delivery: Delivery;
  terms: Terms;
}

async function price(
  scope: ProviderScope,
  ask: { request: MoveRequest; deployments: Deployments; settings: ApiSettings },
): Promise<Priced> {
  const { request, settings } = ask;
  const route = findRoute(request, ask.deployments);
  const delivery = encodeDelivery(request, route);
  const query = queryOf(request, { route, recipient: delivery.recipient });
  const fees = await askSuggestedFees(scope, { settings, query, message: delivery.message });
  const now = Math.floor(scope.now() / 1000);
  return { route, delivery, terms: acceptTerms(fees, { request, route, now }) };
}

function queryOf(
  request: MoveRequest,
  { route, recipient }: { route: Route; recipient: Address },
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

/** The bridge delivers no less than it says, or nothing: the expected amount is the guaranteed one. */
function optionOf({ destination }: Route, terms: Terms): MoveOption {
  return {
    provider: BRIDGE,
    bridge: BRIDGE,
    bridgeName: NAME,
    bridgeLogo: null,
    toAmount: terms.outputAmount,
    toAmountMin: terms.outputAmount,
    estimatedSeconds: terms.estimatedSeconds,
    gasCostUsd: null,
    fromAmountUsd: null,
    toAmountUsd: null,
    callable: destination.multicallHandler !== null,
    plain: true,
  };
}

function capabilitiesOf(deployments: Deployments): Capabilities {
  const offered = [...deployments.values()].filter(({ tokens }) => tokens.length > 0);
  const chains = offered.map(({ chainId }) => chainId);
  return { bridges: [{ key: BRIDGE, name: NAME, chains }], swaps: false, destinationCall: true };
}
