import { expect, test } from "vitest";
import { MemoryCache } from "../../src/redis/redis-memory-cache.ts";

const CAPACITY = 5_000;
const FAILURES = 500;
const entry = (value: number) => ({ value, storedAt: value });

test("MemoryCache evicts the entry written longest ago", () => {
  const memory = new MemoryCache();
  for (let n = 0; n < CAPACITY; n += 1) memory.put(`k${n}`, entry(n));
  expect(memory.get("k0")).toEqual(entry(0));
  memory.put("k0", entry(10));
  memory.put("one more", entry(1));
  expect(memory.get("k0")).toEqual(entry(10));
  expect(memory.get("k1")).toBe(undefined);
  expect(memory.get("k2")).toEqual(entry(2));
});

test("MemoryCache keeps a newer entry, and returns what it keeps", () => {
  const memory = new MemoryCache();
  expect(memory.put("k", entry(5))).toEqual(entry(5));
  expect(memory.put("k", entry(4))).toEqual(entry(5));
  const again = { value: "of the same time", storedAt: 5 };
  expect([memory.put("k", again), memory.get("k")]).toEqual([again, again]);
});

test("MemoryCache deletes entries, and treats __proto__ as any key", () => {
  const memory = new MemoryCache();
  memory.put("__proto__", entry(1));
  expect([memory.get("__proto__"), memory.get("constructor")]).toEqual([entry(1), undefined]);
  memory.delete("__proto__");
  memory.delete("never there");
  expect(memory.get("__proto__")).toBe(undefined);
});

test("MemoryCache keeps a failure until its retry time", () => {
  const memory = new MemoryCache();
  const error = new Error("no token");
  memory.noteFailure("k", { error, until: 10 });
  expect([memory.failureOf("k", 9)?.error, memory.failureOf("k", 10), memory.failureOf("l", 9)]).toEqual([
    error,
    null,
    null,
  ]);
  memory.forgetFailure("k");
  expect(memory.failureOf("k", 9)).toBe(null);
});

test("MemoryCache keeps the newest failures within its capacity", () => {
  const memory = new MemoryCache();
  for (let n = 0; n < FAILURES + 2; n += 1) memory.noteFailure(`k${n}`, { error: n, until: 10 });
  expect([0, 1, 2, FAILURES + 1].map((n) => memory.failureOf(`k${n}`, 9)?.error ?? null)).toEqual([
    null,
    null,
    2,
    FAILURES + 1,
  ]);
});
