import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { BridgeTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, callOf, messageOf, word } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet, send } from "../../../support/lifi/tamper.ts";

describe("verifyStargateFacet()", () => {
  const drop = `0x000301003102${"00".repeat(15)}01${word(ATTACKER).slice(2)}`;
  const composeGas = "0x000301001303000000000000000000000000000000030d40";
  test.each([
    [facet({ assetId: 2 }), "stargate.assetId"],
    [facet({ assetId: 99 }), "stargate.assetId"],
    [facet({ refundAddress: ATTACKER }), "stargate.refundAddress"],
    [facet({ fee: { nativeFee: 1n, lzTokenFee: 0n } }), "stargate.nativeFee"],
    [facet({ fee: { nativeFee: 110_000_000_000_000n, lzTokenFee: 1n } }), "stargate.lzTokenFee"],
    [send({ dstEid: 30184 }), "stargate.dstEid"],
    [send({ to: word(ATTACKER) }), "stargate.to"],
    [send({ amountLD: 1n }), "stargate.amountLD"],
    [send({ minAmountLD: 0n }), "stargate.minAmountLD"],
    [send({ minAmountLD: 99_741_000n }), "stargate.minAmountLD"],
    [send({ extraOptions: drop }), "stargate.extraOptions"],
    [send({ extraOptions: "0x0001" }), "stargate.extraOptions"],
    [send({ extraOptions: composeGas }), "stargate.extraOptions"],
    [send({ composeMsg: "0x00" }), "stargate.composeMsg"],
    [send({ oftCmd: "0x00" }), "stargate.oftCmd"],
  ])("refuses %o as %s", (change, field) => {
    expect(calldata("stargate, fee", change)).toBe(field);
  });

  /** Changes the token that is bridged after a swap, in every place that names it. */
  const bridging = (token: Address, assetId: number) => (tree: BridgeTree) => {
    tree.bridge.sendingAssetId = token;
    Object.assign(tree.swaps?.[1] ?? {}, { receivingAssetId: token });
    tree.facet["assetId"] = assetId;
  };

  test("refuses another token than the pools' on either chain", () => {
    expect(calldata("stargate, swapped", bridging(ATTACKER, 1))).toBe("stargate.assetId");
    const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
    expect(calldata("stargate, swapped", bridging(usdt, 2))).toBe("stargate.assetId");
  });

  test("refuses a destination call paid in native money", () => {
    const scenario = scenarioOf("stargate, native");
    scenario.request = { ...scenario.request, call: callOf(1n) };
    const tree = scenario.tree as BridgeTree;
    tree.bridge.hasDestinationCall = true;
    const receiver = word("0x1493e7B8d4DfADe0a178dAD9335470337A3a219A");
    send({ to: receiver, composeMsg: messageOf(scenario.request) })(tree);
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe("stargate.assetId");
  });

  test("refuses a minimum below half of the amount sent", () => {
    const scenario = { ...scenarioOf("stargate, fee"), toAmount: 49_000_000n, toAmountMin: 49_000_000n };
    send({ minAmountLD: 49_000_000n })(scenario.tree as BridgeTree);
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe("toAmountMin");
  });
});
