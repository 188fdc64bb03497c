import { type Address, type Hex, isHex, size, zeroHash } from "viem";
import { parseAddress } from "../lib/address.ts";
import type { Vault } from "./vault.ts";

/** One of a few words that a registry row must have under a name. Throws an Error for any other, or none. */
export function choiceParam<const C extends string>(
  vault: Pick<Vault, "vaultId" | "params">,
  param: { name: string; choices: readonly C[] },
): C {
  const told = vault.params[param.name] ?? "";
  const choice = param.choices.find((known) => known === told);
  if (choice === undefined) {
    throw new Error(`${vault.vaultId}: ${param.name} is one of ${param.choices.join(", ")}, not "${told}"`);
  }
  return choice;
}

/** An address that a registry row may have under a name; null: it has none. Throws an Error for anything else. */
export function addressParam(vault: Pick<Vault, "vaultId" | "params">, name: string): Address | null {
  const told = vault.params[name];
  if (told === undefined || told === "") return null;
  const address = parseAddress(told);
  if (address === null) throw new Error(`${vault.vaultId}: ${name} is no address: "${told}"`);
  return address;
}

/** A bytes32 that a registry row may have under a name; zero when it has none. Throws an Error for anything else. */
export function wordParam(vault: Pick<Vault, "vaultId" | "params">, name: string): Hex {
  const told = vault.params[name] ?? "";
  if (told === "") return zeroHash;
  if (!isHex(told) || size(told) !== 32) {
    throw new Error(`${vault.vaultId}: ${name} is no bytes32: "${told}"`);
  }
  return told;
}
