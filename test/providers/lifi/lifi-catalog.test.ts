import { describe, expect, test } from "vitest";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../../src/providers/lifi/lifi-provider.ts";
import { fakeLifi, scopeOf } from "../../support/lifi/fake-lifi.ts";
import { DIAMOND, INTEGRATOR, tokens } from "../../support/lifi/parts.ts";

const providerAt = (apiUrl: string) =>
  createLifi({ apiUrl, apiKey: null, integrator: INTEGRATOR, rateLimits: new RateLimitMemory() });

describe("bridges()", () => {
  test("lists LI.FI's bridges that we can verify, under our keys", async () => {
    const pair = { fromChainId: 8453, toChainId: 42161 };
    const tool = (key: string) => ({ key, name: key, logoURI: "x", supportedChains: [pair] });
    const bridges = ["across", "relaydepository", "celercircle", "polymerStandard", "mayan"].map(tool);
    await using server = await fakeLifi({ body: { exchanges: [], bridges } });
    expect(await providerAt(server.url).bridges(scopeOf())).toEqual([
      { key: "across", name: "Across", routes: [pair] },
      { key: "cctp", name: "CCTP", routes: [pair] },
    ]);
    expect(server.received[0]?.path).toBe("/v1/tools");
  });

  test("throws for a response of another shape", async () => {
    await using server = await fakeLifi({ body: { bridges: [{ key: 1 }] } });
    await expect(providerAt(server.url).bridges(scopeOf())).rejects.toMatchObject({
      code: "upstream_rejected",
    });
  });
});

describe("tokens()", () => {
  test("lists the EVM tokens of the requested chain with checksummed addresses", async () => {
    const token = (chainId: number, address: string) => ({
      chainId,
      address,
      symbol: "T",
      decimals: 6,
      name: "Token",
    });
    const list = {
      8453: [
        token(8453, tokens.usdc[8453].toLowerCase()),
        token(8453, "So11111111111111111111111111111111111111112"),
      ],
      1: [token(1, tokens.usdc[1])],
    };
    await using server = await fakeLifi({ body: { tokens: list } });
    expect(await providerAt(server.url).tokens(scopeOf(), 8453)).toEqual([
      { chainId: 8453, address: tokens.usdc[8453], symbol: "T", decimals: 6, name: "Token" },
    ]);
    expect(server.received[0]?.query).toEqual({ chains: "8453" });
  });
});

describe("changedDiamonds()", () => {
  test("lists the known chains for which LI.FI names another Diamond", async () => {
    const chains = [
      { id: 1, diamondAddress: DIAMOND.toLowerCase() },
      { id: 10, diamondAddress: tokens.usdc[1] },
      { id: 137 },
      { id: 59_144, diamondAddress: DIAMOND },
      { id: 1_151_111_081_099_710, diamondAddress: null },
    ];
    await using server = await fakeLifi({ body: { chains } });
    expect(await providerAt(server.url).changedDiamonds(scopeOf())).toEqual([10]);
  });
});
