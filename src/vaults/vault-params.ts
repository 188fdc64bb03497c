import { type Address, type Hex, isHex, zeroHash } from "viem";
import { parseAddress } from "../lib/address.ts";
import type { Token, Vault } from "./vault.ts";

/**
 * Reads a required parameter with a fixed set of values from a vault's registry entry. Throws an Error if it is missing
 * or has another value.
 */
export function choiceParam<const C extends string>(
  vault: Pick<Vault, "vaultId" | "params">,
  param: { name: string; choices: readonly C[] },
): C {
  const text = vault.params[param.name] ?? "";
  const choice = param.choices.find((known) => known === text);
  if (choice === undefined) {
    throw new Error(`${vault.vaultId}: ${param.name} is one of ${param.choices.join(", ")}, not "${text}"`);
  }
  return choice;
}

/** Like `choiceParam`, but returns null if the parameter is missing or empty. */
export function optionalChoiceParam<const C extends string>(
  vault: Pick<Vault, "vaultId" | "params">,
  param: { name: string; choices: readonly C[] },
): C | null {
  return (vault.params[param.name] ?? "") === "" ? null : choiceParam(vault, param);
}

/**
 * Reads an optional address parameter from a vault's registry entry, or returns null if it is missing or empty. Throws
 * an Error if it is not an address.
 */
export function addressParam(vault: Pick<Vault, "vaultId" | "params">, name: string): Address | null {
  const text = vault.params[name] ?? "";
  return text === "" ? null : requireAddress(vault, { name, text });
}

/**
 * Reads an optional list of addresses, separated by commas, from a vault's registry entry. Empty if the parameter is
 * missing or empty. Throws an Error for an invalid item.
 */
export const addressesParam = (vault: Pick<Vault, "vaultId" | "params">, name: string): Address[] =>
  (vault.params[name] ?? "")
    .split(",")
    .filter((text) => text !== "")
    .map((text) => requireAddress(vault, { name, text }));

function requireAddress({ vaultId }: Pick<Vault, "vaultId">, of: { name: string; text: string }): Address {
  const address = parseAddress(of.text);
  if (address === null) throw new Error(`${vaultId}: ${of.name} is no address: "${of.text}"`);
  return address;
}

/** Returns true for `0x` and the hex digits of exactly `bytes` bytes. viem's `size` rounds half a byte up. */
export const isHexOfBytes = (text: string, bytes: number): text is Hex =>
  isHex(text) && text.length === 2 + 2 * bytes;

/**
 * Reads an optional bytes32 parameter from a vault's registry entry, or returns the zero word if it is missing or
 * empty. Throws an Error if it is not a bytes32 value.
 */
export function wordParam(vault: Pick<Vault, "vaultId" | "params">, name: string): Hex {
  const text = vault.params[name] ?? "";
  if (text === "") return zeroHash;
  if (!isHexOfBytes(text, 32)) {
    throw new Error(`${vault.vaultId}: ${name} is no bytes32: "${text}"`);
  }
  return text;
}

/** Pattern of an entry in a parameter that lists tokens: address, decimals and symbol. */
const TOKEN_ENTRY = /^(0x[0-9a-fA-F]{40})\/(\d{1,2})\/(\S{1,32})$/;

/**
 * Reads an optional list of tokens, `<address>/<decimals>/<symbol>` separated by commas, from a vault's registry entry.
 * Empty if the parameter is missing or empty. Throws an Error for an invalid item.
 */
export function tokensParam(vault: Pick<Vault, "vaultId" | "params">, name: string): Token[] {
  const entries = (vault.params[name] ?? "").split(",").filter((text) => text !== "");
  return entries.map((text) => {
    const [, hex = "", decimals, symbol = ""] = TOKEN_ENTRY.exec(text) ?? [];
    const address = parseAddress(hex);
    if (address === null) throw new Error(`${vault.vaultId}: ${name} has no token in "${text}"`);
    return { address, decimals: Number(decimals), symbol };
  });
}

/**
 * Formats tokens as a parameter for `tokensParam`. Leaves out tokens that its format cannot hold, such as those with an
 * empty symbol or one with a comma or white space.
 */
export const tokenList = (tokens: readonly Token[]): string =>
  tokens
    .map(({ address, decimals, symbol }) => `${address.toLowerCase()}/${decimals}/${symbol}`)
    .filter((text) => TOKEN_ENTRY.test(text) && !text.includes(","))
    .join(",");

/** An address in a registry entry, unless it is that of a token (`address/decimals/symbol`) or a part of a longer word. */
const CONTRACT = /0x[0-9a-f]{40}(?![0-9a-f/])/g;

/**
 * Returns the contracts that a vault's registry entry names, in lowercase: the vault, its entry point, its share token and
 * those of its parameters, but not the tokens that it takes and pays. They emit all events that show its flows and
 * requests.
 */
export const contractsOfEntry = (vault: Vault): string[] => {
  const { address, entryPoint, shareToken, params } = vault;
  const text = [address, entryPoint, shareToken, ...Object.values(params)].join().toLowerCase();
  return [...text.matchAll(CONTRACT)].map(([one]) => one);
};

/** Returns registry parameters without those with the given names. */
export const withoutParams = (
  params: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));

/**
 * Returns registry parameters with `withdraw_seconds` set to `seconds`, the wait for withdrawals, or without this
 * parameter if `seconds` is null.
 */
export function withWithdrawSeconds(
  params: Readonly<Record<string, string>>,
  seconds: bigint | number | null,
): Record<string, string> {
  const others = withoutParams(params, ["withdraw_seconds"]);
  return seconds === null ? others : { ...others, withdraw_seconds: String(seconds) };
}
