import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  parseEventLogs,
} from "viem";
import type { ChainClient } from "../../../chains/client.ts";
import { RpcWord } from "../../../chains/rpc-values.ts";
import type { Receipt } from "../../../chains/transaction.ts";
import { relayHashParameters, spokePoolAbi } from "../across-abi.ts";
import type { AcrossDeployment } from "../deployments.ts";

/** A transfer as the SpokePool of its origin recorded it; what a fill must repeat in full. */
export interface AcrossDeposit {
  originChainId: number;
  destinationChainId: number;
  depositId: bigint;
  depositor: Hex;
  recipient: Hex;
  exclusiveRelayer: Hex;
  inputToken: Hex;
  outputToken: Hex;
  inputAmount: bigint;
  outputAmount: bigint;
  /** Unix seconds. */
  quoteTimestamp: number;
  fillDeadline: number;
  exclusivityDeadline: number;
  message: Hex;
}

/**
 * Reads the transfer towards `toChainId` out of its source receipt; null: there is none, or there are several, of
 * which nobody can say which one is meant.
 */
export function findAcrossDeposit(
  receipt: Receipt,
  on: { origin: AcrossDeployment; toChainId: number },
): AcrossDeposit | null {
  const own = receipt.logs.filter((log) => isAddressEqual(log.address, on.origin.spokePool));
  const events = parseEventLogs({ abi: spokePoolAbi(), eventName: "FundsDeposited", logs: own });
  const fitting = events.filter(({ args }) => args.destinationChainId === BigInt(on.toChainId));
  const [found, ...others] = fitting;
  if (found === undefined || others.length > 0) return null;
  const { destinationChainId, ...fields } = found.args;
  return { ...fields, originChainId: on.origin.chainId, destinationChainId: Number(destinationChainId) };
}

/** Under which hash the destination's SpokePool keeps the transfer's state. Source: SpokePool.getV3RelayHash. */
export function relayHash(deposited: AcrossDeposit): Hex {
  const { originChainId, destinationChainId, ...relay } = deposited;
  const data = { ...relay, originChainId: BigInt(originChainId) };
  return keccak256(encodeAbiParameters(relayHashParameters, [data, BigInt(destinationChainId)]));
}

/** How the SpokePool of the destination sees a transfer. */
export type RelayState = "unfilled" | "slow_fill_requested" | "filled";

const STATES: readonly RelayState[] = ["unfilled", "slow_fill_requested", "filled"];

/**
 * Asks the destination's SpokePool for a transfer's state, in one call and whatever its age. Throws what the
 * chain client throws; an answer of another shape is an Error. Source: SpokePool.sol `fillStatuses`.
 */
export async function readRelayState(
  client: ChainClient,
  of: { deposited: AcrossDeposit; destination: AcrossDeployment },
): Promise<RelayState> {
  const { deposited, destination } = of;
  const functionName = "fillStatuses";
  const data = encodeFunctionData({ abi: spokePoolAbi(), functionName, args: [relayHash(deposited)] });
  const answer = await client.request("eth_call", [{ to: destination.spokePool, data }, "latest"]);
  const status = decodeFunctionResult({ abi: spokePoolAbi(), functionName, data: RpcWord.parse(answer) });
  const state = STATES[Number(status)];
  if (state === undefined) throw new Error(`the SpokePool knows a state ${status}`);
  return state;
}
