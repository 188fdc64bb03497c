import { describe, expect, test } from "vitest";
import type { Step } from "../../../src/client/read-actions.ts";
import { describeFailure, describeState, describeStep } from "../../../src/console/orders/order-words.ts";

const purposes = [
  ...(["approve_reset", "approve", "authorize", "deposit", "transfer"] as const),
  ...(["redeem", "request", "claim", "cooldown", "cancel"] as const),
];

function stepFor(purpose: Step["purpose"]): Step {
  return {
    ...{ stepId: `source.${purpose}`, purpose, title: "", chainId: 1, state: "required", txHash: null },
    ...{ kind: "transaction", transactionRequest: null, typedData: null },
    token: { address: "0x0000000000000000000000000000000000000001", symbol: "USDC", decimals: 6 },
    ...{ amount: 1_500_000n, spender: "0x1111111111111111111111111111111111112222" },
  } as Step;
}

describe("describeStep()", () => {
  test.each(purposes)("explains %s", (purpose) => {
    const { title, explanation } = describeStep(stepFor(purpose));
    expect(title).toMatch(/^[A-Z].+[^.]$/);
    expect(explanation).toMatch(/^[A-Z].+\.$/);
  });

  test("says how much an approval allows, and to whom", () => {
    const { title, explanation } = describeStep(stepFor("approve"));
    expect(title).toBe("Approve 1.5 USDC");
    expect(explanation).toContain("0x1111…2222");
  });
});

test("states that the page does not know yet are shown by their name", () => {
  expect(describeState("completed").tone).toBe("good");
  expect(describeState("half_done").label).toBe("half done");
  expect(describeFailure("SLIPPAGE_EXCEEDED")).toContain("nothing was taken");
  expect(describeFailure(null)).toBe("");
});
