import { type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { type AugustusSwap, decodeAugustusSwap } from "../../../src/providers/velora/velora-calldata.ts";
import { VeloraSwap } from "../../../src/providers/velora/velora-schemas.ts";
import { verifyVeloraSwap } from "../../../src/providers/velora/verify-velora-swap.ts";
import { rejectedField } from "../../support/across/stage.ts";
import {
  AMOUNT,
  AMOUNT_OUT,
  ATTACKER,
  CAP_SURPLUS,
  deployment,
  fieldsData,
  honestFields,
  swapBody,
  swapRequest,
  USDC_100,
  WETH_100,
} from "../../support/velora/stage.ts";

/** The least that a user who allows 3 % must receive. */
const FLOOR = (AMOUNT_OUT * 97n) / 100n;
const paidNative = swapRequest({ fromToken: zeroAddress });

type Changes = Parameters<typeof swapBody>[1];

/** Verifies an answer for a request. */
const verify = (request: TransferRequest, changes: Changes = {}) =>
  verifyVeloraSwap({ request, deployment, answer: VeloraSwap.parse(swapBody(request, changes)) });

/** Verifies the answer with the honest calldata but for some fields. */
const verifyFields = (fields: Partial<AugustusSwap>, request = swapRequest()) =>
  verify(request, { change: { data: fieldsData(request, fields) } });

describe("verifyVeloraSwap() accepts an honest swap", () => {
  test("paid with a token: no value, the router as target, the decoded minimum less one unit", () => {
    const { transaction, toAmount, toAmountMin } = verify(swapRequest());
    expect(transaction).toEqual({ to: deployment.router, value: 0n, data: fieldsData(swapRequest()) });
    expect([toAmount, toAmountMin]).toEqual([AMOUNT_OUT, (AMOUNT_OUT * 9_701n) / 10_000n - 1n]);
  });

  test("paid in the native currency: the amount as value", () => {
    expect(verify(paidNative).transaction.value).toBe(AMOUNT);
  });

  test("delivering the native currency", () => {
    expect(rejectedField(() => verify(swapRequest({ toToken: zeroAddress })))).toBeNull();
  });

  test.each<[string, Partial<AugustusSwap>]>([
    ["by another executor", { executor: ATTACKER, executorData: "0x01" }],
    ["with the least minimum", { toAmount: FLOOR + 1n }],
    ["with a higher minimum", { toAmount: AMOUNT_OUT }],
    [
      "with a higher quoted amount, which leaves less surplus to the router",
      { quotedAmount: AMOUNT_OUT * 2n },
    ],
    ["without a cap of the surplus", { feeData: 0n }],
    ["with other metadata", { metadata: `0x${"ff".repeat(32)}` }],
  ])("%s", (_name, fields) => {
    expect(rejectedField(() => verifyFields(fields))).toBeNull();
  });

  test("and gives the place of the beneficiary, for a step of the Router", () => {
    const { transaction, asStep } = verify(swapRequest());
    const at = 2 + 2 * (asStep.receiverOffset ?? 0);
    const moved = `${transaction.data.slice(0, at)}${ATTACKER.slice(2).padStart(64, "0")}${transaction.data.slice(at + 64)}`;
    expect(moved).toBe(fieldsData(swapRequest(), { beneficiary: ATTACKER }));
  });
});

describe("verifyVeloraSwap() refuses", () => {
  test.each<[string, Partial<AugustusSwap>]>([
    ["beneficiary", { beneficiary: ATTACKER }],
    ["beneficiary", { beneficiary: zeroAddress }],
    ["srcToken", { srcToken: WETH_100 }],
    ["destToken", { destToken: USDC_100 }],
    ["fromAmount", { fromAmount: AMOUNT + 1n }],
    ["fromAmount", { fromAmount: AMOUNT - 1n }],
    ["toAmount", { toAmount: FLOOR }],
    ["toAmount", { toAmount: 1n }],
    ["toAmount", { toAmount: 0n }],
    ["toAmount", { toAmount: AMOUNT_OUT + 1n }],
    ["quotedAmount", { quotedAmount: AMOUNT_OUT - 1n }],
    ["quotedAmount", { quotedAmount: 0n }],
    ["permit", { permit: `0x${"11".repeat(224)}` }],
    ["permit", { permit: "0x00" }],
    ["executorData", { executorData: "0x" }],
    ["partner", { partner: ATTACKER }],
    ["partner", { partner: ATTACKER, feeData: 200n }],
    ["partner", { partner: ATTACKER, feeData: 1n << 95n }],
    ["partner", { partner: "0x0000000000000000000000000000000000000001" }],
    ["fee", { feeData: 200n }],
    ["fee", { feeData: CAP_SURPLUS | 1n }],
  ])("calldata with another %s: %o", (field, fields) => {
    expect(rejectedField(() => verifyFields(fields))).toBe(`velora: ${field}`);
  });

  test.each<[string, Changes]>([
    ["to", { change: { to: ATTACKER } }],
    ["value", { change: { value: "1" } }],
    ["chainId", { change: { chainId: 1 } }],
    ["priceRoute", { route: { network: 1 } }],
    ["priceRoute", { route: { srcAmount: "99999999" } }],
    ["priceRoute", { route: { destAmount: "0" } }],
    ["priceRoute", { route: { srcToken: WETH_100 } }],
    ["priceRoute", { route: { destToken: USDC_100 } }],
    ["priceRoute", { route: { contractAddress: ATTACKER } }],
    ["priceRoute", { route: { contractMethod: "swapExactAmountInOnUniswapV3" } }],
    ["quotedAmount", { route: { destAmount: (AMOUNT_OUT * 2n).toString() } }],
    ["toAmount", { route: { destAmount: (AMOUNT_OUT / 2n).toString() } }],
  ])("an answer with another %s: %o", (field, changes) => {
    expect(rejectedField(() => verify(swapRequest(), changes))).toBe(`velora: ${field}`);
  });

  test("native money that is not the amount", () => {
    expect(rejectedField(() => verify(paidNative, { change: { value: "0" } }))).toBe("velora: value");
  });

  test.each<[string, Hex]>([
    ["a swap of an exact output", "0x7f457675"],
    ["a swap on one pool", "0x876a02f6"],
    ["an approval", "0x095ea7b3"],
    ["a transfer", "0xa9059cbb"],
  ])("the selector of %s", (_name, selector) => {
    const data = `${selector}${fieldsData(swapRequest()).slice(10)}`;
    expect(rejectedField(() => verify(swapRequest(), { change: { data } }))).toBe("velora: data");
  });

  test.each([2, 10, 400])("calldata that ends after %i digits", (digits) => {
    const data = fieldsData(swapRequest()).slice(0, digits);
    expect(rejectedField(() => verify(swapRequest(), { change: { data } }))).toBe("velora: data");
  });

  test("the swap of another chain's deployment", () => {
    const answer = VeloraSwap.parse(swapBody(swapRequest()));
    const elsewhere = { ...deployment, router: ATTACKER } as const;
    const run = () => verifyVeloraSwap({ request: swapRequest(), deployment: elsewhere, answer });
    expect(rejectedField(run)).toBe("velora: priceRoute");
  });
});

describe("verifyVeloraSwap() encodes again what it decoded", () => {
  test("so that bytes after the calldata are lost", () => {
    const honest = fieldsData(swapRequest());
    const { transaction } = verify(swapRequest(), { change: { data: `${honest}deadbeef` } });
    expect(transaction.data).toBe(honest);
  });

  test("for every single changed byte: refused, or the same money to the same receiver", () => {
    const honest = fieldsData(swapRequest());
    const { srcToken, destToken, beneficiary, fromAmount } = honestFields(swapRequest());
    const money = { srcToken, destToken, beneficiary, fromAmount, partner: zeroAddress, permit: "0x" };
    let accepted = 0;
    for (let at = 2; at < honest.length; at += 2) {
      const byte = Number.parseInt(honest.slice(at, at + 2), 16) ^ 0x41;
      const data = `${honest.slice(0, at)}${byte.toString(16).padStart(2, "0")}${honest.slice(at + 2)}`;
      const run = () => verify(swapRequest(), { change: { data } });
      if (rejectedField(run) !== null) continue;
      accepted += 1;
      const swap = decodeAugustusSwap(run().transaction.data);
      expect(swap).toMatchObject(money);
      expect(swap?.toAmount).toBeGreaterThan(FLOOR);
      expect(swap?.quotedAmount).toBeGreaterThanOrEqual(AMOUNT_OUT);
      expect((swap?.feeData ?? 1n) & 0x3fffn).toBe(0n);
    }
    // The executor, its data, the metadata, flags without a partner and a higher quoted amount are free.
    expect(accepted).toBeGreaterThan(50);
    expect(accepted).toBeLessThan(300);
  });
});
