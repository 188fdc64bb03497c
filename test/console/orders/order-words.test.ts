import { describe, expect, test } from "vitest";
import type { Step } from "../../../src/client/operations/read-operations.ts";
import {
  describeEqual,
  describeFailure,
  describeState,
  describeStep,
  isCancellable,
  paidToken,
} from "../../../src/console/orders/order-words.ts";

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

  test("does not promise shares for a deposit that a bridge delivers", () => {
    const [bridged, direct] = [describeStep(stepFor("deposit"), "across"), describeStep(stepFor("deposit"))];
    expect(bridged.explanation).toContain("you get tokens back, not shares");
    expect(direct.explanation).toContain("sends its shares to your address");
    const second = { ...stepFor("deposit"), stepId: "destination.deposit" };
    expect(describeStep(second, "across")).toEqual(direct);
  });

  test("says how much an approval allows, and to whom", () => {
    const { title, explanation } = describeStep(stepFor("approve"));
    expect(title).toBe("Approve 1.5 USDC");
    expect(explanation).toContain("0x1111…2222");
  });
});

/** A signature step with a message of this type, as the API returns it. */
const signatureOf = (primaryType: string, message: object = {}): Step =>
  ({ ...stepFor("authorize"), kind: "signature", typedData: { primaryType, message } }) as unknown as Step;
const explain = (primaryType: string, message?: object) =>
  describeStep(signatureOf(primaryType, message)).explanation;

describe("what a signature allows", () => {
  test("is an amount for the Router until a time, for a permit", () => {
    expect(explain("Permit", { deadline: "1790000000" })).toMatch(
      /^Allows Causeway's contract to take 1\.5 USDC from you until \d+ \S+ 2026, \d\d:\d\d, only in a/,
    );
  });

  test("is an exact amount, which rounding would understate", () => {
    const paid = { ...signatureOf("ReceiveWithAuthorization"), amount: 1_999_999n };
    expect(describeStep(paid).explanation).toContain("Pays 1.999999 USDC for exactly");
    expect(describeStep({ ...stepFor("approve"), amount: 1n }).title).toBe("Approve 0.000001 USDC");
  });

  test.each(["PermitWitnessTransferFrom", "ReceiveWithAuthorization"])("is one order, for %s", (type) => {
    expect(explain(type, { validBefore: "1790000000" })).toMatch(
      /^Pays 1\.5 USDC for exactly this order, once until \d+ \S+ 2026/,
    );
    expect(explain(type)).toContain("exactly this order, once. It");
  });

  test("is nothing, for a cancellation", () => {
    expect(explain("CancelAuthorization")).toContain("It moves nothing.");
  });
});

test("a signed order can be cancelled before it is sent, unless only its owner can use the signature", () => {
  const order = (state: string, type: string) => ({ state, steps: [signatureOf(type)] });
  expect(isCancellable(order("built", "PermitWitnessTransferFrom"))).toBe(true);
  expect(isCancellable(order("built", "ReceiveWithAuthorization"))).toBe(true);
  expect(isCancellable(order("built", "Permit"))).toBe(false);
  expect(isCancellable(order("submitted", "ReceiveWithAuthorization"))).toBe(false);
  expect(isCancellable({ state: "built", steps: [stepFor("deposit")] })).toBe(false);
});

test("states that the page does not know yet are shown by their name", () => {
  expect(describeState("completed", "deposit").tone).toBe("good");
  expect(describeState("half_done", "deposit").label).toBe("half done");
  expect(describeFailure("SLIPPAGE_EXCEEDED")).toContain("nothing was taken");
  expect(describeFailure(null)).toBe("");
});

test("describeState() says of a partial withdrawal that the vault paid a part of it", () => {
  expect(describeState("partial", "withdrawal").summary).toContain("paid a part");
  expect(describeState("partial", "deposit").summary).toContain("not changed into what you asked for");
});

describe("paidToken()", () => {
  const [fromToken, other] = [`0x${"ab".repeat(20)}`, `0x${"cd".repeat(20)}`];
  const step = {
    ...stepFor("authorize"),
    token: { address: fromToken.toUpperCase(), symbol: "", decimals: 18 },
  } as Step;

  test("is the listed token, and otherwise the shares that a step of the move takes", () => {
    const order = { fromToken, fromChainId: 1, steps: [stepFor("deposit"), step] };
    const listed = { address: fromToken, symbol: "USDC", decimals: 6 };
    expect(paidToken(order, [listed])).toBe(listed);
    expect(paidToken(order, [])).toEqual({ symbol: "shares", decimals: 18 });
  });

  test("is unknown if no step of the paying chain names it", () => {
    expect(paidToken({ fromToken: other, fromChainId: 1, steps: [step] }, [])).toBeUndefined();
    expect(paidToken({ fromToken, fromChainId: 2, steps: [step] }, [])).toBeUndefined();
  });
});

test("describeEqual() warns of signing an unsent order again, and says that a sent one counts once", () => {
  expect(describeEqual({ state: "expired" }, "deposit")).toEqual({
    title: "An equal deposit of yours was sent",
    explanation: expect.stringContaining("signing again moves the money a second time"),
  });
  expect(describeEqual({ state: "completed" }, "withdrawal")).toEqual({
    title: "This withdrawal is listed under another id",
    explanation: expect.stringContaining("It counts once."),
  });
});
