import { type Address, getAddress, type Hex, size, slice, toFunctionSelector } from "viem";
import { once } from "../lib/once.ts";
import type { Vault } from "../vaults/vault.ts";
import { addressParam } from "../vaults/vault-params.ts";

/** Length of a word of calldata and of a selector, in bytes. */
const WORD = 32;
const SELECTOR = 4;

/**
 * Meaning of a 32-byte word in a redemption's calldata. `minimum18`: a minimum with 18 decimals for every token;
 * `limit`: a minimum or a maximum loss, by family; `terms`: a queue's terms, which are not checked.
 */
type WordRole =
  | "shares"
  | "receiver"
  | "owner"
  | "token"
  | "minimum"
  | "minimum18"
  | "limit"
  | "zero"
  | "terms";

interface Redemption {
  /**
   * Contract that has the function: `entry_point`, or the name of an adapter parameter in the vault's registry entry.
   */
  at: string;
  words: readonly WordRole[];
  /** True if the call only requests the redemption, which the vault pays later. */
  async: boolean;
}

const ENTRY = "entry_point";

/**
 * Redemption functions of all families by signature. This table duplicates the families' encoders on purpose: a mistake
 * in an encoder is detected when its calldata is decoded. Source: the families' contracts.
 */
const REDEMPTIONS: Readonly<Record<string, Redemption>> = {
  "redeem(uint256,address,address)": paid(ENTRY, "shares", "receiver", "owner"),
  "redeem(uint256,address,address,uint256)": paid(ENTRY, "shares", "receiver", "owner", "limit"),
  "syncRedeem(uint256,address,uint256)": paid(ENTRY, "shares", "receiver", "minimum"),
  "withdraw(address,uint256,uint256,address)": paid(ENTRY, "token", "shares", "minimum", "receiver"),
  "instantRedeem(uint256,address)": paid(ENTRY, "shares", "receiver"),
  "instantRedeem(uint256,address,address)": paid(ENTRY, "shares", "receiver", "owner"),
  "redeem(uint256,address)": paid("sync_redeem_queue", "shares", "receiver"),
  "redeemInstant(address,uint256,uint256)": paid("redemption_vault", "token", "shares", "minimum18"),
  "redeemInstant(address,uint256,uint256,address)": paid(
    ...(["redemption_vault", "token", "shares", "minimum18", "receiver"] as const),
  ),
  "requestRedeem(uint256,address,address)": requested(ENTRY, "shares", "receiver", "owner"),
  "requestRedeem(uint256,address)": requested(ENTRY, "shares", "receiver"),
  "cooldownShares(uint256)": requested(ENTRY, "shares"),
  "cooldownShares(uint256,address)": requested(ENTRY, "shares", "owner"),
  "requestShares(uint256)": requested("withdraw_manager", "shares"),
  "redeem(uint256)": requested("redeem_queue", "shares"),
  "redeemRequest(address,uint256)": requested("redemption_vault", "token", "shares"),
  "requestWithdraw(address,uint96,uint16,bool)": requested(
    ...(["delayed_withdraw", "token", "shares", "zero", "zero"] as const),
  ),
  "requestOnChainWithdraw(address,uint128,uint16,uint24)": requested(
    ...(["withdraw_queue", "token", "shares", "terms", "terms"] as const),
  ),
};

function paid(at: string, ...words: readonly WordRole[]): Redemption {
  return { at, words, async: false };
}

function requested(at: string, ...words: readonly WordRole[]): Redemption {
  return { at, words, async: true };
}

const bySelector = once(
  () =>
    new Map(
      Object.entries(REDEMPTIONS).map(([signature, redemption]) => [
        toFunctionSelector(`function ${signature}`),
        redemption,
      ]),
    ),
);

/**
 * Contents of a redemption's calldata, decoded without the encoder of the vault's family. A parameter that the function
 * does not have is null.
 */
export interface DecodedExitCall {
  /** Contract in the vault's registry entry that has this function, or null if the entry does not contain it. */
  target: Address | null;
  shares: DecodedWord | null;
  receiver: DecodedWord | null;
  owner: DecodedWord | null;
  token: DecodedWord | null;
  /** Minimum payment, in the token's smallest unit, or with 18 decimals if `minimumIn18` is true. */
  minimum: bigint | null;
  /** True if the minimum has 18 decimals for every token. */
  minimumIn18: boolean;
  /** Maximum loss that the call accepts, in basis points. */
  maxLossBps: bigint | null;
  /** True for the functions that request a redemption. Some families queue what others redeem at once. */
  async: boolean;
}

/** A word of calldata: its byte offset and its value. */
export interface DecodedWord {
  offset: bigint;
  value: bigint;
}

/**
 * Decodes the calldata of a redemption or redemption request. Returns null if it is not recognised. Checks neither the
 * sender nor the called contract; compare the latter with `target`.
 */
export function decodeExitCall(vault: Vault, data: Hex): DecodedExitCall | null {
  if (size(data) < SELECTOR) return null;
  const redemption = bySelector().get(slice(data, 0, SELECTOR).toLowerCase() as Hex);
  if (redemption === undefined || size(data) !== SELECTOR + WORD * redemption.words.length) return null;
  const words = redemption.words.map((role, index) => ({ role, ...wordAt(data, index) }));
  if (words.some(({ role, value }) => role === "zero" && value !== 0n)) return null;
  const find = (role: WordRole): DecodedWord | null => words.find((word) => word.role === role) ?? null;
  const limit = find("limit")?.value ?? null;
  if (limit !== null && !LIMITS.has(vault.adapter)) return null;
  const isMinimum = LIMITS.get(vault.adapter) === "minimum";
  const minimum = find("minimum") ?? find("minimum18");
  return {
    target: redemption.at === ENTRY ? vault.entryPoint : addressParam(vault, redemption.at),
    ...{ shares: find("shares"), receiver: find("receiver"), owner: find("owner"), token: find("token") },
    minimum: minimum?.value ?? (isMinimum ? limit : null),
    minimumIn18: find("minimum18") !== null,
    maxLossBps: isMinimum ? null : limit,
    async: redemption.async,
  };
}

/**
 * Meaning of the last parameter of the four-argument `redeem`, by family. Both meanings have the same function
 * selector.
 */
const LIMITS: ReadonlyMap<string, "minimum" | "loss"> = new Map([
  ["fluid", "minimum"],
  ["yearn_v3", "loss"],
]);

function wordAt(data: Hex, index: number): DecodedWord {
  const offset = SELECTOR + WORD * index;
  return { offset: BigInt(offset), value: BigInt(slice(data, offset, offset + WORD)) };
}

/** Returns true if a word is the given address, left-padded with zeros, in any letter case. */
export function isAddressWord(word: DecodedWord, address: Address): boolean {
  return word.value === BigInt(getAddress(address));
}
