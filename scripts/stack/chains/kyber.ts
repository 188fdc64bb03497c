import { type Address, encodeDeployData } from "viem";
import {
  aggregationExecutorAbi,
  aggregationExecutorCreationCode,
  metaAggregationRouterCreationCode,
} from "#stand-ins/kyber";
import type { ChainScript } from "./chain-script.ts";

/** KyberSwap's contracts on one chain. */
export interface KyberContracts {
  kyberRouter: Address;
  /** Contract that swaps on the exchange. */
  kyberExecutor: Address;
}

/** Queues the deployment of KyberSwap's router, and of the executor that swaps on the exchange. */
export function deployKyber(script: ChainScript, exchange: Address): KyberContracts {
  const kyberRouter = script.deploy("MetaAggregationRouter", metaAggregationRouterCreationCode);
  const data = encodeDeployData({
    abi: aggregationExecutorAbi,
    bytecode: aggregationExecutorCreationCode,
    args: [exchange],
  });
  return { kyberRouter, kyberExecutor: script.deploy("AggregationExecutor", data) };
}
