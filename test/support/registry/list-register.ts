import { type Address, encodeFunctionData } from "viem";
import { contractsOf, deploy, type ScratchChain, send } from "../../../scripts/stack/chains/scratch-chain.ts";

const { abi, creationCode } = contractsOf("test/support/solidity/VaultRegisters.sol")("ListRegister");

/** A register of vaults with the views and events of every protocol's. */
export interface ListRegister {
  address: Address;
  /** Sends a call of a function by name. */
  call(functionName: string, args: readonly unknown[]): Promise<unknown>;
}

/** Deploys a register that lists nothing. */
export async function deployListRegister(chain: ScratchChain): Promise<ListRegister> {
  const address = await deploy(chain, creationCode);
  const call: ListRegister["call"] = (functionName, args) =>
    send(chain, { to: address, data: encodeFunctionData({ abi, functionName, args }) });
  return { address, call };
}
