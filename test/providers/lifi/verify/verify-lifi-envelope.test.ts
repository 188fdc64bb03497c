import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { answerOf, type Scenario } from "../../../support/lifi/answers.ts";
import type { BridgeTree, ExecuteTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { write } from "../../../support/lifi/mutate.ts";
import { ATTACKER, callOf, NATIVE, tokens, USER } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { bridge, calldata, json, swap } from "../../../support/lifi/tamper.ts";

describe("verifyLifiTransfer() names a changed envelope field", () => {
  test.each([
    [["transactionRequest", "to"], ATTACKER, "transactionRequest.to"],
    [["transactionRequest", "from"], ATTACKER, "transactionRequest.from"],
    [["transactionRequest", "chainId"], 1, "transactionRequest.chainId"],
    [["transactionRequest", "value"], "0x1", "transactionRequest.value"],
    [["transactionRequest", "data"], "0xdeadbeef00", "transactionRequest.data"],
    [["transactionRequest", "data"], "0x", "transactionRequest.data"],
    [["estimate", "approvalAddress"], ATTACKER, "estimate.approvalAddress"],
    [["estimate", "fromAmount"], "99000000", "estimate.fromAmount"],
    [["estimate", "toAmountMin"], "0", "toAmountMin"],
    [["estimate", "toAmountMin"], "99740002", "toAmount"],
    [["estimate", "toAmount"], "900000000", "toAmountMin"],
    [["action", "fromChainId"], 1, "action.fromChainId"],
    [["action", "toChainId"], 1, "action.toChainId"],
    [["action", "fromToken", "address"], ATTACKER, "action.fromToken.address"],
    [["action", "toToken", "address"], ATTACKER, "action.toToken.address"],
    [["action", "fromToken", "chainId"], 1, "action.fromToken.chainId"],
    [["action", "toToken", "chainId"], 1, "action.toToken.chainId"],
    [["action", "fromAmount"], "1", "action.fromAmount"],
    [["action", "fromAddress"], ATTACKER, "action.fromAddress"],
    [["action", "toAddress"], ATTACKER, "action.toAddress"],
    [["transactionId"], `0x${"00".repeat(32)}`, "bridge.transactionId"],
    [["tool"], "stargateV2", "tool"],
    [["tool"], "relaydepository", "tool"],
    [["estimate", "feeCosts", 0, "amount"], "1", "accepted"],
    [["estimate", "feeCosts", 0, "token"], { symbol: "no decimals" }, "accepted"],
    [["estimate", "feeCosts"], "nonsense", "accepted"],
  ] as const)("%j = %j", (path, value, field) => {
    expect(json("across, fee", { path, value })).toBe(field);
  });

  test("refuses a call without a delivered amount, or with a wrong one", () => {
    const path = ["includedSteps"];
    expect(json("execute, swapped", { path, value: [] })).toBe("includedSteps");
    const claimed = ["includedSteps", 0, "estimate", "toAmount"];
    expect(json("execute", { path: claimed, value: "99750001" })).toBe("toAmount");
  });

  test("refuses a native fee above the cap, other than the calldata's, or of a bridge that takes none", () => {
    const value = (wei: bigint) => ({ path: ["transactionRequest", "value"], value: numberToHex(wei) });
    expect(json("stargate, fee", value(25n * 10n ** 15n))).toBe("transactionRequest.value");
    expect(json("stargate, fee", value(1n))).toBe("stargate.nativeFee");
    const scenario = { ...scenarioOf("across, fee"), onTop: 1_000n };
    const refused = refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)));
    expect(refused).toBe("transactionRequest.value");
  });

  test("refuses a value below the native amount", () => {
    const value = numberToHex(1n);
    expect(json("swap, native to token", { path: ["transactionRequest", "value"], value })).toBe(
      "transactionRequest.value",
    );
  });
});

describe("verifyLifiTransfer() names a changed field of BridgeData", () => {
  test.each([
    [{ transactionId: `0x${"11".repeat(32)}` }, "bridge.transactionId"],
    [{ bridge: "stargateV2" }, "bridge.bridge"],
    [{ integrator: "somebody" }, "accepted"],
    [{ referrer: ATTACKER }, "accepted"],
    [{ receiver: ATTACKER }, "bridge.receiver"],
    [{ destinationChainId: 1n }, "bridge.destinationChainId"],
    [{ hasDestinationCall: true }, "bridge.hasDestinationCall"],
    [{ hasSourceSwaps: false }, "bridge.hasSourceSwaps"],
    [{ sendingAssetId: tokens.weth[8453] }, "bridge.sendingAssetId"],
    [{ minAmount: 99_749_999n }, "bridge.minAmount"],
    [{ minAmount: 0n }, "bridge.minAmount"],
  ] as const)("%o is judged as %s", (change, field) => {
    expect(calldata("across, fee", bridge(change))).toBe(field);
  });
});

const verdict = (scenario: Scenario): string =>
  refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)));

describe("verifyLifiTransfer() refuses a function that does not fit the request:", () => {
  test("a bridge on one chain", () => {
    const scenario = scenarioOf("across, fee");
    scenario.request = { ...scenario.request, toChainId: 8453 };
    bridge({ destinationChainId: 8453n })(scenario.tree as BridgeTree);
    expect(verdict(scenario)).toBe("selector");
  });

  test("a swap between chains, or in place of a call", () => {
    const between = scenarioOf("swap, tokens");
    between.request = { ...between.request, toChainId: 42_161 };
    expect(verdict(between)).toBe("selector");
    const called = scenarioOf("swap, tokens");
    called.request = { ...called.request, call: callOf(1n) };
    expect(verdict(called)).toBe("selector");
  });

  test("a contract call between chains, or without a call", () => {
    const between = scenarioOf("execute");
    between.request = { ...between.request, toChainId: 42_161 };
    expect(verdict(between)).toBe("selector");
    const plain = scenarioOf("execute");
    plain.request = { ...plain.request, call: null };
    const answer = answerOf({ ...plain, toAmount: 1n, toAmountMin: 1n });
    write(answer, { path: ["estimate", "toAmount"], value: "99750000" });
    expect(refusedField(() => verifyAnswer(plain.request, answer))).toBe("selector");
  });

  test("a destination call paid in native money", () => {
    const scenario = scenarioOf("execute, swapped");
    scenario.request = { ...scenario.request, toToken: NATIVE };
    const steps = scenario.tree as ExecuteTree;
    for (const at of [1, 2])
      swap(at, at === 1 ? { receivingAssetId: NATIVE } : { sendingAssetId: NATIVE })(steps);
    expect(verdict(scenario)).toBe("call.sendingAssetId");
  });
});

describe("verifyLifiTransfer() refuses what cannot be verified:", () => {
  test("a Relay deposit under any tool name", () => {
    const relay = (tree: BridgeTree) => {
      tree.facetName = "relay";
      tree.facet = { orderId: `0x${"22".repeat(32)}`, depositorAddress: USER };
    };
    expect(calldata("across, fee", relay)).toBe("relay.orderId");
    const unswapped = (tree: BridgeTree) => {
      relay(tree);
      tree.swaps = null;
    };
    expect(calldata("across, fee", unswapped)).toBe("relay.orderId");
  });

  test("a bridge that the request excludes, or a chain without its facet", () => {
    const scenario = scenarioOf("across, fee");
    const request = { ...scenario.request, bridges: ["stargate"] };
    expect(refusedField(() => verifyAnswer(request, answerOf(scenario)))).toBe("tool");
    const fromGnosis = scenarioOf("across, fee");
    fromGnosis.request = { ...fromGnosis.request, fromChainId: 100 };
    expect(refusedField(() => verifyAnswer(fromGnosis.request, answerOf(fromGnosis)))).toBe("tool");
  });

  test("a chain that the code does not know", () => {
    const scenario = scenarioOf("across, fee");
    scenario.request = { ...scenario.request, toChainId: 59_144 };
    expect(verdict(scenario)).toBe("action.toChainId");
    scenario.request = { ...scenario.request, fromChainId: 59_144 };
    expect(verdict(scenario)).toBe("action.fromChainId");
  });
});
