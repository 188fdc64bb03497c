import { type Address, encodeDeployData } from "viem";
import { augustusExecutorAbi, augustusExecutorCreationCode, augustusV6CreationCode } from "#stand-ins/velora";
import type { ChainScript } from "./chain-script.ts";

/** Velora's contracts on one chain. */
export interface VeloraContracts {
  veloraRouter: Address;
  /** Contract that swaps on the exchange. */
  veloraExecutor: Address;
}

/** Queues the deployment of Velora's router, and of the executor that swaps on the exchange. */
export function deployVelora(script: ChainScript, exchange: Address): VeloraContracts {
  const veloraRouter = script.deploy("AugustusV6", augustusV6CreationCode);
  const data = encodeDeployData({
    abi: augustusExecutorAbi,
    bytecode: augustusExecutorCreationCode,
    args: [exchange],
  });
  return { veloraRouter, veloraExecutor: script.deploy("AugustusExecutor", data) };
}
