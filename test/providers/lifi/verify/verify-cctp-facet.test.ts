import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { BridgeTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, callOf, tokens, word } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet } from "../../../support/lifi/tamper.ts";

describe("verifyCelerFacet() and verifyPolymerFacet()", () => {
  test.each([
    ["celer, fee", facet({ maxFee: 100_001n }), "celer.maxFee"],
    ["celer, fee", facet({ minFinalityThreshold: 0 }), "minFinalityThreshold"],
    ["celer, fee", facet({ minFinalityThreshold: 1_000 }), "minFinalityThreshold"],
    ["celer, fast, swapped", facet({ minFinalityThreshold: 2_000 }), "minFinalityThreshold"],
    ["polymer, fee", facet({ minFinalityThreshold: 1_000 }), "minFinalityThreshold"],
    ["polymer, fast", facet({ minFinalityThreshold: 2_000 }), "minFinalityThreshold"],
    ["polymer, fee", facet({ nonEVMReceiver: word(ATTACKER) }), "polymer.nonEVMReceiver"],
    ["polymer, fee", facet({ solanaReceiverATA: word(ATTACKER) }), "polymer.solanaReceiverATA"],
    ["polymer, fee", facet({ hookData: "0x00" }), "polymer.hookData"],
    ["polymer, fee", facet({ refundRecipient: ATTACKER }), "polymer.refundRecipient"],
    ["polymer, fee", facet({ polymerTokenFee: 10_001n }), "polymer.polymerTokenFee"],
    ["polymer, fee", facet({ polymerTokenFee: 0n }), "toAmount"],
    ["polymer, fast", facet({ maxCCTPFee: 3_010_000n }), "toAmountMin"],
    ["polymer, fast", facet({ maxCCTPFee: 99_740_000n }), "polymer.maxCCTPFee"],
  ] as const)("refuse in %s the change %o as %s", (name, change, field) => {
    expect(calldata(name, change)).toBe(field);
  });

  /** Changes the token that is bridged after a swap, in every place that names it. */
  const bridging = (token: Address) => (tree: BridgeTree) => {
    tree.bridge.sendingAssetId = token;
    Object.assign(tree.swaps?.[1] ?? {}, { receivingAssetId: token });
  };

  test("refuse every token but Circle's USDC", () => {
    expect(calldata("celer, fast, swapped", bridging(tokens.weth[1]))).toBe("bridge.sendingAssetId");
    expect(calldata("polymer, swapped", bridging(ATTACKER))).toBe("bridge.sendingAssetId");
    const scenario = scenarioOf("celer, fee");
    scenario.request = { ...scenario.request, toToken: tokens.usdt[42161] };
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe(
      "action.toToken.address",
    );
  });

  test("refuse a destination call", () => {
    const scenario = scenarioOf("celer, fee");
    scenario.request = { ...scenario.request, call: callOf(1n) };
    (scenario.tree as BridgeTree).bridge.hasDestinationCall = true;
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe(
      "bridge.hasDestinationCall",
    );
  });

  const claiming = (name: string, toAmount: bigint) => {
    const scenario = { ...scenarioOf(name), toAmount, toAmountMin: toAmount };
    return { scenario, verify: () => verifyAnswer(scenario.request, answerOf(scenario)) };
  };

  test("refuse a maximum fee above half of the amount sent", () => {
    const celer = claiming("celer, fee", 49_000_000n);
    facet({ maxFee: 50_000_000n })(celer.scenario.tree as BridgeTree);
    expect(refusedField(celer.verify)).toBe("toAmountMin");
    const polymer = claiming("polymer, fast", 49_000_000n);
    facet({ maxCCTPFee: 50_750_000n })(polymer.scenario.tree as BridgeTree);
    expect(refusedField(polymer.verify)).toBe("toAmountMin");
  });
});

describe("Polymer's fee in verifyPolymerFacet()", () => {
  test("is refused when it contradicts the claimed minimum after a swap", () => {
    expect(calldata("polymer, swapped", facet({ polymerTokenFee: 1_000_001n }))).toBe(
      "polymer.polymerTokenFee",
    );
  });

  test("is refused when it contradicts the expected amount without a swap", () => {
    const scenario = { ...scenarioOf("polymer, fee"), toAmountMin: 99_700_000n };
    facet({ polymerTokenFee: 20_000n })(scenario.tree as BridgeTree);
    const refused = refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)));
    expect(refused).toBe("polymer.polymerTokenFee");
  });

  test.each([
    [5_000_000n, null],
    [5_000_001n, "polymer.polymerTokenFee"],
  ])("of %i units of 100 USDC, declared by the quote, is refused as %s", (polymerTokenFee, field) => {
    const left = 99_750_000n - polymerTokenFee;
    const scenario = { ...scenarioOf("polymer, fee"), toAmount: left, toAmountMin: left };
    facet({ polymerTokenFee })(scenario.tree as BridgeTree);
    const verify = () => verifyAnswer(scenario.request, answerOf(scenario));
    if (field === null) expect(verify().toAmountMin).toBe(left);
    else expect(refusedField(verify)).toBe(field);
  });

  test("is refused above 1 % of a large amount", () => {
    const polymerTokenFee = 26_210_001n;
    expect(calldata("polymer, swapped", facet({ polymerTokenFee }))).toBe("polymer.polymerTokenFee");
  });
});
