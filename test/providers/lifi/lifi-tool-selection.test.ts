import { describe, expect, test } from "vitest";
import { lifiSlippage, toolsFor } from "../../../src/providers/lifi/lifi-tool-selection.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { deployments } from "../../support/lifi/harness.ts";
import { callOf, NATIVE, requestOf, tokens } from "../../support/lifi/parts.ts";

const CCTP = ["celercircle", "polymerStandard", "celercirclefast", "polymer"];
const STARGATE = ["stargateV2", "stargateV2Bus"];

describe("toolsFor()", () => {
  test.each<[string, Partial<TransferRequest>, string[]]>([
    ["USDC to USDC", {}, ["across", ...STARGATE, ...CCTP]],
    ["a preferred bridge", { bridges: ["cctp"] }, ["celercircle", "polymerStandard"]],
    ["a call", { call: callOf(1n) }, ["across", "stargateV2"]],
    ["native to native", { toChainId: 8453, fromChainId: 1, toToken: NATIVE }, ["across", ...STARGATE]],
    // Across unwraps it on delivery, unless a contract receives it.
    ["wrapped native", { toChainId: 8453, fromChainId: 1, toToken: tokens.weth[8453] }, []],
    [
      "wrapped native into a call",
      { toChainId: 8453, fromChainId: 1, toToken: tokens.weth[8453], call: callOf(1n) },
      ["across"],
    ],
    [
      "USDC to Monad",
      { toChainId: 143, toToken: tokens.usdc[143] },
      ["across", "polymerStandard", "polymer"],
    ],
    ["a transfer from Gnosis", { fromChainId: 100 }, STARGATE],
    ["a call on Gnosis", { toChainId: 100, call: callOf(1n) }, []],
    ["another token", { toToken: tokens.weth[1] }, ["across"]],
    ["an unknown chain", { toChainId: 5 }, []],
  ])("returns the tools for %s", (_, fields, expected) => {
    expect(toolsFor(deployments, requestOf(fields))).toEqual(expected);
  });
});

describe("lifiSlippage()", () => {
  test.each([
    [30_000_000n, 0.027],
    [5_000_000n, 0.0045],
    [500_000_000n, 0.45],
    [1n, 0],
    [1_111_111n, 0.000999],
  ])("converts %i parts per billion to %f", (slippage, expected) => {
    expect(lifiSlippage(requestOf({ slippage }))).toBe(expected);
  });
});
