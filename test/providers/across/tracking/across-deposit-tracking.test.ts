import { type Address, concatHex, type Hex, pad, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  type AcrossDeposit,
  findAcrossDeposit,
  relayHash,
} from "../../../../src/providers/across/tracking/across-deposit-tracking.ts";
import type { TransferTerms } from "../../../../src/providers/provider.ts";
import { routerBridgeOutput } from "../../../../src/router/router-codec.ts";
import { deposited, fundsDeposited, receiptOf } from "../../../support/across/logs.ts";
import {
  deployments,
  HANDLER,
  USDC_1,
  USDC_42161,
  USER,
  WETH_1,
  WETH_42161,
} from "../../../support/across/stage.ts";
import { REF } from "../../../support/deposits/fixtures.ts";
import { executedLog, transferLog } from "../../../support/deposits/logs.ts";

const origin = deployments.get(1);
const destination = deployments.get(42161);
if (origin === undefined || destination === undefined) throw new Error("no deployment");

describe("findAcrossDeposit()", () => {
  const find = (
    events: Parameters<typeof receiptOf>[0],
    toChainId = 42161,
    sender?: { account: string; amount: bigint },
  ) => findAcrossDeposit(receiptOf(events), { origin, toChainId, sender });

  test("returns the deposit", () => {
    expect(find([fundsDeposited()])).toEqual(deposited);
  });

  test("returns the deposit to the requested chain, and null when several match", () => {
    const events = [fundsDeposited({ destinationChainId: 10, depositId: 1n }), fundsDeposited()];
    expect(find(events)?.depositId).toBe(77n);
    expect(find(events, 8453)).toBeNull();
    expect(find([fundsDeposited({ depositId: 5n }), fundsDeposited()])).toBeNull();
  });

  test("returns the sender's deposit of several in one transaction", () => {
    const sender = { account: USER, amount: deposited.inputAmount };
    const stranger = fundsDeposited({ depositId: 5n, depositor: pad("0x05") });
    // Anyone may name the user as depositor; the amount tells such a deposit from the user's.
    const dust = fundsDeposited({ depositId: 6n, depositor: pad(USER), inputAmount: 1n });
    const own = fundsDeposited({ depositor: pad(USER) });
    for (const events of [
      [stranger, own],
      [own, stranger],
      [stranger, own, dust],
    ])
      expect(find(events, undefined, sender)?.depositId).toBe(77n);
    expect(find([own, dust], undefined, { ...sender, amount: 2n })).toBeNull();
    expect(find([own, own], undefined, sender)).toBeNull();
    expect(find([stranger, stranger], undefined, sender)).toBeNull();
  });

  /** A withdrawal's Router order of 100 USDC, of which the vault paid 1 % more, and a delivery of 99.9 to the user. */
  describe("of a transfer that was built", () => {
    const terms: TransferTerms = {
      ...{ ref: REF, fromToken: USDC_1, swaps: false, toToken: USDC_42161, call: false },
      least: deposited.outputAmount,
    };
    const word = (address: Address): Hex => pad(address).toLowerCase() as Hex;
    const plain = { depositor: word(USER), recipient: word(USER), message: "0x" } as const;
    const own = fundsDeposited(plain);
    const order = executedLog({ receiver: USER, payer: USER, tokenOut: routerBridgeOutput });
    const findOf = (
      events: Parameters<typeof receiptOf>[0],
      built: Partial<TransferTerms> = {},
      amount: bigint | null = deposited.inputAmount,
    ) =>
      findAcrossDeposit(receiptOf(events), {
        ...{ origin, destination, toChainId: 42161 },
        ...{ sender: { account: USER, amount }, built: { ...terms, ...built } },
      })?.depositId ?? null;
    const STRANGER = pad("0x05");

    test.each<[string, Partial<AcrossDeposit>]>([
      ["is delivered to another account", { recipient: STRANGER }],
      ["takes a worthless token", { inputToken: STRANGER }],
      ["delivers a worthless token", { outputToken: STRANGER }],
      ["delivers less than was built", { outputAmount: deposited.outputAmount - 1n }],
      [
        "is delivered to the handler with a message of its own",
        { recipient: word(HANDLER), message: "0x12" },
      ],
    ])("ignores a deposit in the user's name that %s", (_what, change) => {
      const forged = fundsDeposited({ ...plain, depositId: 5n, ...change });
      for (const events of [
        [forged, own],
        [own, forged],
      ])
        expect(findOf(events)).toBe(77n);
      expect(findOf([forged])).toBeNull();
    });

    test("takes the last one in the Router's order, whatever else names the user", () => {
      const other = fundsDeposited({ ...plain, depositId: 5n });
      const dust = fundsDeposited({ ...plain, depositId: 6n, inputAmount: 1n });
      // The vault's payment is not what the bridge takes: a margin of it is left out.
      for (const events of [
        [dust, other, own, order, other],
        [own, order, other, dust],
      ])
        expect(findOf(events, {}, null)).toBe(77n);
      expect(findOf([other, own], {}, null)).toBeNull();
      const another = executedLog({ ref: pad("0x07"), payer: USER, tokenOut: routerBridgeOutput });
      expect(findOf([other, own, another], {}, null)).toBeNull();
      expect(findOf([other, own, order, order], {}, null)).toBeNull();
    });

    test("takes one that its handler passes on to the user, as for a wrapped native token", () => {
      const { message } = deposited;
      const passedOn = fundsDeposited({ ...plain, recipient: word(HANDLER), message });
      expect(findOf([passedOn])).toBe(77n);
      expect(findOf([fundsDeposited({ ...plain, recipient: STRANGER, message })])).toBeNull();
    });

    test("takes one with a destination call if it carries the reference and the user", () => {
      const called = (message: Hex) => fundsDeposited({ ...plain, recipient: STRANGER, message });
      expect(findOf([called(concatHex([pad(USER), REF]))], { call: true })).toBe(77n);
      expect(findOf([called(concatHex([pad(USER), pad("0x07")]))], { call: true })).toBeNull();
      expect(findOf([called(concatHex([pad("0x07"), REF]))], { call: true })).toBeNull();
      expect(findOf([own], { call: true })).toBeNull();
    });

    test("knows the wrapped token of a native payment, and asks for nothing that is unknown", () => {
      const wrapped = { ...plain, inputToken: word(WETH_1), outputToken: word(WETH_42161) };
      expect(findOf([fundsDeposited(wrapped)], { fromToken: zeroAddress, toToken: zeroAddress })).toBe(77n);
      expect(findOf([own], { fromToken: zeroAddress })).toBeNull();
      expect(findOf([own], { toToken: zeroAddress })).toBeNull();
      // A move pays with shares.
      expect(findOf([own], { fromToken: USER, toToken: null, least: null })).toBe(77n);
    });
  });

  /** Plain transfers by LI.FI, which may take a fee of the payment, of one user in one transaction. */
  describe("of several transfers that LI.FI built", () => {
    const word = (address: Address): Hex => pad(address).toLowerCase() as Hex;
    const sent = (depositId: bigint, inputAmount: bigint) =>
      fundsDeposited({
        ...{ depositor: word(USER), recipient: word(USER), message: "0x", depositId },
        ...{ inputAmount, outputAmount: inputAmount - 100_000n },
      });
    const paid = (value: bigint, change: { token?: Address; from?: Address } = {}) =>
      transferLog({ token: USDC_1, from: USER, to: HANDLER, value, ...change });
    const findOf = (
      events: Parameters<typeof receiptOf>[0],
      of: { amount: bigint | null; least: bigint | null } & Partial<TransferTerms>,
    ) => {
      const { amount, ...change } = of;
      const terms = { ref: REF, fromToken: USDC_1, swaps: true, toToken: USDC_42161, call: false };
      return (
        findAcrossDeposit(receiptOf(events), {
          ...{ origin, destination, toChainId: 42161 },
          ...{ sender: { account: USER, amount }, built: { ...terms, ...change } },
        })?.depositId ?? null
      );
    };
    const large = { amount: 100_000_000n, least: 99_600_000n };
    const small = { amount: 40_000_000n, least: 39_700_000n };
    const near = { amount: 99_900_000n, least: 99_500_000n };

    test("knows the smaller one: it takes no more than was paid for it", () => {
      const [first, second] = [sent(1n, 99_750_000n), sent(2n, 39_900_000n)];
      for (const events of [
        [first, second],
        [second, first],
      ]) {
        expect(findOf(events, large)).toBe(1n);
        expect(findOf(events, small)).toBe(2n);
        expect(findOf(events, { ...small, fromToken: zeroAddress })).toBeNull();
      }
      expect(findOf([first], small)).toBeNull();
    });

    test("knows each by its payment if both were paid with about the same amount", () => {
      const [first, second] = [sent(1n, 99_750_000n), sent(2n, 99_650_000n)];
      const [before, between] = [paid(large.amount), paid(near.amount)];
      expect(findOf([before, first, between, second], near)).toBe(2n);
      expect(findOf([before, first, between, second], large)).toBe(1n);
      expect(findOf([between, second, before, first], near)).toBe(2n);
      // The user paid for something else between.
      expect(findOf([before, first, paid(1_000_000n), between, second], near)).toBe(2n);
    });

    test("identifies none that its payment does not tell from another", () => {
      const [first, second] = [sent(1n, 99_750_000n), sent(2n, 99_650_000n)];
      // The one takes what was paid for the other, because a fee was taken first.
      const exact = { ...near, amount: 99_750_000n };
      expect(findOf([first, second], exact)).toBeNull();
      const before = paid(large.amount);
      const own = paid(exact.amount);
      expect(findOf([before, first, own, second], exact)).toBe(2n);
      for (const not of [
        paid(exact.amount, { token: USDC_42161 }),
        paid(exact.amount, { from: HANDLER }),
        paid(exact.amount - 1n),
      ])
        expect(findOf([before, first, not, second], exact)).toBeNull();
      expect(findOf([own, first, own, second], exact)).toBeNull();
      expect(findOf([before, own, first, second], exact)).toBeNull();
      expect(findOf([first, second, own], exact)).toBeNull();
      // A deposit to another chain takes its own payment.
      const elsewhere = fundsDeposited({ destinationChainId: 10, depositId: 3n });
      expect(findOf([own, elsewhere, before, first, own, second], exact)).toBe(2n);
    });

    test("asks for no amount if the payment is unknown", () => {
      const events = [sent(1n, 99_750_000n), sent(2n, 39_900_000n)];
      for (const amount of [null, 0n]) {
        expect(findOf(events, { ...large, amount })).toBe(1n);
        expect(findOf(events, { ...small, amount })).toBeNull();
      }
    });
  });

  test("ignores events of other contracts", () => {
    expect(find([fundsDeposited({}, USER)])).toBeNull();
    expect(find([])).toBeNull();
  });
});

test("relayHash() equals SpokePool.getV3RelayHash", () => {
  // Computed by the published SpokePool 5.0.26, for this transfer on a chain with id 42161.
  expect(relayHash({ ...deposited, message: "0x1234" })).toMatchInlineSnapshot(
    `"0xf1732af9f2c0cddf03f368f5ad633edc563979e508cdd5c97084da0c5ed17ec7"`,
  );
});
