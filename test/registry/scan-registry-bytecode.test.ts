import { expect, test } from "vitest";
import { cloneTarget, delegatesCalls } from "../../src/registry/scan-registry-bytecode.ts";

test.each([
  ["a delegated call", "0x5f5f5f5f5f5af4"],
  ["a call with foreign code", "0x5f5f5f5f5f5f5af2"],
  ["a self-destruction", "0x5fff"],
  ["a delegated call behind a jump destination", "0x600356005b5ff4"],
  ["a delegated call after a conditional jump", "0x5f6005575ff400"],
  ["a jump destination in what follows the code", "0xfe5bf4"],
  ["a push that ends with the code", "0xf461"],
  ["no code", "0x"],
  ["the delegation of an account", "0xef0100000000000000000000000000000000000a0001"],
] as const)("delegatesCalls() is true for %s", (_, code) => {
  expect(delegatesCalls(code)).toBe(true);
});

test.each([
  ["plain code", "0x5f5ff3"],
  [
    "pushed data that looks like a delegated call",
    "0x61f4f47ffff2f4fff2f4fff2f4fff2f4fff2f4fff2f4fff2f4fff2f4fff2f4fff200",
  ],
  ["a pushed jump destination before unreachable data", "0xfe605bf4"],
  ["data behind the last instruction", "0xf3f4"],
  ["metadata", "0x5f5ffdfea26469706673582212f4f2ff64736f6c6343000819"],
] as const)("delegatesCalls() is false for %s", (_, code) => {
  expect(delegatesCalls(code)).toBe(false);
});

test("cloneTarget() reads only proxies that begin with the standard's code", () => {
  const target = "00000000000000000000000000000000000a0001";
  const clone = `363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`;
  expect(cloneTarget(`0x${clone}`)?.toLowerCase()).toBe(`0x${target}`);
  expect(cloneTarget(`0x${clone}00ff`)?.toLowerCase()).toBe(`0x${target}`);
  expect(cloneTarget(`0x5b${clone}`)).toBeNull();
  expect(cloneTarget(`0x${clone.replace("602b", "602c")}`)).toBeNull();
  expect(cloneTarget("0x")).toBeNull();
});
