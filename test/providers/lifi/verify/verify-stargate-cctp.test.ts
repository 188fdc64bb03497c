import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { BridgeTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, callOf, messageOf, tokens, word } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet, send } from "../../../support/lifi/tamper.ts";

describe("changed Stargate fields are refused by name", () => {
  const drop = `0x000301003102${"00".repeat(15)}01${word(ATTACKER).slice(2)}`;
  const composeGas = "0x000301001303000000000000000000000000000000030d40";
  it.each([
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
  ])("%o is %s", (change, field) => {
    expect(calldata("stargate, fee", change)).toBe(field);
  });
});

describe("changed CCTP fields are refused by name", () => {
  it.each([
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
  ] as const)("%s: %o is %s", (name, change, field) => {
    expect(calldata(name, change)).toBe(field);
  });
});

describe("an asset that is not the one asked for is refused", () => {
  /** Changes what is bridged after a swap, wherever it is named. */
  const bridging = (token: Address, assetId: number) => (tree: BridgeTree) => {
    tree.bridge.sendingAssetId = token;
    Object.assign(tree.swaps?.[1] ?? {}, { receivingAssetId: token });
    if (tree.facetName === "stargate") tree.facet["assetId"] = assetId;
  };

  it("by Stargate's pool on either side", () => {
    expect(calldata("stargate, swapped", bridging(ATTACKER, 1))).toBe("stargate.assetId");
    const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
    expect(calldata("stargate, swapped", bridging(usdt, 2))).toBe("stargate.assetId");
  });

  it("by CCTP, which burns and mints Circle's USDC", () => {
    expect(calldata("celer, fast, swapped", bridging(tokens.weth[1], 0))).toBe("bridge.sendingAssetId");
    expect(calldata("polymer, swapped", bridging(ATTACKER, 0))).toBe("bridge.sendingAssetId");
    const scenario = scenarioOf("celer, fee");
    scenario.request = { ...scenario.request, toToken: tokens.usdt[42161] };
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe(
      "action.toToken.address",
    );
  });

  it("when a call would be paid in the native token", () => {
    const scenario = scenarioOf("stargate, native");
    scenario.request = { ...scenario.request, call: callOf(1n) };
    const tree = scenario.tree as BridgeTree;
    tree.bridge.hasDestinationCall = true;
    const receiver = word("0x1493e7B8d4DfADe0a178dAD9335470337A3a219A");
    send({ to: receiver, composeMsg: messageOf(scenario.request) })(tree);
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe("stargate.assetId");
  });

  it("when CCTP is said to carry a call", () => {
    const scenario = scenarioOf("celer, fee");
    scenario.request = { ...scenario.request, call: callOf(1n) };
    (scenario.tree as BridgeTree).bridge.hasDestinationCall = true;
    expect(refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)))).toBe(
      "bridge.hasDestinationCall",
    );
  });
});

describe("Polymer's fees are held to the quote", () => {
  it("after a swap, by the least claimed", () => {
    expect(calldata("polymer, swapped", facet({ polymerTokenFee: 1_000_001n }))).toBe(
      "polymer.polymerTokenFee",
    );
  });

  it("without one, by the amount expected", () => {
    const scenario = { ...scenarioOf("polymer, fee"), toAmountMin: 99_700_000n };
    facet({ polymerTokenFee: 20_000n })(scenario.tree as BridgeTree);
    const refused = refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)));
    expect(refused).toBe("polymer.polymerTokenFee");
  });

  it.each([
    [5_000_000n, null],
    [5_000_001n, "polymer.polymerTokenFee"],
  ])("of %i out of a hundred dollars, which the quote owns to", (polymerTokenFee, field) => {
    const left = 99_750_000n - polymerTokenFee;
    const scenario = { ...scenarioOf("polymer, fee"), toAmount: left, toAmountMin: left };
    facet({ polymerTokenFee })(scenario.tree as BridgeTree);
    const verify = () => verifyAnswer(scenario.request, answerOf(scenario));
    if (field === null) expect(verify().toAmountMin).toBe(left);
    else expect(refusedField(verify)).toBe(field);
  });

  it("of more than a hundredth of a large amount", () => {
    const polymerTokenFee = 26_210_001n;
    expect(calldata("polymer, swapped", facet({ polymerTokenFee }))).toBe("polymer.polymerTokenFee");
  });
});

describe("a quote that owns to taking more than half is refused, however it takes it", () => {
  const claiming = (name: string, toAmount: bigint) => {
    const scenario = { ...scenarioOf(name), toAmount, toAmountMin: toAmount };
    return { scenario, verify: () => verifyAnswer(scenario.request, answerOf(scenario)) };
  };

  it("Stargate, by the least that is to be credited", () => {
    const { scenario, verify } = claiming("stargate, fee", 49_000_000n);
    send({ minAmountLD: 49_000_000n })(scenario.tree as BridgeTree);
    expect(refusedField(verify)).toBe("toAmountMin");
  });

  it("CCTP, by the largest fee for speed", () => {
    const celer = claiming("celer, fee", 49_000_000n);
    facet({ maxFee: 50_000_000n })(celer.scenario.tree as BridgeTree);
    expect(refusedField(celer.verify)).toBe("toAmountMin");
    const polymer = claiming("polymer, fast", 49_000_000n);
    facet({ maxCCTPFee: 50_750_000n })(polymer.scenario.tree as BridgeTree);
    expect(refusedField(polymer.verify)).toBe("toAmountMin");
  });
});
