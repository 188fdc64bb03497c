import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import { signingTokensOf } from "../../../src/orders/authorization/signing-tokens.ts";
import { collectedSeparators } from "../../support/orders/collected-separators.ts";

const FACTS = join(import.meta.dirname, "../../../../shared/facts/authorizations.json");
const rows = knownChains.flatMap(({ chainId }) => [...(signingTokensOf(chainId) ?? new Map()).values()]);

describe("signingTokensOf()", () => {
  test("has rows of many chains, each by its own address", () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(signingTokensOf(31_337)).toBeNull();
    for (const { chainId } of knownChains)
      for (const [key, row] of signingTokensOf(chainId) ?? [])
        expect([key, row.domain.chainId]).toEqual([row.domain.verifyingContract.toLowerCase(), chainId]);
  });

  test.each(rows.map((row) => [row.domain.chainId, row.domain.name, row] as const))(
    "%i %s: the separator is the one that was collected",
    (chainId, _name, { domain, separator, permit }) => {
      expect(separator).toBe(collectedSeparators[`${chainId}:${domain.verifyingContract.toLowerCase()}`]);
      expect(permit).toBe(true);
    },
  );

  test("knows USDC of Ethereum by the separator that its contract has", () => {
    const usdc = signingTokensOf(1)?.get("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
    expect(usdc).toEqual({
      domain: {
        name: "USD Coin",
        version: "2",
        chainId: 1,
        verifyingContract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      },
      separator: "0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335",
      permit: true,
      erc3009: true,
      checks: "code",
    });
  });

  test.runIf(existsSync(FACTS))("agrees with the collected facts, token by token", () => {
    const Facts = z.object({
      tokens: z.array(
        z.object({
          chain_id: z.int(),
          address: z.string(),
          permit: z.string(),
          expected_domain_separator: z.string().nullish(),
          domain: z.object({ salt: z.string().optional() }).nullish(),
        }),
      ),
    });
    const { tokens } = Facts.parse(JSON.parse(readFileSync(FACTS, "utf8")));
    for (const { domain, separator } of rows) {
      const fact = tokens.find(
        ({ chain_id, address }) => chain_id === domain.chainId && address === domain.verifyingContract,
      );
      expect(fact).toMatchObject({ expected_domain_separator: separator });
      expect(fact?.permit).toMatch(/^eip-2612(?!\?)/);
      expect(fact?.domain?.salt).toBeUndefined();
    }
  });
});
