import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { BridgeTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, NOW, tokens, USER, word } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet } from "../../../support/lifi/tamper.ts";

describe("verifyAcrossFacet()", () => {
  test.each([
    [{ receiverAddress: word(ATTACKER) }, "across.receiverAddress"],
    [{ receiverAddress: `0x01${word(USER).slice(4)}` }, "across.receiverAddress"],
    [{ refundAddress: word(ATTACKER) }, "across.refundAddress"],
    [{ sendingAssetId: word(tokens.weth[8453]) }, "across.sendingAssetId"],
    [{ receivingAssetId: word(ATTACKER) }, "across.receivingAssetId"],
    [{ outputAmount: 99_739_999n }, "across.outputAmount"],
    [{ outputAmountMultiplier: 999_000_000_000_000_000n }, "across.outputAmountMultiplier"],
    [{ outputAmountMultiplier: 10n ** 19n }, "across.outputAmountMultiplier"],
    [{ quoteTimestamp: NOW - 3_421 }, "across.quoteTimestamp"],
    [{ quoteTimestamp: NOW + 601 }, "across.quoteTimestamp"],
    [{ fillDeadline: NOW + 599 }, "across.fillDeadline"],
    [{ fillDeadline: NOW + 86_401 }, "across.fillDeadline"],
    [{ exclusivityParameter: 601 }, "across.exclusivityParameter"],
    [{ exclusivityParameter: NOW + 601 }, "across.exclusivityParameter"],
    [{ message: "0x00" }, "across.message"],
  ])("refuses %o as %s", (change, field) => {
    expect(calldata("across, fee", facet(change))).toBe(field);
  });

  test.each([
    { quoteTimestamp: NOW - 3_420 },
    { quoteTimestamp: NOW + 600 },
    { fillDeadline: NOW + 600 },
    { fillDeadline: NOW + 86_400 },
    { exclusivityParameter: 600 },
    { exclusivityParameter: NOW + 600 },
  ])("accepts %o, the limit", (change) => {
    expect(calldata("across, fee", facet(change))).toBe("accepted");
  });

  test("refuses a huge multiplier that hides a weak minimum of the source swap", () => {
    const hidden = (tree: BridgeTree) => {
      tree.bridge.minAmount /= 10n;
      tree.facet["outputAmountMultiplier"] = (tree.facet["outputAmountMultiplier"] as bigint) * 10n;
    };
    expect(calldata("across, swapped", hidden)).toBe("across.outputAmountMultiplier");
  });

  test("refuses to bridge an unlisted token after a swap", () => {
    const worthless = (tree: BridgeTree) => {
      tree.bridge.sendingAssetId = ATTACKER;
      tree.facet["sendingAssetId"] = word(ATTACKER);
      Object.assign(tree.swaps?.[1] ?? {}, { receivingAssetId: ATTACKER });
    };
    expect(calldata("across, swapped", worthless)).toBe("across.sendingAssetId");
  });

  test.each([
    ["more than quoted", 99_990_000n, 99_995_000n, "across.outputAmountMultiplier"],
    ["more than the amount sent", 100_000_001n, 100_000_001n, "across.outputAmountMultiplier"],
    ["less than half of the amount sent", 49_999_999n, 49_999_999n, "across.outputAmountMultiplier"],
  ])("refuses an output of %s", (_, quoted, asked, field) => {
    const scenario = scenarioOf("across, no fee");
    facet({ outputAmount: asked })(scenario.tree as BridgeTree);
    const answer = answerOf({ ...scenario, toAmount: quoted, toAmountMin: quoted });
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe(field);
  });

  test("tolerates exactly the rounding of the multiplier", () => {
    const exact = (99_740_000n * 10n ** 18n) / 99_750_000n;
    expect((99_750_000n * exact) / 10n ** 18n).toBe(99_739_999n);
    expect(calldata("across, fee", facet({ outputAmountMultiplier: exact }))).toBe("accepted");
    const less = exact - 10n ** 18n / 99_750_000n - 1n;
    expect(calldata("across, fee", facet({ outputAmountMultiplier: less }))).toBe(
      "across.outputAmountMultiplier",
    );
  });

  test("refuses wrapped native money without a call, since Across would unwrap it", () => {
    const scenario = scenarioOf("across, native");
    const request = { ...scenario.request, toToken: tokens.weth[8453] };
    const answer = answerOf({ ...scenario, request });
    expect(refusedField(() => verifyAnswer(request, answer))).toBe("across.receivingAssetId");
  });
});
