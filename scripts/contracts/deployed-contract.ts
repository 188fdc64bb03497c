import { getContractAddress, type Hex, keccak256 } from "viem";
import type { CompiledContract } from "./compile.ts";

/** A contract as the CREATE2 factory deploys it on every chain. */
export interface DeployedContract {
  address: Hex;
  /** Address and runtime code of the contract that this contract's constructor creates. */
  child: Hex;
  childCode: Hex;
  /** Runtime code with its immutables filled in, and its keccak256, as EXTCODEHASH returns it. */
  runtimeCode: Hex;
  codeHash: Hex;
}

/**
 * Computes the result of the factory's call. The contract has exactly one immutable: the address of the contract that
 * its constructor creates (a new contract's first nonce is 1: EIP-161). That child has two, in this order: its creator's
 * address and its own. Throws on any other number of immutables.
 */
export function deployedBy(
  { contract, child: created }: { contract: CompiledContract; child: CompiledContract },
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
  // The compiler numbers its declarations in the order of the source.
  const own = Object.entries(created.immutables).sort(([a], [b]) => Number(a) - Number(b));
  if (own.length !== 2) throw new Error(`expected two immutables of the child, found ${own.length}`);
  const childCode = own.reduce<Hex>(
    (code, [, ranges], at) =>
      ranges.reduce((text, range) => fill(text, range, at === 0 ? address : child), code),
    created.runtimeCode,
  );
  return { address, child, childCode, runtimeCode, codeHash: keccak256(runtimeCode) };
}

function fill(code: Hex, range: { start: number; length: number }, address: Hex): Hex {
  const from = 2 + range.start * 2;
  const word = address
    .slice(2)
    .toLowerCase()
    .padStart(range.length * 2, "0");
  return `0x${code.slice(2, from)}${word}${code.slice(from + range.length * 2)}`;
}
