import { type Address, zeroAddress } from "viem";
import { ATTACKER, DEX, DIAMOND, FEE_CONTRACT, NATIVE, ROUTER, tokens, USER, word } from "./parts.ts";
import type { Random } from "./random.ts";

type Tree = Record<string | number, unknown>;
export type Path = readonly (string | number)[];

export const ADDRESSES = [
  ATTACKER,
  USER,
  ROUTER,
  DEX,
  DIAMOND,
  FEE_CONTRACT,
  NATIVE,
  tokens.usdc[1],
  tokens.usdc[8453],
  tokens.usdc[42161],
  tokens.weth[8453],
  "0x11f111f111f111F111f111f111F111f111f111F1",
  "0x4DaC9d1769b9b304cb04741DCDEb2FC14aBdF110",
  "0x33b255b5db44A78c34381f89f1a454bc0Ef49871",
] as const;

/** Returns the paths of all leaves of a tree of objects and arrays. */
export function leafPaths(tree: unknown, at: Path = []): Path[] {
  if (typeof tree !== "object" || tree === null) return [at];
  return Object.entries(tree).flatMap(([key, value]) => leafPaths(value, [...at, key]));
}

/** Returns the paths of all non-empty arrays of a tree. */
export function arrays(tree: unknown, at: Path = []): Path[] {
  if (typeof tree !== "object" || tree === null) return [];
  const inner = Object.entries(tree).flatMap(([key, value]) => arrays(value, [...at, key]));
  return Array.isArray(tree) && tree.length > 0 ? [at, ...inner] : inner;
}

export function read(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Tree)[key], tree);
}

/** Sets a leaf in place; an undefined value removes it. */
export function write(tree: unknown, change: { path: Path; value: unknown }): void {
  const parent = read(tree, change.path.slice(0, -1)) as Tree;
  const key = change.path.at(-1) ?? "";
  if (change.value === undefined) delete parent[key];
  else parent[key] = change.value;
}

/** Changes a list: drops, repeats, reverses or adds items. */
export function reshape(random: Random, list: readonly unknown[]): unknown[] {
  const index = random.integer(list.length);
  const item = list[index];
  return random.pick<() => unknown[]>([
    () => list.filter((_, at) => at !== index),
    () => [...list, structuredClone(item)],
    () => [structuredClone(item), ...list],
    () => [...list].reverse(),
    () => [],
  ])();
}

/** Returns another value of the same kind, as an attacker would choose it. */
export function another(random: Random, value: unknown): unknown {
  if (typeof value === "bigint") return anotherAmount(random, value);
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return anotherNumber(random, value);
  if (typeof value === "string") return anotherText(random, value);
  return random.pick([{}, [], null, "0x"]);
}

function anotherAmount(random: Random, value: bigint): bigint {
  const candidates = [
    value + 1n,
    value - 1n,
    value * 2n,
    value / 2n,
    (value * 101n) / 100n,
    (value * 98n) / 100n,
    (value * 9n) / 10n,
    0n,
    1n,
    2n ** 128n - 1n,
    10n ** 18n,
  ];
  const chosen = random.pick(candidates);
  return chosen < 0n ? 0n : chosen;
}

function anotherNumber(random: Random, value: number): number {
  return random.pick([value + 1, Math.max(value - 1, 0), 0, value * 2, 1, 8453, 42161, 30110, 2 ** 31]);
}

function anotherText(random: Random, value: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return random.pick(ADDRESSES);
  if (/^0x[0-9a-fA-F]{64}$/.test(value)) {
    return random.pick([...ADDRESSES.map(word), word(zeroAddress), flipDigit(random, value)]);
  }
  if (/^0x/.test(value)) return anotherBytes(random, value);
  if (/^[0-9]+$/.test(value)) return anotherAmount(random, BigInt(value)).toString();
  return random.pick(["", "other", `${value}x`, "0", "1e9", "-1", "relay", "across"]);
}

function anotherBytes(random: Random, value: string): string {
  return random.pick<() => string>([
    () => (value.length > 2 ? flipDigit(random, value) : "0x00"),
    () => `${value}00`,
    () => value.slice(0, Math.max(2, value.length - 2)),
    () => "0x",
    () => `${value}${word(ATTACKER).slice(2)}`,
  ])();
}

function flipDigit(random: Random, value: string): string {
  const at = 2 + random.integer(value.length - 2);
  const digit = Number.parseInt(value[at] ?? "0", 16) ^ (1 + random.integer(15));
  return value.slice(0, at) + digit.toString(16) + value.slice(at + 1);
}

/** Replaces an address throughout a tree, also as a 32-byte word. */
export function replaceAddress(tree: unknown, change: { from: string; to: string }): void {
  const from = change.from.toLowerCase();
  for (const path of leafPaths(tree)) {
    const value = read(tree, path);
    if (typeof value !== "string") continue;
    if (value.toLowerCase() === from) write(tree, { path, value: change.to });
    if (value.toLowerCase() === word(from as Address))
      write(tree, { path, value: word(change.to as Address) });
  }
}
