import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToString,
  parseAbi,
} from "viem";
import { createQuery, type Query, type Read, type ReadResult, read, valueOrNull } from "../chains/query.ts";
import type { VaultCaller } from "../db/schema/vaults.ts";
import { once } from "../lib/once.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import type { VaultType } from "../schemas/vault.ts";
import type { StoredVault, Token } from "./vault.ts";

/** What a vault's own contracts say of everything that its registry row needs. */
export interface DerivedVault {
  /** Empty: it has none. */
  name: string;
  asset: Token;
  /** Every token it takes without a swap, the asset first. */
  acceptedAssets: readonly Token[];
  shareToken: Address;
  shareDecimals: number;
  /** Whom the deposit calls. */
  entryPoint: Address;
  /** Who takes the asset. */
  spender: Address;
  /** Who says what a share is worth. */
  pricer: Address;
  /** For families that decide it on chain; absent: the row keeps its own. */
  caller?: VaultCaller;
  params?: Readonly<Record<string, string>>;
}

/** A vault as its chain gives it, or why it does not. */
export type Derivation = { ok: true; vault: DerivedVault } | { ok: false; reason: string };

export const underivable = (reason: string): Derivation => ({ ok: false, reason });

const tokenAbi = once(() =>
  parseAbi(["function symbol() view returns (string)", "function decimals() view returns (uint8)"]),
);

/** Of tokens from before the standard's text, such as Maker's. */
const oldTokenAbi = once(() => parseAbi(["function symbol() view returns (bytes32)"]));

/** The most decimals a token may have here: its unit then still fits a price of 18 digits into a word. */
const MAX_DECIMALS = 36;

/** A token by its own word; null when it does not say what it is called and how it counts. */
export function tokenQuery(address: Address): Query<Token | null> {
  const onToken = { to: address, abi: tokenAbi() } as const;
  return createQuery(
    {
      symbol: read({ ...onToken, name: "symbol" }),
      oldSymbol: read({ to: address, abi: oldTokenAbi(), name: "symbol" }),
      decimals: read({ ...onToken, name: "decimals" }),
    },
    (results) => {
      const old = valueOrNull(results.oldSymbol);
      const told = valueOrNull(results.symbol) ?? (old === null ? null : hexToString(old, { size: 32 }));
      const symbol = sanitizeLabel(told, 32);
      const decimals = valueOrNull(results.decimals);
      if (symbol === "" || decimals === null || decimals > MAX_DECIMALS) return null;
      return { address, symbol, decimals };
    },
  );
}

/** What a contract calls itself, as far as it is text that can be stored and shown; cut to `length` characters. */
export function sanitizeLabel(text: string | null, length: number): string {
  return [...(text ?? "").replaceAll(/\p{C}/gu, "")].slice(0, length).join("").trim();
}

/**
 * Which vault is meant, and what its registry row says of it where there is one. Each token and address is asked of
 * the chain, none is taken on trust; what no contract tells is kept as the reviewed row has it.
 */
export interface DerivationSubject extends VaultKey {
  tokens: readonly Address[];
  /** Null: nothing was reviewed or derived yet. */
  entryPoint: Address | null;
  params: Readonly<Record<string, string>>;
}

/** A vault of which nothing is known but where it is. */
export const unreviewedSubject = ({ chainId, address }: VaultKey): DerivationSubject => ({
  ...{ chainId, address, tokens: [], entryPoint: null, params: {} },
});

/** A vault as its registry row has it. */
export function subjectOfRow(row: StoredVault): DerivationSubject {
  const { chainId, address, acceptedAssets, entryPoint, params } = row;
  const tokens = [row.assetAddress, ...acceptedAssets.map((token) => token.address)].map((text) =>
    getAddress(text),
  );
  return { chainId, address: getAddress(address), tokens, entryPoint: getAddress(entryPoint), params };
}

/** How the vaults of one adapter are found from one address. Does no I/O. */
export interface Deriver {
  /** The adapter's name. */
  adapter: string;
  /** The public family label of its vaults. */
  type: VaultType;
  /** Whether only this family's vaults pass: then one that passes is of this family. */
  telling: boolean;
  /** Finds what the registry holds of a vault from the vault itself, in as many rounds of reads as that takes. */
  derive(subject: DerivationSubject): Query<Derivation>;
}

/** No derivation, and why: for people. */
export function underivableQuery(reason: string): Query<Derivation> {
  return { reads: {}, interpret: () => underivable(reason) };
}

/** Calls a function that is no view, to see whether the contract has it: what it would do is not done. */
export function probeFunction(call: {
  to: Address;
  abi: Abi;
  name: string;
  args: readonly unknown[];
}): Read<Hex> {
  const data = encodeFunctionData({ abi: call.abi, functionName: call.name, args: [...call.args] });
  return { to: call.to, data, decode: (answer) => answer };
}

/** Whether a contract has a function: one that it has not reverts without a word. */
export function hasFunction(result: ReadResult<Hex>): boolean {
  return result.ok || (result.revert !== null && result.revert !== "0x");
}
