import { describe, expect, it } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { BridgeTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, NOW, tokens, USER, word } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet, finalCall, message, send } from "../../../support/lifi/tamper.ts";

describe("changed Across fields are refused by name", () => {
  it.each([
    [{ receiverAddress: word(ATTACKER) }, "across.receiverAddress"],
    [{ receiverAddress: `0x01${word(USER).slice(4)}` }, "across.receiverAddress"],
    [{ refundAddress: word(ATTACKER) }, "across.refundAddress"],
    [{ sendingAssetId: word(tokens.weth[8453]) }, "across.sendingAssetId"],
    [{ receivingAssetId: word(ATTACKER) }, "across.receivingAssetId"],
    [{ outputAmount: 99_739_999n }, "across.outputAmount"],
    [{ outputAmountMultiplier: 999_000_000_000_000_000n }, "across.outputAmountMultiplier"],
    [{ outputAmountMultiplier: 10n ** 19n }, "across.outputAmountMultiplier"],
    [{ quoteTimestamp: NOW - 3_601 }, "across.quoteTimestamp"],
    [{ quoteTimestamp: NOW + 601 }, "across.quoteTimestamp"],
    [{ fillDeadline: NOW + 59 }, "across.fillDeadline"],
    [{ fillDeadline: NOW + 86_401 }, "across.fillDeadline"],
    [{ exclusivityParameter: 601 }, "across.exclusivityParameter"],
    [{ exclusivityParameter: NOW + 601 }, "across.exclusivityParameter"],
    [{ message: "0x00" }, "across.message"],
  ])("%o is %s", (change, field) => {
    expect(calldata("across, fee", facet(change))).toBe(field);
  });

  it("refuses a weak source swap that hides behind a huge multiplier", () => {
    const hidden = (tree: BridgeTree) => {
      tree.bridge.minAmount /= 10n;
      tree.facet["outputAmountMultiplier"] = (tree.facet["outputAmountMultiplier"] as bigint) * 10n;
    };
    expect(calldata("across, swapped", hidden)).toBe("across.outputAmountMultiplier");
  });

  it("refuses to bridge a token, after a swap, that is no known form of the one asked for", () => {
    const worthless = (tree: BridgeTree) => {
      tree.bridge.sendingAssetId = ATTACKER;
      tree.facet["sendingAssetId"] = word(ATTACKER);
      Object.assign(tree.swaps?.[1] ?? {}, { receivingAssetId: ATTACKER });
    };
    expect(calldata("across, swapped", worthless)).toBe("across.sendingAssetId");
  });

  it.each([
    ["more than is quoted", 99_990_000n, 99_995_000n, "across.outputAmountMultiplier"],
    ["more than is sent", 100_000_001n, 100_000_001n, "across.outputAmountMultiplier"],
    ["less than half of what is sent", 49_999_999n, 49_999_999n, "across.outputAmountMultiplier"],
  ])("refuses to ask for %s", (_, quoted, asked, field) => {
    const scenario = scenarioOf("across, no fee");
    facet({ outputAmount: asked })(scenario.tree as BridgeTree);
    const answer = answerOf({ ...scenario, toAmount: quoted, toAmountMin: quoted });
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe(field);
  });

  it("tolerates exactly the rounding of the multiplier", () => {
    const exact = (99_740_000n * 10n ** 18n) / 99_750_000n;
    expect((99_750_000n * exact) / 10n ** 18n).toBe(99_739_999n);
    expect(calldata("across, fee", facet({ outputAmountMultiplier: exact }))).toBe("accepted");
    const less = exact - 10n ** 18n / 99_750_000n - 1n;
    expect(calldata("across, fee", facet({ outputAmountMultiplier: less }))).toBe(
      "across.outputAmountMultiplier",
    );
  });

  it("refuses the wrapped native token without a call: Across would deliver it unwrapped", () => {
    const scenario = scenarioOf("across, native");
    const request = { ...scenario.request, toToken: tokens.weth[8453] };
    const answer = answerOf({ ...scenario, request });
    expect(refusedField(() => verifyAnswer(request, answer))).toBe("across.receivingAssetId");
  });
});

describe("a changed destination call is refused by name", () => {
  it.each(["across, call", "stargate, call"])("%s", (name) => {
    const other = `0x${"11".repeat(32)}` as const;
    expect(
      calldata(
        name,
        message((tree) => Object.assign(tree, { transactionId: other })),
      ),
    ).toBe("message.transactionId");
    expect(
      calldata(
        name,
        message((tree) => Object.assign(tree, { receiver: ATTACKER })),
      ),
    ).toBe("message.receiver");
    const repeat = message((tree) => tree.swaps.push(...tree.swaps));
    expect(calldata(name, repeat)).toBe("message.swaps.length");
    expect(
      calldata(
        name,
        message((tree) => tree.swaps.splice(0)),
      ),
    ).toBe("message.swaps.length");
    expect(calldata(name, finalCall({ callTo: ATTACKER }))).toBe("call.callTo");
    expect(calldata(name, finalCall({ approveTo: ATTACKER }))).toBe("call.approveTo");
    expect(calldata(name, finalCall({ callData: "0xd0e1d2c3" }))).toBe("call.callData");
    expect(calldata(name, finalCall({ sendingAssetId: ATTACKER }))).toBe("call.sendingAssetId");
    expect(calldata(name, finalCall({ receivingAssetId: ATTACKER }))).toBe("call.receivingAssetId");
    expect(calldata(name, finalCall({ fromAmount: 95_999_999n }))).toBe("call.fromAmount");
    expect(calldata(name, finalCall({ fromAmount: 99_740_001n }))).toBe("call.fromAmount");
    expect(calldata(name, finalCall({ fromAmount: 99_000_000n, requiresDeposit: false }))).toBe("accepted");
    expect(calldata(name, finalCall({ receivingAssetId: tokens.usdc[42161] }))).toBe("accepted");
  });

  it("refuses a delivery to the user, or no message, when a call was asked for", () => {
    expect(calldata("across, call", facet({ receiverAddress: word(USER) }))).toBe("across.receiverAddress");
    expect(calldata("across, call", facet({ message: "0x" }))).toBe("message");
    expect(calldata("stargate, call", send({ to: word(USER) }))).toBe("stargate.to");
    expect(calldata("stargate, call", send({ composeMsg: "0x" }))).toBe("message");
    expect(calldata("stargate, call", send({ extraOptions: "0x" }))).toBe("stargate.extraOptions");
  });

  it("refuses a message with anything behind it", () => {
    const scenario = scenarioOf("across, call");
    const answer = answerOf(scenario);
    const transaction = answer["transactionRequest"] as Record<string, unknown>;
    transaction["data"] = `${String(transaction["data"])}${"00".repeat(32)}`;
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe("transactionRequest.data");
  });

  it("refuses a call that needs more than what is guaranteed", () => {
    const scenario = scenarioOf("across, call");
    const call = scenario.request.call;
    const request = { ...scenario.request, call: call && { ...call, minIn: 99_740_001n } };
    expect(refusedField(() => verifyAnswer(request, answerOf(scenario)))).toBe("call.fromAmount");
  });
});
