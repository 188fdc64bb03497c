import { getContractAddress, type Hex, keccak256 } from "viem";
import type { CompiledContract } from "./compile.ts";

/** A contract as the CREATE2 factory deploys it on every chain. */
export interface DeployedContract {
  address: Hex;
  /** Address of the contract that its constructor creates. */
  child: Hex;
  /** Runtime code with its immutables filled in, and its keccak256, as EXTCODEHASH returns it. */
  runtimeCode: Hex;
  codeHash: Hex;
}

/**
 * Computes the result of the factory's call. The contract has exactly one immutable: the address of the contract that
 * its constructor creates (a new contract's first nonce is 1: EIP-161). Throws on any other number of immutables.
 */
export function deployedBy(
  contract: CompiledContract,
  create2: { factory: Hex; salt: Hex },
): DeployedContract {
  const address = getContractAddress({
    opcode: "CREATE2",
    from: create2.factory,
    salt: create2.salt,
    bytecode: contract.creationCode,
  });
  const child = getContractAddress({ opcode: "CREATE", from: address, nonce: 1n });
  const immutables = Object.values(contract.immutables);
  if (immutables.length !== 1) throw new Error(`expected one immutable, found ${immutables.length}`);
  const runtimeCode = immutables
    .flat()
    .reduce<Hex>((code, range) => fill(code, range, child), contract.runtimeCode);
  return { address, child, runtimeCode, codeHash: keccak256(runtimeCode) };
}

function fill(code: Hex, range: { start: number; length: number }, address: Hex): Hex {
  const from = 2 + range.start * 2;
  const word = address
    .slice(2)
    .toLowerCase()
    .padStart(range.length * 2, "0");
  return `0x${code.slice(2, from)}${word}${code.slice(from + range.length * 2)}`;
}
