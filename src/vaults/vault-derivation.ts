import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToString,
  parseAbi,
} from "viem";
import {
  createQuery,
  type Query,
  type Read,
  type ReadResult,
  read,
  valueOrNull,
} from "../chains/chain-query.ts";
import type { VaultCaller } from "../db/schema/vault-tables.ts";
import { once } from "../lib/once.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import type { StoredVault, Token } from "./vault.ts";

/** The columns of a vault's registry row, read from its own contracts. */
export interface DerivedVault {
  /** Empty when the vault has no name. */
  name: string;
  asset: Token;
  /** Every token that the vault accepts without a swap, the asset first. */
  acceptedAssets: readonly Token[];
  shareToken: Address;
  shareDecimals: number;
  /** The contract that a deposit calls. */
  entryPoint: Address;
  /** The contract that takes the asset and needs the allowance. */
  spender: Address;
  /** The contract that prices shares. */
  pricer: Address;
  /** The account that must call, where the chain decides it. Absent: the row keeps its own. */
  caller?: VaultCaller;
  params?: Readonly<Record<string, string>>;
}

/** A vault derived from its chain, or the reason why it could not be. */
export type Derivation = { ok: true; vault: DerivedVault } | { ok: false; reason: string };

/** A derivation that failed. `reason` is shown to people. */
export const underivable = (reason: string): Derivation => ({ ok: false, reason });

/** A derivation that failed, as a query without reads. */
export function underivableQuery(reason: string): Query<Derivation> {
  return { reads: {}, interpret: () => underivable(reason) };
}

const tokenAbi = once(() =>
  parseAbi(["function symbol() view returns (string)", "function decimals() view returns (uint8)"]),
);

/** `symbol()` of tokens older than ERC-20's final text, such as Maker's MKR. */
const bytes32SymbolAbi = once(() => parseAbi(["function symbol() view returns (bytes32)"]));

const shareTokenAbi = once(() =>
  parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);

/** The highest number of decimals that is supported: a share price with 18 digits still fits into 256 bits. */
export const MAX_DECIMALS = 36;
/** The longest vault name that is stored, in characters. */
export const MAX_NAME_LENGTH = 120;

/** Reads a token's symbol and decimals. Null when either is missing or not usable. */
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
  /** Empty when the token has no name. */
  name: string;
  decimals: number;
}

/** Reads a share token's name and decimals. Null when the contract has no decimals or no total supply. */
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

/** Removes control characters from a contract's text and cuts it to `length` characters. Null becomes empty. */
export function sanitizeLabel(text: string | null, length: number): string {
  return [...(text ?? "").replaceAll(/\p{C}/gu, "")].slice(0, length).join("").trim();
}

/**
 * The vault to derive, with the parts of its registry row that no contract names. Every address is checked on the chain;
 * parameters that no contract has are kept as reviewed.
 */
export interface DerivationSubject extends VaultKey {
  tokens: readonly Address[];
  /** Null when no row was reviewed or derived yet. */
  entryPoint: Address | null;
  params: Readonly<Record<string, string>>;
}

/** A vault of which only chain and address are known. */
export const unreviewedSubject = ({ chainId, address }: VaultKey): DerivationSubject => ({
  ...{ chainId, address, tokens: [], entryPoint: null, params: {} },
});

/** A vault as its registry row describes it. */
export function subjectOfRow(row: StoredVault): DerivationSubject {
  const { chainId, address, acceptedAssets, entryPoint, params } = row;
  const tokens = [row.assetAddress, ...acceptedAssets.map((token) => token.address)].map((text) =>
    getAddress(text),
  );
  return { chainId, address: getAddress(address), tokens, entryPoint: getAddress(entryPoint), params };
}

/** Finds a family's vaults on their chain. Does no I/O. */
export interface Deriver {
  /** True when only vaults of this family can be derived, so that a success identifies the family. */
  conclusive: boolean;
  /** Reads the columns of a vault's registry row, in as many rounds as that takes. */
  derive(subject: DerivationSubject): Query<Derivation>;
}

/** A call that probes whether a contract has a function that is no view. As an `eth_call`, it changes nothing. */
export function probeFunction(call: {
  to: Address;
  abi: Abi;
  name: string;
  args: readonly unknown[];
}): Read<Hex> {
  const data = encodeFunctionData({ abi: call.abi, functionName: call.name, args: [...call.args] });
  return { to: call.to, data, decode: (answer) => answer };
}

/** Returns true when a probed contract has the function: a contract without it reverts with no data. */
export function hasFunction(result: ReadResult<Hex>): boolean {
  return result.ok || (result.revert !== null && result.revert !== "0x");
}
