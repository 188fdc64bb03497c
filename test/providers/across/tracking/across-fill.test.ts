import fc from "fast-check";
import { type Hex, pad } from "viem";
import { describe, expect, test } from "vitest";
import type { AcrossDeposit } from "../../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { findFill } from "../../../../src/providers/across/tracking/across-fill.ts";
import {
  callsFailed,
  deposited,
  drained,
  type Emitted,
  filledRelay,
  receiptOf,
} from "../../../support/across/logs.ts";
import { deployments, HANDLER, hash, SPOKE_1, USDC_1, USER } from "../../../support/across/stage.ts";

const origin = deployments.get(1);
const destination = deployments.get(42161);
if (origin === undefined || destination === undefined) throw new Error("no deployment");
const fillOf = (events: Parameters<typeof receiptOf>[0], of = deposited) =>
  findFill(receiptOf(events), { deposited: of, destination });

describe("findFill()", () => {
  test("returns the delivered amount", () => {
    expect(fillOf([filledRelay()])).toEqual({
      txHash: hash("f"),
      amount: 99_900_000n,
      callsSucceeded: true,
      logs: { first: 0, last: Number.POSITIVE_INFINITY },
    });
  });

  test("returns the amount that the depositor updated", () => {
    expect(fillOf([filledRelay({ updatedAmount: 99_000_000n })])?.amount).toBe(99_000_000n);
  });

  test("finds the fill of a deposit without message", () => {
    const plain: AcrossDeposit = { ...deposited, message: "0x" };
    expect(fillOf([filledRelay({ message: "0x" })], plain)).not.toBeNull();
    expect(fillOf([filledRelay()], plain)).toBeNull();
  });

  test("reports failed destination calls of this deposit only", () => {
    const other = filledRelay({ depositId: 5n });
    const failure = [callsFailed(), drained()];
    const table: [Parameters<typeof receiptOf>[0], boolean][] = [
      [[filledRelay(), ...failure], false],
      [[filledRelay(), ...failure, other], false],
      [[filledRelay({ updatedAmount: 7n }), callsFailed(), drained({ amount: 7n })], false],
      [[other, ...failure, filledRelay()], true],
      [[filledRelay(), other, ...failure], true],
      [[...failure, filledRelay()], true],
      [[filledRelay(), callsFailed(USER)], true],
      [[filledRelay(), drained()], true],
    ];
    for (const [events, succeeded] of table) expect(fillOf(events)?.callsSucceeded).toBe(succeeded);
  });

  test("ignores a call failure that did not pay the delivered tokens to the user", () => {
    const events = (...payments: Emitted[]) => fillOf([filledRelay(), callsFailed(), ...payments]);
    expect(events()?.callsSucceeded).toBeNull();
    expect(events(drained({ recipient: HANDLER }))?.callsSucceeded).toBeNull();
    expect(events(drained({ token: USDC_1 }))?.callsSucceeded).toBeNull();
    expect(events(drained({ amount: deposited.outputAmount - 1n }))?.callsSucceeded).toBeNull();
    expect(fillOf([filledRelay(), drained(), callsFailed()])?.callsSucceeded).toBeNull();
  });

  test("returns null for the outcome of calls that we did not request", () => {
    const elsewhere = { recipient: pad(USER).toLowerCase() as Hex };
    expect(fillOf([filledRelay(elsewhere)], { ...deposited, ...elsewhere })?.callsSucceeded).toBeNull();
    expect(fillOf([filledRelay({ updatedRecipient: pad(USER) })])?.callsSucceeded).toBeNull();
    expect(fillOf([filledRelay({ updatedMessage: "0x1234" })])?.callsSucceeded).toBeNull();
    expect(fillOf([filledRelay({ updatedMessage: "0x" })])?.callsSucceeded).toBeNull();
  });

  test("ignores other contracts and reverted transactions", () => {
    expect(fillOf([filledRelay({}, SPOKE_1)])).toBeNull();
    const failed = { ...receiptOf([filledRelay()]), succeeded: false };
    expect(findFill(failed, { deposited, destination })).toBeNull();
  });

  const someWord = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);
  const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
  const chains = fc.integer({ min: 1, max: 2 ** 31 });
  const seconds = fc.nat(2 ** 32 - 1);
  const others: Record<string, fc.Arbitrary<unknown>> = {
    originChainId: chains,
    depositId: amounts,
    depositor: someWord,
    recipient: fc.constant(pad(HANDLER.replace("0x0", "0x1") as Hex)),
    inputToken: fc.constant(pad(USER)),
    outputToken: fc.constant(pad(USDC_1)),
    inputAmount: amounts,
    outputAmount: amounts,
    exclusiveRelayer: someWord,
    fillDeadline: seconds,
    exclusivityDeadline: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    message: fc.uint8Array({ maxLength: 99 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`),
  };
  test.each(Object.entries(others))("ignores a fill with another %s", (field, value) => {
    fc.assert(
      fc.property(value, (changed) => {
        fc.pre(changed !== deposited[field as keyof AcrossDeposit]);
        expect(fillOf([filledRelay({ [field]: changed })])).toBeNull();
        expect(fillOf([filledRelay({ [field]: changed }), filledRelay()])).not.toBeNull();
      }),
    );
  });
});
