import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, tokens, USER, word } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet, finalCall, message, send } from "../../../support/lifi/tamper.ts";

describe("checkReceiverMessage()", () => {
  test.each(["across, call", "stargate, call"])("names every changed field: %s", (name) => {
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
    expect(calldata(name, finalCall({ fromAmount: 99_740_001n }))).toBe("no_route");
    expect(calldata(name, finalCall({ fromAmount: 99_000_000n, requiresDeposit: false }))).toBe("accepted");
    expect(calldata(name, finalCall({ receivingAssetId: tokens.usdc[42161] }))).toBe("accepted");
  });

  test("refuses a delivery to the user, or no message, when a call was requested", () => {
    expect(calldata("across, call", facet({ receiverAddress: word(USER) }))).toBe("across.receiverAddress");
    expect(calldata("across, call", facet({ message: "0x" }))).toBe("message");
    expect(calldata("stargate, call", send({ to: word(USER) }))).toBe("stargate.to");
    expect(calldata("stargate, call", send({ composeMsg: "0x" }))).toBe("message");
    expect(calldata("stargate, call", send({ extraOptions: "0x" }))).toBe("stargate.extraOptions");
  });

  test("refuses a message with trailing bytes", () => {
    const scenario = scenarioOf("across, call");
    const answer = answerOf(scenario);
    const transaction = answer["transactionRequest"] as Record<string, unknown>;
    transaction["data"] = `${String(transaction["data"])}${"00".repeat(32)}`;
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe("transactionRequest.data");
  });

  test("refuses a call whose minimum input exceeds the guaranteed amount", () => {
    const scenario = scenarioOf("across, call");
    const call = scenario.request.call;
    const request = { ...scenario.request, call: call && { ...call, minIn: 99_740_001n } };
    expect(refusedField(() => verifyAnswer(request, answerOf(scenario)))).toBe("call.fromAmount");
  });
});
