import { expect, test } from "vitest";
import { MemoByInputs } from "../../src/lib/bounded-map.ts";

const made = { of: [], make: () => ({}) };

test("MemoByInputs computes a value once for the same inputs", () => {
  const kept = new MemoByInputs<object>(2);
  const thing = {};
  const value = kept.get("a", { of: [thing, "x"], make: () => ({}) });
  expect(kept.get("a", { of: [thing, "x"], make: () => ({}) })).toBe(value);
});

test.each<[string, readonly unknown[]]>([
  ["another thing that looks the same", [{}, "x"]],
  ["another text", [null, "y"]],
  ["more", [null, "x", undefined]],
  ["less", [null]],
])("MemoByInputs computes again for %s, and keeps that", (_name, of) => {
  const kept = new MemoByInputs<object>(2);
  const value = kept.get("a", { of: [null, "x"], make: () => ({}) });
  const next = kept.get("a", { of, make: () => ({}) });
  expect(next).not.toBe(value);
  expect(kept.get("a", { of, make: () => ({}) })).toBe(next);
});

test("MemoByInputs keeps names apart and evicts the oldest beyond its capacity", () => {
  const kept = new MemoByInputs<object>(2);
  const [a, b] = [kept.get("a", made), kept.get("b", made)];
  expect(a).not.toBe(b);
  expect(kept.get("a", made)).toBe(a);
  expect(kept.get("b", made)).toBe(b);
  const c = kept.get("c", made);
  expect(kept.get("b", made)).toBe(b);
  expect(kept.get("c", made)).toBe(c);
  expect(kept.get("a", made)).not.toBe(a);
});

test("MemoByInputs retries after an error", () => {
  const kept = new MemoByInputs<object>(2);
  const make = () => {
    throw new Error("no");
  };
  expect(() => kept.get("a", { of: [], make })).toThrow("no");
  expect(kept.get("a", made)).toEqual({});
});
