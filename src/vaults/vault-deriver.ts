import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToString,
  parseAbi,
  zeroAddress,
} from "viem";
import {
  createQuery,
  type Query,
  type Read,
  type ReadResult,
  read,
  valueOrNull,
} from "../chains/chain-reads.ts";
import type { VaultCaller } from "../db/tables/vault-tables.ts";
import { once } from "../lib/once.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import type { StoredVault, Token } from "./vault.ts";

/** The part of a vault's registry entry that is read from on-chain data. */
export interface DerivedVault {
  /** The name of the vault or of its share token, at most 120 characters, or an empty string if it has none. */
  name: string;
  asset: Token;
  /** The tokens that the vault is known to accept without a swap. */
  acceptedAssets: readonly Token[];
  shareToken: Address;
  shareDecimals: number;
  /** The contract that a deposit calls. */
  entryPoint: Address;
  /** The contract that pulls the deposited token and therefore needs the allowance. */
  spender: Address;
  /** The contract from which the share price is read. */
  pricer: Address;
  /**
   * `router` if the Router may call the vault to deposit, `user` if only the user may. Absent if on-chain data does not
   * determine it; the registry entry then keeps its value.
   */
  caller?: VaultCaller;
  /** The family's parameters for the registry entry. Absent if the entry keeps its own. */
  params?: Readonly<Record<string, string>>;
}

/**
 * Result of deriving a registry entry from the chain: the vault, or a human-readable reason for the failure. `closed`:
 * the contract may be such a vault, but a view that it needs reverts now, as while it is paused.
 */
export type Derivation = { ok: true; vault: DerivedVault } | { ok: false; reason: string; closed?: true };

/** Creates the result of a failed derivation, with a human-readable reason. */
export const underivable = (reason: string): Derivation => ({ ok: false, reason });

/** Creates a query without reads whose result is a failed derivation with the given reason. */
export function underivableQuery(reason: string): Query<Derivation> {
  return { reads: {}, interpret: () => underivable(reason) };
}

const tokenAbi = once(() =>
  parseAbi(["function symbol() view returns (string)", "function decimals() view returns (uint8)"]),
);

/** `symbol()` as bytes32, as in tokens that predate the final ERC-20, such as Maker's MKR. */
const bytes32SymbolAbi = once(() => parseAbi(["function symbol() view returns (bytes32)"]));

const shareTokenAbi = once(() =>
  parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);

/** Maximum supported number of decimals of a vault's asset, accepted tokens and share token. */
export const MAX_DECIMALS = 36;
/** Length to which a vault name from a contract is cut, in characters. */
export const MAX_NAME_LENGTH = 120;

/**
 * Returns a query for a token's symbol, cut to 32 characters, and its decimals. A symbol returned as bytes32 is read
 * too. The result is null if the symbol is missing or empty, or if the decimals are missing or above 36.
 */
export function tokenQuery(address: Address): Query<Token | null> {
  const onToken = { to: address, abi: tokenAbi() } as const;
  return createQuery(
    {
      symbol: read({ ...onToken, name: "symbol" }),
      oldSymbol: read({ to: address, abi: bytes32SymbolAbi(), name: "symbol" }),
      decimals: read({ ...onToken, name: "decimals" }),
    },
    (results) => {
      const old = valueOrNull(results.oldSymbol);
      const text = valueOrNull(results.symbol) ?? (old === null ? null : hexToString(old, { size: 32 }));
      const symbol = sanitizeLabel(text, 32);
      const decimals = valueOrNull(results.decimals);
      if (symbol === "" || decimals === null || decimals > MAX_DECIMALS) return null;
      return { address, symbol, decimals };
    },
  );
}

/** A share token's name and decimals. */
export interface ShareTokenInfo {
  /** The token's name, cut to 120 characters, or an empty string if it has none. */
  name: string;
  /** The decimals that the token reports, which may be above `MAX_DECIMALS`. */
  decimals: number;
}

/**
 * Returns a query for a share token's name and decimals. The result is null if `decimals()` or `totalSupply()` cannot
 * be read.
 */
export function shareTokenQuery(address: Address): Query<ShareTokenInfo | null> {
  const on = { to: address, abi: shareTokenAbi() } as const;
  return createQuery(
    {
      name: read({ ...on, name: "name" }),
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
    },
    ({ name, decimals, supply }) =>
      decimals.ok && supply.ok
        ? { name: sanitizeLabel(valueOrNull(name), MAX_NAME_LENGTH), decimals: decimals.value }
        : null,
  );
}

/**
 * Removes the characters of Unicode category C (such as control and format characters) from text that a contract
 * returned, cuts it to `length` characters and trims it. Returns an empty string for null.
 */
export function sanitizeLabel(text: string | null, length: number): string {
  return [...(text ?? "").replaceAll(/\p{C}/gu, "")].slice(0, length).join("").trim();
}

/** The vault to derive, with the parts of its earlier registry entry that a derivation may need. */
export interface DerivationSubject extends VaultKey {
  /** Asset of the earlier registry entry, or null if it names none. */
  asset: Address | null;
  /** Tokens to check as asset or accepted token, the known asset first. Empty if none is known. */
  tokens: readonly Address[];
  /** Entry point of the earlier registry entry, or null if there is none. */
  entryPoint: Address | null;
  /** Parameters of the earlier registry entry; empty if there is none. */
  params: Readonly<Record<string, string>>;
}

/**
 * Creates the input for deriving a vault of which only the chain and the address are known: without tokens, entry point
 * or parameters.
 */
export const unreviewedSubject = ({ chainId, address }: VaultKey): DerivationSubject => ({
  ...{ chainId, address, asset: null, tokens: [], entryPoint: null, params: {} },
});

/**
 * Creates the input for deriving a vault again from its stored row. Throws viem's InvalidAddressError for an invalid
 * address.
 */
export function subjectOfRow(
  row: Pick<StoredVault, "chainId" | "address" | "assetAddress" | "acceptedAssets" | "entryPoint" | "params">,
): DerivationSubject {
  const { chainId, address, acceptedAssets, entryPoint, params } = row;
  // A claim by address alone has the zero address until its asset is read.
  const [asset, ...others] = [row.assetAddress, ...acceptedAssets.map((token) => token.address)]
    .map((text) => getAddress(text))
    .map((token) => (token === zeroAddress ? null : token));
  const tokens = [asset, ...others].flatMap((token) => token ?? []);
  const known = { asset: asset ?? null, tokens };
  return { chainId, address: getAddress(address), ...known, entryPoint: getAddress(entryPoint), params };
}

/** Derives the registry entry of a family's vault from the chain, starting from one address. Does no I/O itself. */
export interface Deriver {
  /** True if a successful derivation identifies the family: it is made to fail for vaults of all other families. */
  conclusive: boolean;
  /** Returns a query for the registry entry's columns that the chain shows, in as many batches as needed. */
  derive(subject: DerivationSubject): Query<Derivation>;
  /**
   * Returns a query for a sentence that describes a contract of the protocol that is not a vault; null if it is not
   * recognized. Absent if the family recognizes none.
   */
  describeOther?(address: Address): Query<string | null>;
  /**
   * The registry parameter (`param`) of a contract that no view of the vault names, and the storage slots that may name
   * it: the first that is not zero counts. `derive` still checks it, as a parameter of the earlier entry.
   */
  stored?: { param: string; slots: readonly Hex[] };
}

/**
 * Creates a read that calls a state-changing function, for example to probe whether a contract has it (see
 * `hasFunction`). It is an `eth_call`, which changes nothing.
 */
export function probeFunction(call: {
  to: Address;
  abi: Abi;
  name: string;
  args: readonly unknown[];
}): Read<Hex> {
  const data = encodeFunctionData({ abi: call.abi, functionName: call.name, args: [...call.args] });
  return { to: call.to, data, decode: (answer) => answer };
}

/**
 * Returns true if a probed contract seems to have the function: the call succeeded, or reverted with data. True also
 * for an address without code, so other reads must show that there is a contract.
 */
export function hasFunction(result: ReadResult<Hex>): boolean {
  return result.ok || (result.revert !== null && result.revert !== "0x");
}
