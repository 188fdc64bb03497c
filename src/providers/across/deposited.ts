import { encodeAbiParameters, type Hex, isAddressEqual, keccak256, parseEventLogs } from "viem";
import type { Receipt } from "../../chains/transaction.ts";
import { relayHashParameters, spokePoolAbi } from "./abi.ts";
import type { Deployment } from "./deployments.ts";

/** A transfer as the SpokePool of its origin recorded it; what a fill must repeat in full. */
export interface Deposited {
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
export function findDeposited(
  receipt: Receipt,
  on: { origin: Deployment; toChainId: number },
): Deposited | null {
  const own = receipt.logs.filter((log) => isAddressEqual(log.address, on.origin.spokePool));
  const events = parseEventLogs({ abi: spokePoolAbi(), eventName: "FundsDeposited", logs: own });
  const fitting = events.filter(({ args }) => args.destinationChainId === BigInt(on.toChainId));
  const [found, ...others] = fitting;
  if (found === undefined || others.length > 0) return null;
  const { destinationChainId, ...fields } = found.args;
  return { ...fields, originChainId: on.origin.chainId, destinationChainId: Number(destinationChainId) };
}

/** Under which hash the destination's SpokePool keeps the transfer's state. Source: SpokePool.getV3RelayHash. */
export function relayHash(deposited: Deposited): Hex {
  const { originChainId, destinationChainId, ...relay } = deposited;
  const data = { ...relay, originChainId: BigInt(originChainId) };
  return keccak256(encodeAbiParameters(relayHashParameters, [data, BigInt(destinationChainId)]));
}
