import { type Address, isAddressEqual, zeroAddress } from "viem";
import { type AppError, failure } from "../../errors.ts";
import { isNativeAlias } from "../../lib/address.ts";
import type { TransferRequest } from "../provider.ts";
import {
  type AcrossDeployment,
  type AcrossDeployments,
  type AcrossToken,
  acrossTokenOf,
} from "./across-deployments.ts";

/** Name of the Across provider, and its key in `GET /v1/bridges`. */
export const ACROSS_KEY = "across";

/**
 * The contracts and tokens that an Across transfer uses. All of them come from the deployment tables in code and in the
 * settings.
 */
export interface AcrossRoute {
  origin: AcrossDeployment;
  destination: AcrossDeployment;
  input: AcrossToken;
  output: AcrossToken;
  /** True if the user pays in native currency, which the SpokePool wraps; `input` is then the wrapped token. */
  native: boolean;
  /** The multicall handler that receives the delivery, or null if the user receives it directly. */
  handler: Address | null;
}

/** Creates a `no_route` error with one reason: its code and the text shown to customers. */
export function noAcrossRoute(code: string, detail: string): AppError {
  return failure("no_route", "the bridge has no route for this transfer", { reasons: [{ code, detail }] });
}

/**
 * Looks up the contracts and tokens of a transfer in the deployment tables; sends nothing over the network. The user
 * can pay in the native currency, but not receive it. Throws `no_route`, with one reason, if Across cannot make the
 * transfer or `request.bridges` excludes Across.
 */
export function findAcrossRoute(request: TransferRequest, deployments: AcrossDeployments): AcrossRoute {
  if (request.bridges !== null && !request.bridges.includes(ACROSS_KEY))
    throw noAcrossRoute("bridge_excluded", "the request does not allow this bridge");
  if (request.fromChainId === request.toChainId)
    throw noAcrossRoute("same_chain", "the bridge only transfers between different chains");
  const origin = deploymentOf(deployments, request.fromChainId);
  const destination = deploymentOf(deployments, request.toChainId);
  const native = isNativeAlias(request.fromToken);
  const input = acrossTokenOf(origin, native ? (origin.wrappedNative ?? zeroAddress) : request.fromToken);
  const output = acrossTokenOf(destination, request.toToken);
  if (input === null || output === null || input.asset !== output.asset)
    throw noAcrossRoute("asset_unsupported", "the bridge only delivers the same asset that it receives");
  return { origin, destination, input, output, native, handler: requiredHandler(request, destination) };
}

/** Returns Across's deployment on a chain. Throws `no_route` if there is none or if it lists no tokens. */
function deploymentOf(deployments: AcrossDeployments, chainId: number): AcrossDeployment {
  const deployment = deployments.get(chainId);
  if (deployment === undefined || deployment.tokens.length === 0)
    throw noAcrossRoute("chain_unsupported", `the bridge does not support chain ${chainId}`);
  return deployment;
}

/**
 * Returns the multicall handler of the destination chain if the delivery needs it: for a destination call, or for the
 * wrapped native token, which the SpokePool would unwrap for a user. Throws `no_route` if there is none.
 */
function requiredHandler(request: TransferRequest, destination: AcrossDeployment): Address | null {
  const { wrappedNative, multicallHandler } = destination;
  const unwraps = wrappedNative !== null && isAddressEqual(request.toToken, wrappedNative);
  if (request.call === null && !unwraps) return null;
  if (multicallHandler !== null) return multicallHandler;
  throw noAcrossRoute(
    "destination_call_unsupported",
    `the bridge cannot make the deposit call on chain ${request.toChainId}`,
  );
}
