import { pad } from "viem";
import { describe, expect, test } from "vitest";
import {
  findAcrossDeposit,
  relayHash,
} from "../../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { deposited, fundsDeposited, receiptOf } from "../../../support/across/logs.ts";
import { deployments, USER } from "../../../support/across/stage.ts";

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
