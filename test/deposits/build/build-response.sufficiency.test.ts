import { describe, expect, test } from "vitest";
import { toWireBuilt } from "../../../src/deposits/build/build-response.ts";
import type { DepositIntent, DepositOrder } from "../../../src/deposits/build/deposit-order.ts";
import { prepareDirect } from "../../../src/deposits/build/direct-deposit.ts";
import { testContext } from "../../support/context.ts";
import { intentOf, NOW, native, TRACKING_ID, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { balanceKey, sharesFor, simulatedChain } from "../../support/deposits/simulated-chain.ts";

const ALL = intentOf().amount;

/** What building answers of a direct deposit whose user was read to have this. */
async function sufficiency(
  has: { balance: bigint | null; allowance: bigint | null },
  paid: Partial<DepositIntent> = {},
) {
  const rises = { [balanceKey(VAULT, USER)]: sharesFor(ALL) };
  const { client } = simulatedChain({ effects: () => ({ rises }) });
  const whole: DepositIntent = intentOf({ client });
  const direct = await prepareDirect(testContext({ clients: [client] }), whole);
  const { chainId } = whole.vault;
  const order = { ...whole, from: { chainId }, trackingId: TRACKING_ID } as unknown as DepositOrder;
  const prepared = { ...direct, intent: { ...whole, ...paid }, checked: { ...direct.checked, ...has } };
  const { simulation } = toWireBuilt({ kind: "direct", order, direct: prepared }, new Date(NOW));
  return [simulation.balance_sufficient, simulation.allowance_sufficient];
}

describe("toWireBuilt() sufficiency", () => {
  test("reports balance and allowance as sufficient from exactly the amount", async () => {
    expect(await sufficiency({ balance: ALL, allowance: ALL })).toEqual([true, true]);
    expect(await sufficiency({ balance: ALL - 1n, allowance: ALL - 1n })).toEqual([false, false]);
    expect(await sufficiency({ balance: ALL, allowance: 1n })).toEqual([true, false]);
    expect(await sufficiency({ balance: 0n, allowance: ALL })).toEqual([false, true]);
  });

  test("reports an unread balance or allowance as insufficient; native money needs no allowance", async () => {
    expect(await sufficiency({ balance: null, allowance: null })).toEqual([false, false]);
    expect(await sufficiency({ balance: ALL, allowance: null }, { token: native })).toEqual([true, true]);
  });
});
