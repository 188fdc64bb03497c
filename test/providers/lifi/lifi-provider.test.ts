import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { type LifiDeployment, resolveLifiDeployments } from "../../../src/providers/lifi/lifi-deployments.ts";
import { createLifi } from "../../../src/providers/lifi/lifi-provider.ts";
import { addressOf, INTEGRATOR } from "../../support/lifi/parts.ts";

const local: LifiDeployment = {
  diamond: addressOf("local diamond"),
  executor: addressOf("local executor"),
  erc20Proxy: addressOf("local proxy"),
  receiverAcross: addressOf("local receiver"),
  receiverStargate: null,
  feeForwarders: [addressOf("local fees")],
  maxNativeFee: 0n,
  bridges: ["across"],
  wrappedNative: null,
  assets: [{ asset: "eth", address: zeroAddress, decimals: 18 }],
  stargate: null,
  circle: null,
};

const make = (fields: { integrator?: string; chainId?: number }) =>
  createLifi({
    apiUrl: "http://127.0.0.1:1",
    apiKey: null,
    integrator: fields.integrator ?? INTEGRATOR,
    rateLimits: new RateLimitMemory(),
    deployments: new Map([[fields.chainId ?? 31_337, local]]),
  });

describe("the deployments of createLifi()", () => {
  test("ship in code for every supported chain", () => {
    const known = resolveLifiDeployments(new Map());
    expect([...known.keys()]).toEqual([1, 10, 56, 100, 137, 143, 999, 8453, 42161, 43114, 747474]);
    expect(known.get(143)?.diamond).toBe("0x026F252016A7C47CDEf1F05a3Fc9E20C92a49C37");
    for (const [chainId, row] of known) {
      // What is approved must not be what makes calls.
      expect([row.diamond, row.erc20Proxy], String(chainId)).not.toContain(row.executor);
      expect(row.receiverStargate !== null || !row.bridges.includes("stargate")).toBe(true);
      expect(row.maxNativeFee > 0n).toBe(row.bridges.includes("stargate"));
    }
  });

  test("can be added for a chain that the code does not know", () => {
    const across = make({})
      .capabilities()
      .bridges.find((bridge) => bridge.key === "across");
    expect(across?.chains).toEqual([1, 10, 56, 137, 143, 999, 8453, 31_337, 42161]);
  });

  test.each([1, 8453, 747_474, 146, 9745])("cannot be replaced or added on chain %i", (chainId) => {
    expect(() => make({ chainId })).toThrow("ship in code");
  });
});

describe("createLifi()", () => {
  test("returns its capabilities", () => {
    const { bridges, swaps, destinationCall } = make({}).capabilities();
    expect({ swaps, destinationCall }).toEqual({ swaps: true, destinationCall: true });
    expect(bridges.map((bridge) => bridge.key)).toEqual([
      "across",
      "stargate",
      "stargate_bus",
      "cctp",
      "cctp_fast",
    ]);
    expect(bridges.find((bridge) => bridge.key === "stargate")?.chains).toEqual([
      1, 10, 56, 100, 137, 8453, 42161, 43114,
    ]);
    expect(bridges.find((bridge) => bridge.key === "cctp")?.chains).toEqual([
      1, 10, 137, 143, 999, 8453, 42161, 43114,
    ]);
  });

  test.each(["", "a name", "x".repeat(24), "näme"])("throws for the integrator name %j", (integrator) => {
    expect(() => make({ integrator })).toThrow("integrator");
  });
});
