import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Address, getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import {
  type AcrossDeployment,
  acrossTokenOf,
  knownAcrossDeployments,
  resolveAcrossDeployments,
} from "../../../src/providers/across/across-deployments.ts";
import { failureOf, USDC_1 } from "../../support/across/stage.ts";

const ADDRESS: Address = "0x1111111111111111111111111111111111111111";

function local(chainId: number): AcrossDeployment {
  return { chainId, spokePool: ADDRESS, multicallHandler: null, wrappedNative: null, tokens: [] };
}

interface Published {
  chains: Record<string, { contracts: Record<string, { address: string } | undefined> } | undefined>;
}

/** The address of a contract on a chain, as Across' own package tells it. */
function deployedAddresses(): (chainId: number, name: string) => string | undefined {
  const folder = dirname(createRequire(import.meta.url).resolve("@across-protocol/contracts/package.json"));
  const file = join(folder, "dist", "broadcast", "deployed-addresses.json");
  const { chains } = JSON.parse(readFileSync(file, "utf8")) as Published;
  return (chainId, name) => chains[String(chainId)]?.contracts[name]?.address;
}

const offered = knownAcrossDeployments.filter(({ tokens }) => tokens.length > 0);

describe("knownAcrossDeployments", () => {
  test("has five chains to build for and three for tracking only", () => {
    expect(knownAcrossDeployments.map(({ chainId }) => chainId)).toEqual([
      1, 10, 137, 8453, 42161, 56, 143, 999,
    ]);
    expect(offered.map(({ chainId }) => chainId)).toEqual([1, 10, 137, 8453, 42161]);
  });

  test("has the addresses that Across publishes", () => {
    const published = deployedAddresses();
    for (const { chainId, spokePool, multicallHandler } of knownAcrossDeployments) {
      expect(spokePool, `SpokePool of ${chainId}`).toBe(published(chainId, "SpokePool"));
      if (multicallHandler !== null)
        expect(multicallHandler, `handler of ${chainId}`).toBe(published(chainId, "MulticallHandler"));
    }
  });

  test("has checksummed addresses and each token of a chain once", () => {
    for (const { spokePool, multicallHandler, wrappedNative, tokens } of offered) {
      const addresses = tokens.map(({ address }) => address);
      for (const address of [spokePool, multicallHandler, wrappedNative, ...addresses])
        expect(address).toBe(getAddress(address ?? ""));
      expect(new Set(addresses).size).toBe(addresses.length);
    }
  });

  test("has each chain's wrapped native token", () => {
    for (const { chainId, wrappedNative } of offered) {
      const chain = knownChains.find((known) => known.chainId === chainId);
      expect(wrappedNative).toBe(chain?.wrappedNative);
    }
  });

  test("has the assets of each chain", () => {
    const assets = offered.map(({ chainId, tokens }) => [
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

  test("has the same decimals for an asset on every chain", () => {
    const decimals = new Map<string, number>();
    for (const token of knownAcrossDeployments.flatMap(({ tokens }) => tokens)) {
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

describe("resolveAcrossDeployments()", () => {
  test("adds a chain that the code does not know", () => {
    const resolved = resolveAcrossDeployments([local(31337), local(31338)]);
    expect([...resolved.keys()]).toEqual([1, 10, 137, 8453, 42161, 56, 143, 999, 31337, 31338]);
    expect(resolved.get(31337)?.spokePool).toBe(ADDRESS);
  });

  test.each(knownChains.map(({ chainId }) => chainId))(
    "throws when chain %i would be replaced",
    async (chainId) => {
      const { code } = await failureOf(
        Promise.resolve().then(() => resolveAcrossDeployments([local(chainId)])),
      );
      expect(code).toBe("internal");
    },
  );

  test("throws when a chain is added twice", () => {
    expect(() => resolveAcrossDeployments([local(31337), local(31337)])).toThrow();
  });
});

test("acrossTokenOf() finds a token by its address in any letter case", () => {
  const [ethereum] = knownAcrossDeployments;
  if (ethereum === undefined) throw new Error("no deployment");
  expect(acrossTokenOf(ethereum, USDC_1.toLowerCase() as Address)?.asset).toBe("USDC");
  expect(acrossTokenOf(ethereum, ADDRESS)).toBeNull();
});
