import { type Address, isAddressEqual, zeroAddress } from "viem";
import { type AppError, failure } from "../../errors.ts";
import { isNativeAlias } from "../../lib/address.ts";
import type { MoveRequest } from "../provider.ts";
import { type Deployment, type Deployments, tokenOf } from "./deployments.ts";
import type { BridgedToken } from "./tokens.ts";

/** The bridge's key in `GET /v1/bridges`. */
export const BRIDGE = "across";

/** A request's way through the bridge, of our own addresses only. */
export interface Route {
  origin: Deployment;
  destination: Deployment;
  input: BridgedToken;
  output: BridgedToken;
  /** Whether the user pays native and the SpokePool wraps it. */
  native: boolean;
  /** Who makes the calls, where something must be called; null: the user receives the token at once. */
  handler: Address | null;
}

/** The failure for a request this bridge cannot serve. */
export function noRoute(code: string, detail: string): AppError {
  return failure("no_route", "the bridge has no route for this transfer", { reasons: [{ code, detail }] });
}

/**
 * Finds a request's route without asking anybody. Throws `no_route`: another bridge was asked for, a chain
 * without a deployment, two tokens that are not one asset, or a handler that does not exist there.
 */
export function findRoute(request: MoveRequest, deployments: Deployments): Route {
  if (request.bridges !== null && !request.bridges.includes(BRIDGE))
    throw noRoute("bridge_excluded", "the bridge is not among those asked for");
  if (request.fromChainId === request.toChainId)
    throw noRoute("same_chain", "the bridge moves between chains only");
  const origin = deploymentOf(deployments, request.fromChainId);
  const destination = deploymentOf(deployments, request.toChainId);
  const native = isNativeAlias(request.fromToken);
  const input = tokenOf(origin, native ? (origin.wrappedNative ?? zeroAddress) : request.fromToken);
  const output = tokenOf(destination, request.toToken);
  if (input === null || output === null || input.asset !== output.asset)
    throw noRoute("asset_unsupported", "the bridge moves an asset into itself only");
  return { origin, destination, input, output, native, handler: handlerOf(request, destination) };
}

function deploymentOf(deployments: Deployments, chainId: number): Deployment {
  const deployment = deployments.get(chainId);
  if (deployment === undefined || deployment.tokens.length === 0)
    throw noRoute("chain_unsupported", `the bridge is not on chain ${chainId}`);
  return deployment;
}

/**
 * A destination call needs the handler. So does wrapped native without a call: the SpokePool would unwrap
 * it for an account without code, and the user would hold another token than the one asked for.
 */
function handlerOf(request: MoveRequest, destination: Deployment): Address | null {
  const { wrappedNative, multicallHandler } = destination;
  const unwraps = wrappedNative !== null && isAddressEqual(request.toToken, wrappedNative);
  if (request.call === null && !unwraps) return null;
  if (multicallHandler !== null) return multicallHandler;
  throw noRoute("destination_call_unsupported", `the bridge makes no calls on chain ${request.toChainId}`);
}
