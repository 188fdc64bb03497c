import { type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { decodeKyberSwap } from "../../../src/providers/kyber/kyber-calldata.ts";
import { KyberBuild } from "../../../src/providers/kyber/kyber-schemas.ts";
import { verifyKyberSwap } from "../../../src/providers/kyber/verify-kyber-swap.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { rejectedField, USDC_1, WETH_1 } from "../../support/across/stage.ts";
import {
  AMOUNT,
  AMOUNT_OUT,
  ATTACKER,
  answeredFields,
  buildBody,
  deployment,
  EXECUTOR,
  encodeFields,
  honestFields,
  type SwapFields,
  swapRequest,
} from "../../support/kyber/stage.ts";

const FLOOR = (AMOUNT_OUT * 97n) / 100n;
const paidNative = swapRequest({ fromToken: zeroAddress });

/** Verifies a build answer for a request. */
function verify(request: TransferRequest, change: Record<string, unknown> = {}) {
  const answer = KyberBuild.parse(buildBody(request, change)).data;
  return verifyKyberSwap({ request, deployment, answer });
}

/** Verifies the answer with the honest calldata but for some fields. */
const verifyFields = (fields: Partial<SwapFields>, request = swapRequest()) =>
  verify(request, { data: encodeFields(answeredFields(request, fields)) });

describe("verifyKyberSwap() accepts an honest swap", () => {
  test("paid with a token: no value, the router as target, the decoded minimum as guarantee", () => {
    const { transaction, toAmount, toAmountMin, asStep } = verify(swapRequest());
    expect(transaction).toEqual({
      to: deployment.router,
      value: 0n,
      data: encodeFields(honestFields(swapRequest())),
    });
    expect([toAmount, toAmountMin]).toEqual([AMOUNT_OUT, FLOOR]);
    // The router measures the user's balance, which others may raise meanwhile.
    expect(asStep).toMatchObject({ required: true, leftovers: [] });
  });

  test("paid in the native currency: the amount as value", () => {
    expect(verify(paidNative).transaction.value).toBe(AMOUNT);
  });

  test("delivering the native currency", () => {
    expect(rejectedField(() => verify(swapRequest({ toToken: zeroAddress })))).toBeNull();
  });

  test.each<[string, Partial<SwapFields>]>([
    ["with a flag that the router does not read", { flags: 0x280n }],
    ["in simple mode", { kind: "swapSimpleMode", srcReceivers: [], srcAmounts: [], flags: 0x20n }],
    ["by another executor", { executor: ATTACKER, executorData: "0x01" }],
    [
      "with two receivers of the input",
      { srcReceivers: [EXECUTOR, ATTACKER], srcAmounts: [AMOUNT - 1n, 1n] },
    ],
    ["with a higher minimum", { minReturnAmount: AMOUNT_OUT }],
    ["with a fee of 0.5 %", { feeReceivers: [ATTACKER], feeAmounts: [50n], flags: 0x84n }],
    [
      "with a fee of 0.5 % of the output",
      { feeReceivers: [ATTACKER], feeAmounts: [AMOUNT_OUT / 200n], flags: 0x44n },
    ],
    ["with other client data", { clientData: "0x" }],
  ])("%s", (_name, fields) => {
    expect(rejectedField(() => verifyFields(fields))).toBeNull();
  });
});

describe("verifyKyberSwap() refuses", () => {
  test.each<[string, Partial<SwapFields>]>([
    ["dstReceiver", { dstReceiver: ATTACKER }],
    ["dstReceiver", { dstReceiver: swapRequest().user }],
    ["dstReceiver", { dstReceiver: zeroAddress }],
    ["srcToken", { srcToken: WETH_1 }],
    ["dstToken", { dstToken: USDC_1 }],
    ["amount", { amount: AMOUNT + 1n }],
    ["amount", { amount: AMOUNT - 1n }],
    ["minReturnAmount", { minReturnAmount: FLOOR - 1n }],
    ["minReturnAmount", { minReturnAmount: 0n }],
    ["minReturnAmount", { minReturnAmount: AMOUNT_OUT + 1n }],
    ["srcAmounts", { srcAmounts: [AMOUNT + 1n] }],
    ["srcAmounts", { srcReceivers: [EXECUTOR, ATTACKER], srcAmounts: [AMOUNT, 1n] }],
    ["srcReceivers", { srcReceivers: [EXECUTOR, ATTACKER] }],
    ["permit", { permit: `0x${"11".repeat(224)}` }],
    ["executorData", { executorData: "0x" }],
    ["flags", { flags: 0x05n }],
    ["flags", { flags: 0x06n }],
    ["flags", { flags: 0x0cn }],
    ["flags", { flags: 0x14n }],
    ["flags", { flags: 0x404n }],
    ["flags", { flags: 2n ** 255n }],
    ["feeAmounts", { feeReceivers: [ATTACKER], feeAmounts: [51n], flags: 0x84n }],
    ["feeAmounts", { feeReceivers: [ATTACKER, ATTACKER], feeAmounts: [26n, 25n], flags: 0x84n }],
    ["feeAmounts", { feeReceivers: [ATTACKER], feeAmounts: [AMOUNT / 200n + 1n] }],
    ["feeAmounts", { feeReceivers: [ATTACKER], feeAmounts: [AMOUNT_OUT / 200n + 1n], flags: 0x44n }],
    ["feeReceivers", { feeReceivers: [ATTACKER], feeAmounts: [] }],
  ])("calldata with another %s: %o", (field, fields) => {
    expect(rejectedField(() => verifyFields(fields))).toBe(`kyberswap: ${field}`);
  });

  test.each<[string, Record<string, unknown>]>([
    ["routerAddress", { routerAddress: ATTACKER }],
    ["amountIn", { amountIn: "99999999" }],
    ["amountOut", { amountOut: "0" }],
    ["transactionValue", { transactionValue: "1" }],
    ["minReturnAmount", { amountOut: (AMOUNT_OUT * 2n).toString() }],
  ])("an answer with another %s: %o", (field, change) => {
    expect(rejectedField(() => verify(swapRequest(), change))).toBe(`kyberswap: ${field}`);
  });

  test("native money that is not the amount", () => {
    expect(rejectedField(() => verify(paidNative, { transactionValue: "99999999" }))).toBe(
      "kyberswap: transactionValue",
    );
  });

  test("simple mode for the native currency, which the router refuses", () => {
    const fields = { kind: "swapSimpleMode", flags: 0x20n } as const;
    expect(rejectedField(() => verifyFields(fields, paidNative))).toBe("kyberswap: selector");
  });

  test.each<[string, Hex]>([
    ["swapGeneric, which calls any contract", "0x59e50fed"],
    ["an approval", "0x095ea7b3"],
    ["a transfer", "0xa9059cbb"],
  ])("the selector of %s", (_name, selector) => {
    const honest = encodeFields(answeredFields(swapRequest()));
    expect(rejectedField(() => verify(swapRequest(), { data: `${selector}${honest.slice(10)}` }))).toBe(
      "kyberswap: data",
    );
  });

  test.each(["0x", "0xe21fd0e9", encodeFields(answeredFields(swapRequest())).slice(0, -64)])(
    "calldata that ends too early",
    (data) => {
      expect(rejectedField(() => verify(swapRequest(), { data: data.slice(0, 400) }))).toBe(
        "kyberswap: data",
      );
    },
  );

  test("the swap of another chain's deployment", () => {
    const answer = KyberBuild.parse(buildBody(swapRequest())).data;
    const elsewhere = { ...deployment, chainId: 31337, router: ATTACKER } as const;
    expect(
      rejectedField(() => verifyKyberSwap({ request: swapRequest(), deployment: elsewhere, answer })),
    ).toBe("kyberswap: routerAddress");
  });
});

describe("verifyKyberSwap() encodes again what it decoded", () => {
  test("so that bytes after the calldata and an unused approval are lost", () => {
    const sent = encodeFields(honestFields(swapRequest()));
    const answered = encodeFields(answeredFields(swapRequest()));
    const padded = encodeFields(answeredFields(swapRequest(), { approveTarget: ATTACKER }));
    expect(verify(swapRequest(), { data: `${answered}deadbeef` }).transaction.data).toBe(sent);
    expect(verify(swapRequest(), { data: padded }).transaction.data).toBe(sent);
  });

  test("for every single changed byte: refused, or the same money to the same receiver", () => {
    const honest = encodeFields(answeredFields(swapRequest()));
    let accepted = 0;
    for (let at = 2; at < honest.length; at += 2) {
      const byte = Number.parseInt(honest.slice(at, at + 2), 16) ^ 0x41;
      const data = `${honest.slice(0, at)}${byte.toString(16).padStart(2, "0")}${honest.slice(at + 2)}`;
      const run = () => verify(swapRequest(), { data });
      if (rejectedField(run) !== null) continue;
      accepted += 1;
      const desc = decodeKyberSwap(run().transaction.data)?.desc;
      expect(desc).toMatchObject({ ...moneyOf(swapRequest()), permit: "0x", feeReceivers: [] });
      expect(desc?.minReturnAmount).toBeGreaterThanOrEqual(FLOOR);
    }
    // The executor, its data, the receivers of the input and the client data are free.
    expect(accepted).toBeGreaterThan(50);
    expect(accepted).toBeLessThan(500);
  });
});

function moneyOf(request: TransferRequest) {
  const { srcToken, dstToken, dstReceiver, amount } = honestFields(request);
  return { srcToken, dstToken, dstReceiver, amount };
}
