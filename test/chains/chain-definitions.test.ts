import { getAddress } from "viem";
import { base, optimism, unichain } from "viem/chains";
import { describe, expect, test } from "vitest";
import { knownChains, resolveChains } from "../../src/chains/chain-definitions.ts";
import { parseConfig } from "../../src/config/config.ts";
import { bindings } from "../support/context.ts";

/** What a deployment with these chains configured serves. */
const resolved = (chains: readonly unknown[]) =>
  resolveChains(parseConfig({ ...bindings, CHAINS: JSON.stringify(chains) }).chains);
const ethereum = knownChains.find((chain) => chain.chainId === 1);
const EVIL = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const own = {
  chain_id: 31337,
  name: "Local",
  key: "loc",
  native: { symbol: "ETH", decimals: 18 },
  rpc_urls: ["http://127.0.0.1:8545"],
};

describe("knownChains", () => {
  test("are the fifteen supported chains", () => {
    const ids = [1, 10, 56, 100, 137, 143, 999, 8453, 42161, 43114, 747474, 130, 146, 9745, 59144];
    expect(knownChains.map(({ chainId }) => chainId)).toEqual(ids);
    expect([...resolveChains(null).keys()]).toEqual(ids);
  });

  test.each(knownChains)("$name has well-formed fields", (chain) => {
    expect(chain.rpcUrls.length).toBeGreaterThanOrEqual(2);
    for (const url of chain.rpcUrls) expect(new URL(url).protocol).toBe("https:");
    expect(new Set(chain.rpcUrls).size).toBe(chain.rpcUrls.length);
    expect(chain.explorer).toMatch(/^https:\/\/[^/]+$/);
    expect(chain.confirmations).toBeGreaterThanOrEqual(2);
    if (chain.wrappedNative !== null) expect(getAddress(chain.wrappedNative)).toBe(chain.wrappedNative);
  });

  test("name the contract of the L1 data fee on every rollup whose gas price lacks it", () => {
    const charging = knownChains.flatMap(({ chainId, dataFee }) => (dataFee ? [[chainId, dataFee]] : []));
    expect(charging).toEqual([
      [10, "op-stack"],
      [8453, "op-stack"],
      [42161, "arbitrum"],
      [747474, "op-stack"],
      [130, "op-stack"],
    ]);
    const viemOpStack = [optimism, base, unichain].filter(({ contracts }) => "gasPriceOracle" in contracts);
    for (const { id } of viemOpStack) expect(charging).toContainEqual([id, "op-stack"]);
    expect(viemOpStack).toHaveLength(3);
  });

  test("have unique names and keys", () => {
    for (const field of ["name", "key"] as const) {
      expect(new Set(knownChains.map((chain) => chain[field])).size).toBe(knownChains.length);
    }
  });
});

describe("resolveChains()", () => {
  test("serves exactly the configured chains", () => {
    expect([...resolved([{ chain_id: 8453 }, { chain_id: 1 }]).keys()]).toEqual([8453, 1]);
  });

  test("takes RPC nodes from the setting, else the known ones", () => {
    const rpcUrls = ["https://paid.example/key"];
    expect(resolved([{ chain_id: 1, rpc_urls: rpcUrls }]).get(1)).toEqual({ ...ethereum, rpcUrls });
    expect(resolved([{ chain_id: 1 }]).get(1)).toEqual(ethereum);
  });

  test("does not apply the public nodes' limit of blocks to the configured ones", () => {
    const rpcUrls = ["https://paid.example/key"];
    const known = knownChains.filter(({ maxLogBlocks }) => maxLogBlocks !== undefined);
    expect(known.map(({ chainId, maxLogBlocks }) => [chainId, maxLogBlocks])).toEqual([
      [143, 100],
      [999, 50],
    ]);
    for (const chain of known) {
      const { maxLogBlocks: _public, ...others } = chain;
      const own = { chain_id: chain.chainId, rpc_urls: rpcUrls };
      expect(resolved([own]).get(chain.chainId)).toEqual({ ...others, rpcUrls });
      expect(resolved([{ chain_id: chain.chainId }]).get(chain.chainId)).toEqual(chain);
    }
  });

  test("ignores every other setting of a known chain", () => {
    const replaced = {
      ...own,
      chain_id: 1,
      wrapped_native: EVIL,
      confirmations: 1,
      explorer: "",
    };
    expect(resolved([replaced]).get(1)).toEqual({ ...ethereum, rpcUrls: own.rpc_urls });
    const removed = { chain_id: 1, wrapped_native: null };
    expect(resolved([removed]).get(1)).toEqual(ethereum);
  });

  test("accepts an unknown chain with complete settings", () => {
    const setting = {
      ...own,
      explorer: "https://scan.example/",
      wrapped_native: EVIL.toLowerCase(),
    };
    expect(resolved([{ ...setting, confirmations: 7 }]).get(31337)).toEqual({
      chainId: 31337,
      name: "Local",
      key: "loc",
      explorer: "https://scan.example",
      native: { symbol: "ETH", decimals: 18 },
      wrappedNative: EVIL,
      rpcUrls: ["http://127.0.0.1:8545"],
      confirmations: 7,
    });
  });

  test("defaults to no wrapped native token and one confirmation", () => {
    expect(resolved([own]).get(31337)).toMatchObject({
      explorer: "",
      wrappedNative: null,
      confirmations: 1,
    });
  });

  test.each(["name", "key", "native", "rpc_urls"] as const)("are refused by number without %s", (member) => {
    const { [member]: _removed, ...rest } = own;
    expect(() => resolved([{ chain_id: 1 }, rest])).toThrow(
      expect.objectContaining({
        code: "internal",
        message: "configuration: CHAINS: chain 31337 needs name, key, native and rpc_urls",
      }),
    );
  });
});
