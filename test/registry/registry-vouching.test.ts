import { expect, test } from "vitest";
import { servedRegisters } from "../../src/registry/discover-registry-vaults.ts";
import type { VaultRegister } from "../../src/registry/registers/vault-registers.ts";
import { isAgreed } from "../../src/registry/registry-vouching.ts";
import { completeClient } from "../support/chains/complete-client.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";

const CHAIN = 1;
const client = completeClient({
  definition: { ...testChain, chainId: CHAIN },
  observe: () => undefined,
  request: async () => null,
});
const ctx = testContext({ clients: [client] });

/** Returns the first register of a family on the chain for which the condition holds. */
function registerOf(adapter: string, holds: (register: VaultRegister) => boolean): VaultRegister {
  const found = servedRegisters(ctx).find((one) => one.adapter === adapter && holds(one));
  if (found === undefined) throw new RangeError(`there is no such register of ${adapter}`);
  return found;
}

/** Returns whether a vault of a family is agreed on by these lists, registers and creators. */
const agreed = (
  adapter: string,
  by: { lists?: number; registers?: VaultRegister[]; creators?: VaultRegister[] },
): boolean => {
  const { registers = [], creators = [] } = by;
  const lists = Array.from({ length: by.lists ?? 0 }, (_, index) => `list:${index}`);
  const vault = { chainId: CHAIN, address: `0x${"12".repeat(20)}`, adapter };
  return isAgreed(ctx, { vault, vouching: { lists, registers }, creators });
};

const isFactory = (register: VaultRegister): boolean => register.isFactory;
const isGovernedOne = ({ openness }: VaultRegister): boolean => openness === "governed";

test.each(["euler", "euler_earn"])(
  "a vault of %s that its governed list does not name needs two lists, for anyone can use its factory",
  (adapter) => {
    const creators = [registerOf(adapter, isFactory)];
    expect(creators.map(({ openness }) => openness)).toEqual(["anybody"]);
    expect(agreed(adapter, { lists: 1, creators })).toBe(false);
    expect(agreed(adapter, { lists: 2, creators })).toBe(true);
    expect(agreed(adapter, { registers: [registerOf(adapter, isGovernedOne)] })).toBe(true);
  },
);

test.each(["metamorpho", "morpho_v2", "lagoon"])(
  "a vault of %s, which has no governed list, needs a list besides its factory",
  (adapter) => {
    expect(servedRegisters(ctx).some((one) => one.adapter === adapter && isGovernedOne(one))).toBe(false);
    const creators = [registerOf(adapter, isFactory)];
    expect(agreed(adapter, { lists: 1 })).toBe(false);
    expect(agreed(adapter, { lists: 1, creators })).toBe(true);
    expect(agreed(adapter, { registers: creators, creators })).toBe(false);
  },
);

test("a vault that a register other than a factory names needs a list besides it", () => {
  const curated = registerOf("gearbox", ({ openness }) => openness === "anybody");
  expect(agreed("gearbox", { registers: [curated] })).toBe(false);
  expect(agreed("gearbox", { lists: 1, registers: [curated] })).toBe(true);
});

test("a vault that clones a factory's original has no second source in it", () => {
  const creators = [registerOf("yearn_v3", isFactory)];
  expect(agreed("yearn_v3", { lists: 1, creators })).toBe(false);
});
