import { type Address, getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { knownChains } from "../../../src/chains/known.ts";
import {
  type Deployment,
  knownDeployments,
  resolveDeployments,
  tokenOf,
} from "../../../src/providers/across/deployments.ts";
import { failureOf, USDC_1 } from "./stage.ts";

const ADDRESS: Address = "0x1111111111111111111111111111111111111111";

function local(chainId: number): Deployment {
  return { chainId, spokePool: ADDRESS, multicallHandler: null, wrappedNative: null, tokens: [] };
}

describe("the deployments that ship in code", () => {
  test("are the five chains of which both contracts are certain", () => {
    expect(knownDeployments.map(({ chainId }) => chainId)).toEqual([1, 10, 137, 8453, 42161]);
  });

  test("name addresses with a right checksum, each token of a chain once", () => {
    for (const { spokePool, multicallHandler, wrappedNative, tokens } of knownDeployments) {
      const addresses = tokens.map(({ address }) => address);
      for (const address of [spokePool, multicallHandler, wrappedNative, ...addresses])
        expect(address).toBe(getAddress(address ?? ""));
      expect(new Set(addresses).size).toBe(addresses.length);
    }
  });

  test("wrap native into the chain's own wrapped token", () => {
    for (const { chainId, wrappedNative } of knownDeployments) {
      const chain = knownChains.find((known) => known.chainId === chainId);
      expect(wrappedNative).toBe(chain?.wrappedNative);
    }
  });

  test("know the assets of each chain", () => {
    const assets = knownDeployments.map(({ chainId, tokens }) => [
      chainId,
      tokens.map(({ asset }) => asset).join(" "),
    ]);
    expect(assets).toEqual([
      [1, "USDC USDT DAI WETH WBTC"],
      [10, "USDC USDC USDT DAI WETH WBTC"],
      [137, "USDC USDC USDT DAI WETH WBTC"],
      [8453, "USDC USDC USDT DAI WETH"],
      [42161, "USDC USDC USDT DAI WETH WBTC"],
    ]);
  });

  test("give a token of one asset the same decimals everywhere", () => {
    const decimals = new Map<string, number>();
    for (const token of knownDeployments.flatMap(({ tokens }) => tokens)) {
      expect(decimals.get(token.asset) ?? token.decimals).toBe(token.decimals);
      decimals.set(token.asset, token.decimals);
    }
    expect([...decimals]).toEqual([
      ["USDC", 6],
      ["USDT", 6],
      ["DAI", 18],
      ["WETH", 18],
      ["WBTC", 8],
    ]);
  });
});

describe("resolveDeployments", () => {
  test("adds a chain that the code does not know", () => {
    const resolved = resolveDeployments([local(31337), local(31338)]);
    expect([...resolved.keys()]).toEqual([1, 10, 137, 8453, 42161, 31337, 31338]);
    expect(resolved.get(31337)?.spokePool).toBe(ADDRESS);
  });

  test.each(knownChains.map(({ chainId }) => chainId))("refuses to replace chain %i", async (chainId) => {
    const { code } = await failureOf(Promise.resolve().then(() => resolveDeployments([local(chainId)])));
    expect(code).toBe("internal");
  });

  test("refuses one chain twice", () => {
    expect(() => resolveDeployments([local(31337), local(31337)])).toThrow();
  });
});

test("tokenOf finds a token in any case and nothing else", () => {
  const [ethereum] = knownDeployments;
  if (ethereum === undefined) throw new Error("no deployment");
  expect(tokenOf(ethereum, USDC_1.toLowerCase() as Address)?.asset).toBe("USDC");
  expect(tokenOf(ethereum, ADDRESS)).toBeNull();
});
