import { z } from "@hono/zod-openapi";
import { decodeFunctionResult, encodeFunctionData, numberToHex } from "viem";
import type { ChainClient } from "../../chains/client.ts";
import { RpcQuantity, RpcWord } from "../../chains/rpc-values.ts";
import { spokePoolAbi } from "./abi.ts";
import type { Deployment } from "./deployments.ts";
import { type Deposited, relayHash } from "./deposited.ts";

const BlockShape = z.object({ number: RpcQuantity, timestamp: RpcQuantity });

/** A block's number and time in unix seconds. */
export type BlockStamp = z.output<typeof BlockShape>;

/** How the SpokePool of the destination sees a transfer. */
export type RelayState = "unfilled" | "slow_fill_requested" | "filled";

const STATES: readonly RelayState[] = ["unfilled", "slow_fill_requested", "filled"];

/**
 * Asks the destination's SpokePool for a transfer's state, in one call and whatever its age. Throws what the
 * chain client throws; an answer of another shape is an Error. Source: SpokePool.sol `fillStatuses`.
 */
export async function readRelayState(
  client: ChainClient,
  of: { deposited: Deposited; destination: Deployment },
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

/** Reads a block's number and time; null: the newest. Throws what the chain client throws, or a ZodError. */
export async function readBlock(client: ChainClient, number: bigint | null): Promise<BlockStamp> {
  const tag = number === null ? "latest" : numberToHex(number);
  return BlockShape.parse(await client.request("eth_getBlockByNumber", [tag, false]));
}
