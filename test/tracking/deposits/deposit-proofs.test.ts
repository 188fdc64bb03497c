import fc from "fast-check";
import { type Hex, numberToHex, toHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import {
  findDeliveredAmount,
  findRefund,
  findShareProof,
  findSwapOutput,
  netTransfers,
  routerRefs,
} from "../../../src/tracking/deposits/deposit-proofs.ts";
import { OTHER, REF, row, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { executedLog, log, receiptOf, transferLog } from "../../support/deposits/logs.ts";

const MINIMUM = BigInt(row.minShares ?? "0");
const OTHER_REF: Hex = `0x${"cd".repeat(32)}`;
const router = { row, via: "router" } as const;
const direct = { row: { ...row, minShares: null }, via: "user" } as const;

describe("findShareProof() through the Router", () => {
  test("accepts the Router's event of the deposit", () => {
    expect(findShareProof(receiptOf(executedLog()), router)).toEqual({
      shares: 99_900_000_000_000_000_000n,
      amountIn: 100_000_000n,
      byUser: true,
    });
  });

  test("requires the minimum shares exactly", () => {
    expect(findShareProof(receiptOf(executedLog({ amountOut: MINIMUM })), router)?.shares).toBe(MINIMUM);
    expect(findShareProof(receiptOf(executedLog({ amountOut: MINIMUM - 1n })), router)).toBe(null);
  });

  test("requires at least one share without a minimum", () => {
    const unpromised = { row: { ...row, minShares: null }, via: "router" } as const;
    expect(findShareProof(receiptOf(executedLog({ amountOut: 1n })), unpromised)?.shares).toBe(1n);
    expect(findShareProof(receiptOf(executedLog({ amountOut: 0n })), unpromised)).toBe(null);
  });

  test.each<[string, Parameters<typeof executedLog>[0]]>([
    ["emitted by another contract", { emitter: OTHER }],
    ["emitted by the vault itself", { emitter: VAULT }],
    ["for another receiver", { receiver: OTHER }],
    ["of another share token", { tokenOut: OTHER }],
    ["of the asset instead of shares", { tokenOut: USDC }],
    ["paid in another token", { tokenIn: OTHER }],
    ["paid in native money", { tokenIn: zeroAddress }],
    ["with too few shares", { amountOut: 1n }],
    ["with no shares", { amountOut: 0n }],
    ["for another reference", { ref: OTHER_REF }],
  ])("rejects an event %s", (_what, forged) => {
    expect(findShareProof(receiptOf(executedLog(forged)), router)).toBe(null);
  });

  test("accepts any payer", () => {
    const change = { payer: OTHER, partnerType: 2, amountIn: 5n } as const;
    expect(findShareProof(receiptOf(executedLog(change)), router)?.amountIn).toBe(5n);
  });

  test("requires the token that the route delivers", () => {
    const routed = { row: { ...row, moveToken: OTHER }, via: "router" } as const;
    expect(findShareProof(receiptOf(executedLog()), routed)).toBe(null);
    expect(findShareProof(receiptOf(executedLog({ tokenIn: OTHER })), routed)?.byUser).toBe(true);
  });

  test("returns null for a reverted transaction", () => {
    expect(findShareProof({ ...receiptOf(executedLog()), succeeded: false }, router)).toBe(null);
  });

  test("returns null for share transfers alone", () => {
    expect(findShareProof(receiptOf(transferLog()), router)).toBe(null);
  });

  test("finds the deposit's event beside a repeated reference", () => {
    const forged = [
      executedLog({ emitter: OTHER }),
      executedLog({ receiver: OTHER }),
      executedLog({ tokenOut: OTHER }),
      executedLog({ amountOut: 1n }),
    ];
    expect(findShareProof(receiptOf(...forged), router)).toBe(null);
    expect(findShareProof(receiptOf(...forged, executedLog()), router)?.shares).toBe(
      99_900_000_000_000_000_000n,
    );
    expect(findShareProof(receiptOf(executedLog(), ...forged), router)?.shares).toBe(
      99_900_000_000_000_000_000n,
    );
  });

  test("does not add up two events with too few shares", () => {
    const half = executedLog({ amountOut: MINIMUM / 2n + 1n });
    expect(findShareProof(receiptOf(half, half), router)).toBe(null);
  });

  test("accepts only an event that matches in every field", () => {
    const anEvent = fc.record({
      emitter: fc.constantFrom(depositRouterAddress, OTHER, VAULT),
      ref: fc.constantFrom(REF, OTHER_REF),
      receiver: fc.constantFrom(USER, OTHER),
      tokenOut: fc.constantFrom(VAULT, OTHER, USDC),
      amountOut: fc.constantFrom(0n, 1n, MINIMUM - 1n, MINIMUM, MINIMUM + 1n),
    });
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 6 }), (events) => {
        const true_ = events.find(
          ({ emitter, ref, receiver, tokenOut, amountOut }) =>
            emitter === depositRouterAddress &&
            ref === REF &&
            receiver === USER &&
            tokenOut === VAULT &&
            amountOut >= MINIMUM,
        );
        const proof = findShareProof(receiptOf(...events.map(executedLog)), router);
        expect(proof?.shares ?? null).toBe(true_?.amountOut ?? null);
      }),
      { numRuns: 500 },
    );
  });

  test("ignores events that cannot be decoded", () => {
    const { topics, data } = executedLog();
    const broken = [
      log(depositRouterAddress, topics, "0x"),
      log(depositRouterAddress, topics, data.slice(0, -2) as Hex),
      log(depositRouterAddress, topics.slice(0, 2), data),
      log(depositRouterAddress, [], data),
      log(depositRouterAddress, [OTHER_REF], data),
    ];
    expect(findShareProof(receiptOf(...broken), router)).toBe(null);
    expect(findShareProof(receiptOf(...broken, executedLog()), router)).not.toBe(null);
  });
});

describe("findShareProof() by the user", () => {
  test("accepts the user's net share transfers", () => {
    expect(findShareProof(receiptOf(transferLog({ value: 7n })), direct)).toEqual({
      shares: 7n,
      amountIn: 100_000_000n,
      byUser: true,
    });
  });

  test.each<[string, Parameters<typeof transferLog>[0][]]>([
    ["none", []],
    ["of another token", [{ token: OTHER }]],
    ["of the asset", [{ token: USDC }]],
    ["to somebody else", [{ to: OTHER }]],
    ["from the user", [{ from: USER, to: OTHER }]],
    ["from the user to himself", [{ from: USER }]],
    ["of nothing", [{ value: 0n }]],
    ["there and back", [{ value: 7n }, { from: USER, to: OTHER, value: 7n }]],
    ["there, and back with more", [{ value: 7n }, { from: USER, to: zeroAddress, value: 8n }]],
  ])("rejects transfers %s", (_what, transfers) => {
    expect(findShareProof(receiptOf(...transfers.map(transferLog)), direct)).toBe(null);
  });

  test("ignores the Router's event", () => {
    expect(findShareProof(receiptOf(executedLog()), direct)).toBe(null);
  });

  test("returns null for a reverted transaction", () => {
    expect(findShareProof({ ...receiptOf(transferLog()), succeeded: false }, direct)).toBe(null);
  });
});

describe("netTransfers()", () => {
  const own = { token: VAULT.toLowerCase(), account: USER.toLowerCase() };

  test("returns the net transfers of one token and account", () => {
    const transfer = fc.record({
      token: fc.constantFrom(VAULT, OTHER),
      from: fc.constantFrom(USER, OTHER, zeroAddress),
      to: fc.constantFrom(USER, OTHER, zeroAddress),
      value: fc.bigInt(0n, 2n ** 256n - 1n),
    });
    fc.assert(
      fc.property(fc.array(transfer, { maxLength: 8 }), (transfers) => {
        const [ours, theirs] = [transfers.filter(({ token }) => token === VAULT), transfers.map(transferLog)];
        const sum = (side: "from" | "to") =>
          ours.filter((moved) => moved[side] === USER).reduce((total, { value }) => total + value, 0n);
        expect(netTransfers(theirs, own)).toBe(sum("to") - sum("from"));
      }),
    );
  });

  test("ignores Transfer events of other shapes, such as ERC-721", () => {
    const { topics } = transferLog();
    const nft = log(VAULT, [...topics, toHex(5, { size: 32 })], "0x");
    const unindexed = log(VAULT, topics.slice(0, 1), numberToHex(5, { size: 32 }));
    expect(netTransfers([nft, unindexed, transferLog({ value: 3n })], own)).toBe(3n);
  });
});

describe("routerRefs()", () => {
  test("returns only references that the Router emitted", () => {
    const logs = [
      executedLog(),
      executedLog({ ref: OTHER_REF }),
      executedLog({ emitter: OTHER }),
      transferLog(),
    ];
    expect(routerRefs(receiptOf(...logs))).toEqual([REF, OTHER_REF]);
    expect(routerRefs({ ...receiptOf(...logs), succeeded: false })).toEqual([]);
    expect(routerRefs(receiptOf())).toEqual([]);
  });
});

describe("findShareProof() of a second step", () => {
  const steps = [
    ["of a deposit in two transactions", { ...row, twoStep: true }],
    ["of a partial deposit", { ...row, state: "partial" as const }],
  ] as const;

  test.each(steps)("%s requires no minimum shares", (_, subject) => {
    const proof = findShareProof(receiptOf(executedLog({ amountOut: 1n })), { row: subject, via: "router" });
    expect(proof?.shares).toBe(1n);
  });

  test.each(steps)("%s must be sent by the user", (_, subject) => {
    const receipt = receiptOf(executedLog({ payer: OTHER }));
    expect(findShareProof(receipt, { row: subject, via: "router" })).toBe(null);
  });
});

describe("findDeliveredAmount() and findSwapOutput()", () => {
  const moved = {
    ...row,
    moveToken: USDC.toLowerCase(),
    moveMin: "1000",
    slippage: 0.02,
    destinationCall: true,
  };
  const paid = (value: bigint, more = {}) =>
    receiptOf(transferLog({ token: USDC, from: OTHER, value, ...more }));

  const whole = { amount: 7n, logs: { first: 0, last: 99 }, matchedBy: "id" } as const;

  test.each([
    [1_000n, 1_000n],
    [980n, 980n],
    [979n, null],
    [1n, null],
  ])("findSwapOutput() of %i units is %s", (value, amount) => {
    expect(findSwapOutput(paid(value), moved)).toBe(amount);
  });

  test("returns the bridge event's amount without a destination call, also for native money", () => {
    const plain = { ...moved, destinationCall: false };
    expect(findDeliveredAmount(receiptOf(), { row: plain, delivery: whole })).toBe(7n);
    expect(
      findDeliveredAmount(receiptOf(), { row: { ...plain, moveToken: zeroAddress }, delivery: whole }),
    ).toBe(7n);
    expect(findDeliveredAmount(receiptOf(), { row: plain, delivery: { ...whole, amount: 0n } })).toBe(null);
  });

  test("returns only transfers during the destination call", () => {
    const during = { ...transferLog({ token: USDC, from: OTHER, value: 5_000n }), logIndex: 4 };
    const before = { ...transferLog({ token: USDC, from: OTHER, value: 300n }), logIndex: 2 };
    const after = { ...transferLog({ token: USDC, from: OTHER, value: 70n }), logIndex: 6 };
    const delivery = { ...whole, logs: { first: 3, last: 5 } };
    expect(findDeliveredAmount(receiptOf(before, during, after), { row: moved, delivery })).toBe(5_000n);
    expect(findDeliveredAmount(receiptOf(before, after), { row: moved, delivery })).toBe(null);
  });

  test.each<[string, ReturnType<typeof receiptOf>]>([
    ["another token", paid(5_000n, { token: VAULT })],
    ["somebody else's", paid(5_000n, { to: OTHER })],
    ["in a transaction that failed", { ...paid(5_000n), succeeded: false }],
  ])("returns null: %s", (_, receipt) => {
    expect(findDeliveredAmount(receipt, { row: moved, delivery: whole })).toBe(null);
    expect(findSwapOutput(receipt, moved)).toBe(null);
  });

  test("what a batch spends again was delivered by a swap, and not by a bridge with a destination call", () => {
    const spent = (value: bigint) =>
      receiptOf(
        transferLog({ token: USDC, from: OTHER, value: 5_000n }),
        transferLog({ token: USDC, from: USER, to: OTHER, value }),
      );
    expect(findSwapOutput(spent(5_000n), moved)).toBe(5_000n);
    expect(findSwapOutput(spent(4_500n), moved)).toBe(500n);
    expect(findDeliveredAmount(spent(5_000n), { row: moved, delivery: whole })).toBe(null);
  });

  test("findSwapOutput() of native currency is the minimum that the swap enforces", () => {
    const native = { ...moved, moveToken: zeroAddress };
    expect(findSwapOutput(receiptOf(), native)).toBe(1_000n);
    expect(findSwapOutput({ ...receiptOf(), succeeded: false }, native)).toBe(null);
  });

  test("returns null for a deposit without a route", () => {
    expect(findDeliveredAmount(paid(5_000n), { row, delivery: whole })).toBe(null);
    expect(findSwapOutput(paid(5_000n), row)).toBe(null);
  });
});

describe("findRefund()", () => {
  const SPOKE = OTHER;
  const took = { token: USDC, amount: 1_000n, by: SPOKE, refundable: true } as const;
  const paid = (value: bigint, more = {}) =>
    receiptOf(transferLog({ token: USDC, from: SPOKE, value, ...more }));

  test("requires at least the bridged amount, paid once by the bridge", () => {
    expect(findRefund(paid(1_000n), { row, took })).toBe(1_000n);
    expect(findRefund(paid(2_500n), { row, took })).toBe(2_500n);
    expect(findRefund(paid(999n), { row, took })).toBe(null);
    expect(findRefund(paid(1_000n, { from: VAULT }), { row, took })).toBe(null);
    expect(findRefund(paid(1_000n, { to: VAULT }), { row, took })).toBe(null);
    expect(findRefund(paid(1_000n, { token: VAULT }), { row, took })).toBe(null);
    expect(findRefund({ ...paid(1_000n), succeeded: false }, { row, took })).toBe(null);
  });

  test("returns null for several refunds in one receipt", () => {
    const once = transferLog({ token: USDC, from: SPOKE, value: 1_000n });
    expect(findRefund(receiptOf(once, once), { row, took })).toBe(null);
  });

  test("returns null for an amount of zero", () => {
    expect(findRefund(paid(0n), { row, took: { ...took, amount: 0n } })).toBe(null);
  });
});
