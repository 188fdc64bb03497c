import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodeHealth } from "../../src/chains/chain-client.ts";

describe("NodeHealth.order()", () => {
  test("keeps the preference and puts nodes to avoid last", () => {
    const health = new NodeHealth();
    expect(health.order(["a", "b", "c"], 0)).toEqual(["a", "b", "c"]);
    health.avoid("a", 100);
    expect(health.order(["a", "b", "c"], 99)).toEqual(["b", "c", "a"]);
    health.avoid("b", 100);
    expect(health.order(["a", "b", "c"], 99)).toEqual(["c", "a", "b"]);
  });

  test("forgets what to avoid after its time", () => {
    const health = new NodeHealth();
    health.avoid("a", 100);
    expect(health.order(["a", "b"], 100)).toEqual(["a", "b"]);
  });

  test("never leaves a node out", () => {
    const urls = fc.uniqueArray(fc.string(), { maxLength: 6 });
    fc.assert(
      fc.property(urls, fc.array(fc.tuple(fc.nat(5), fc.nat(100))), fc.nat(100), (all, avoided, now) => {
        const health = new NodeHealth();
        for (const [index, until] of avoided) health.avoid(all[index] ?? "other", until);
        expect([...health.order(all, now)].sort()).toEqual([...all].sort());
      }),
    );
  });
});

describe("NodeHealth", () => {
  test("remembers unsupported methods by node and method", () => {
    const health = new NodeHealth();
    const simulate = { name: "eth_simulateV1/2", now: 99 };
    health.markLacking("a", { name: "eth_simulateV1/2", until: 100 });
    expect(health.lacks("a", simulate)).toBe(true);
    expect(health.lacks("a", { name: "eth_call/2", now: 99 })).toBe(false);
    expect(health.lacks("b", simulate)).toBe(false);
  });

  test("forgets unsupported methods after their time", () => {
    const health = new NodeHealth();
    health.markLacking("a", { name: "eth_simulateV1/2", until: 100 });
    expect(health.lacks("a", { name: "eth_simulateV1/2", now: 100 })).toBe(false);
  });

  test("remembers verified chain ids by node", () => {
    const health = new NodeHealth();
    health.markVerified("a");
    expect([health.isVerified("a"), health.isVerified("b")]).toEqual([true, false]);
  });
});

describe("NodeHealth.acceptHead()", () => {
  const report = (blockNumber: number) => ({ blockNumber, tolerance: 8 });

  test.each([
    [100, true],
    [101, true],
    [1_000_000, true],
    [92, true],
    [91, false],
    [0, false],
  ])("after 100, with 8 blocks of tolerance: %i is %s", (blockNumber, accepted) => {
    const health = new NodeHealth();
    expect(health.acceptHead("a", report(100))).toBe(true);
    expect(health.acceptHead("a", report(blockNumber))).toBe(accepted);
  });

  test("accepts any first head, and compares each node with itself only", () => {
    const health = new NodeHealth();
    expect(health.acceptHead("a", report(5))).toBe(true);
    expect(health.acceptHead("b", report(1_000))).toBe(true);
    expect(health.acceptHead("a", report(6))).toBe(true);
  });
});
