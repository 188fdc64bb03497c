import { type Address, hexToString, parseAbi } from "viem";
import { type Described, describe, read, valueOrNull } from "../chains/read.ts";
import type { VaultCaller } from "../db/schema.ts";
import { once } from "../lib/once.ts";
import type { Token } from "./vault.ts";

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
export function describeToken(address: Address): Described<Token | null> {
  const onToken = { to: address, abi: tokenAbi() } as const;
  return describe(
    {
      symbol: read({ ...onToken, name: "symbol" }),
      oldSymbol: read({ to: address, abi: oldTokenAbi(), name: "symbol" }),
      decimals: read({ ...onToken, name: "decimals" }),
    },
    (results) => {
      const old = valueOrNull(results.oldSymbol);
      const told = valueOrNull(results.symbol) ?? (old === null ? null : hexToString(old, { size: 32 }));
      const symbol = toLabel(told, 32);
      const decimals = valueOrNull(results.decimals);
      if (symbol === "" || decimals === null || decimals > MAX_DECIMALS) return null;
      return { address, symbol, decimals };
    },
  );
}

/** What a contract calls itself, as far as it is text that can be stored and shown; cut to `length` characters. */
export function toLabel(text: string | null, length: number): string {
  return [...(text ?? "").replaceAll(/\p{C}/gu, "")].slice(0, length).join("").trim();
}
