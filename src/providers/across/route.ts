import { type Address, isAddressEqual, zeroAddress } from "viem";
import { type AppError, failure } from "../../errors.ts";
import { isNativeAlias } from "../../lib/address.ts";
import type { TransferRequest } from "../provider.ts";
import type { AcrossToken } from "./deployments.ts";
import { type AcrossDeployment, type AcrossDeployments, acrossTokenOf } from "./deployments.ts";

/** The bridge's key in `GET /v1/bridges`. */
export const ACROSS_KEY = "across";

/** A request's way through the bridge, of our own addresses only. */
export interface AcrossRoute {
  origin: AcrossDeployment;
  destination: AcrossDeployment;
  input: AcrossToken;
  output: AcrossToken;
  /** Whether the user pays native and the SpokePool wraps it. */
  native: boolean;
  /** Who makes the calls, where something must be called; null: the user receives the token at once. */
  handler: Address | null;
}

/** The failure for a request this bridge cannot serve. */
export function noAcrossRoute(code: string, detail: string): AppError {
  return failure("no_route", "the bridge has no route for this transfer", { reasons: [{ code, detail }] });
}

/**
 * Finds a request's route without asking anybody. Throws `no_route`: another bridge was asked for, a chain
 * without a deployment, two tokens that are not one asset, or a handler that does not exist there.
 */
export function findAcrossRoute(request: TransferRequest, deployments: AcrossDeployments): AcrossRoute {
  if (request.bridges !== null && !request.bridges.includes(ACROSS_KEY))
    throw noAcrossRoute("bridge_excluded", "the bridge is not among those asked for");
  if (request.fromChainId === request.toChainId)
    throw noAcrossRoute("same_chain", "the bridge moves between chains only");
  const origin = deploymentOf(deployments, request.fromChainId);
  const destination = deploymentOf(deployments, request.toChainId);
  const native = isNativeAlias(request.fromToken);
  const input = acrossTokenOf(origin, native ? (origin.wrappedNative ?? zeroAddress) : request.fromToken);
  const output = acrossTokenOf(destination, request.toToken);
  if (input === null || output === null || input.asset !== output.asset)
    throw noAcrossRoute("asset_unsupported", "the bridge moves an asset into itself only");
  return { origin, destination, input, output, native, handler: requiredHandler(request, destination) };
}

function deploymentOf(deployments: AcrossDeployments, chainId: number): AcrossDeployment {
  const deployment = deployments.get(chainId);
  if (deployment === undefined || deployment.tokens.length === 0)
    throw noAcrossRoute("chain_unsupported", `the bridge is not on chain ${chainId}`);
  return deployment;
}

/**
 * A destination call needs the handler. So does wrapped native without a call: the SpokePool would unwrap
 * it for an account without code, and the user would hold another token than the one asked for.
 */
function requiredHandler(request: TransferRequest, destination: AcrossDeployment): Address | null {
  const { wrappedNative, multicallHandler } = destination;
  const unwraps = wrappedNative !== null && isAddressEqual(request.toToken, wrappedNative);
  if (request.call === null && !unwraps) return null;
  if (multicallHandler !== null) return multicallHandler;
  throw noAcrossRoute(
    "destination_call_unsupported",
    `the bridge makes no calls on chain ${request.toChainId}`,
  );
}
