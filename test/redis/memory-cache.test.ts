import { expect, test } from "vitest";
import { MemoryCache } from "../../src/redis/memory-cache.ts";

const CAPACITY = 5_000;
const entry = (value: number) => ({ value, storedAt: value });

test("keeps the entries written last, and lets the oldest written go", () => {
  const memory = new MemoryCache();
  for (let n = 0; n < CAPACITY; n += 1) memory.put(`k${n}`, entry(n));
  expect(memory.get("k0")).toEqual(entry(0));
  memory.put("k0", entry(10));
  memory.put("one more", entry(1));
  expect(memory.get("k0")).toEqual(entry(10));
  expect(memory.get("k1")).toBe(undefined);
  expect(memory.get("k2")).toEqual(entry(2));
});

test("forgets what is deleted, and knows nothing of names of the language", () => {
  const memory = new MemoryCache();
  memory.put("__proto__", entry(1));
  expect([memory.get("__proto__"), memory.get("constructor")]).toEqual([entry(1), undefined]);
  memory.delete("__proto__");
  memory.delete("never there");
  expect(memory.get("__proto__")).toBe(undefined);
});
