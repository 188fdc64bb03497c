import { concatHex, type Hex, numberToHex, pad, size, slice } from "viem";
import type { Json } from "../lifi/captured.ts";
import { ATTACKER } from "../lifi/parts.ts";
import { type Trade, trades } from "./trades.ts";
import type { Providers, TradeOptions } from "./world.ts";

/** An attack on otherwise honest answers, with what the service must do about it. */
export interface FieldAttack extends Pick<TradeOptions, "retell" | "reshape" | "priceOf" | "priced"> {
  name: string;
  trade: Trade;
  providers: Providers;
  /**
   * `refused`: nothing is built. `harmless`: a deposit may be built, but a fair one only, and nothing of the attack is
   * left in its calldata.
   */
  must: "refused" | "harmless";
}

export function tradeOf(name: string, tool?: string): Trade {
  const trade = trades.find((one) => one.name === name);
  if (trade === undefined) throw new Error(`no trade ${name}`);
  return tool === undefined ? trade : { ...trade, tools: [tool] };
}

export const onBase = tradeOf("WETH swapped on one chain, two steps");
export const onGnosis = tradeOf("WETH swapped on Gnosis, two steps");

/** Sets a field of a response by its path. */
export const edit = (answer: Json, path: readonly string[], value: unknown): Json => {
  const [key = "", ...rest] = path;
  return { ...answer, [key]: rest.length === 0 ? value : edit((answer[key] ?? {}) as Json, rest, value) };
};

export type Change = (data: Hex) => Hex;

/** Replaces the 32-byte word number `at` after the selector. */
export const setWord =
  (at: number, word: Hex): Change =>
  (data) =>
    concatHex([slice(data, 0, 4 + at * 32), word, ...tail(data, 4 + at * 32 + 32)]);
const tail = (data: Hex, from: number): Hex[] => (from < size(data) ? [slice(data, from)] : []);
const wordAt = (data: Hex, at: number): Hex => slice(data, 4 + at * 32, 4 + at * 32 + 32);
export const copyWord =
  (from: number, to: number): Change =>
  (data) =>
    setWord(to, wordAt(data, from))(data);
export const dirtied =
  (at: number): Change =>
  (data) =>
    setWord(at, concatHex([`0x${"ff".repeat(12)}`, slice(wordAt(data, at), 12)]))(data);
/** Appends the attacker's address, as a contract that reads the end of its calldata would find it. */
export const trailing: Change = (data) => concatHex([data, pad(ATTACKER, { size: 32 })]);
/** An offset that leads back to the first argument when it wraps around. */
export const WRAPPED = numberToHex(2n ** 256n - 32n, { size: 32 });
