import type { Abi, Address, Hex } from "viem";
import { parseEther } from "viem";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import type { SimulationCall } from "../../../src/chains/simulator/simulation.ts";
import { callOf, tokenAbi } from "./simulate.ts";

export const USER: Address = "0x1111111111111111111111111111111111111111";
export const STRANGER: Address = "0x2222222222222222222222222222222222222222";

export const contracts = contractsOf("test/support/solidity/SimulationTargets.sol");

/** A chain with a vault, its asset, of which the user holds 1,000, and contracts with other behaviour. */
export interface Stage {
  chain: ScratchChain;
  asset: Address;
  vault: Address;
  wrapped: Address;
  prober: Address;
  approve(amount: bigint): SimulationCall;
  deposit(amount: bigint): SimulationCall;
  /** Encodes a call of the prober's function `name`. */
  probe(name: string, args?: readonly unknown[], value?: bigint): SimulationCall;
}

/** Starts the chain and deploys the contracts. */
export async function setStage(): Promise<Stage> {
  const chain = await startScratchChain();
  const asset = await deploy(chain, contracts("Asset").creationCode);
  const argument = asset.slice(2).padStart(64, "0");
  const vault = await deploy(chain, `${contracts("Vault").creationCode}${argument}` as Hex);
  const wrapped = await deploy(chain, contracts("Wrapped").creationCode);
  const prober = await deploy(chain, contracts("Prober").creationCode);
  await chain.node.setBalance({ address: USER, value: parseEther("10") });
  const mint = callOf(contracts("Asset").abi, { target: asset, name: "mint", args: [USER, 1000n] });
  await send(chain, { to: asset, data: mint.data });
  const abi: Abi = contracts("Prober").abi;
  return {
    ...{ chain, asset, vault, wrapped, prober },
    approve: (amount) => callOf(tokenAbi, { target: asset, name: "approve", args: [vault, amount] }),
    deposit: (amount) => callOf(tokenAbi, { target: vault, name: "deposit", args: [amount, USER] }),
    probe: (name, args = [], value = 0n) => callOf(abi, { target: prober, name, args, value }),
  };
}

/** Sends a call of the user as a separate transaction. */
export function transact({ chain }: Stage, { target, value, data }: SimulationCall) {
  return send(chain, { from: USER, to: target, value, data });
}
