import { describe, expect, test } from "vitest";
import type { DepositIntent, DepositOrder } from "../../src/deposits/deposit-intent.ts";
import { planDepositSteps } from "../../src/deposits/deposit-step-plan.ts";
import { toWireBuilt } from "../../src/deposits/describe-built-deposit.ts";
import { prepareDirect } from "../../src/deposits/direct-deposit.ts";
import type { PreparedDeposit } from "../../src/deposits/prepared-deposit.ts";
import type { GasFunds } from "../../src/orders/order-gas-funds.ts";
import { testContext } from "../support/context.ts";
import { intentOf, NOW, native, TRACKING_ID, USER, VAULT } from "../support/deposits/fixtures.ts";
import { balanceKey, sharesFor, simulatedChain } from "../support/deposits/simulated-chain.ts";

const ALL = intentOf().amount;

/** What building answers of a direct deposit whose user was read to have this. */
async function sufficiency(
  has: { balance: bigint | null; allowance: bigint | null },
  paid: Partial<DepositIntent> = {},
  gas: GasFunds | null = null,
) {
  const rises = { [balanceKey(VAULT, USER)]: sharesFor(ALL) };
  const { client } = simulatedChain({ effects: () => ({ rises }) });
  const whole: DepositIntent = intentOf({ client });
  const direct = await prepareDirect(testContext({ clients: [client] }), whole);
  const { chainId } = whole.vault;
  const order = { ...whole, from: { chainId }, trackingId: TRACKING_ID } as unknown as DepositOrder;
  const prepared = { ...direct, intent: { ...whole, ...paid }, checked: { ...direct.checked, ...has } };
  const made: PreparedDeposit = { kind: "direct", order, direct: prepared, authorization: null };
  const plan = planDepositSteps(made, { address: whole.token.address, symbol: "", decimals: null });
  const { simulation } = toWireBuilt(made, { expiresAt: new Date(NOW), plan, gas, paid: null });
  return [simulation.balance_sufficient, simulation.allowance_sufficient, simulation.gas_sufficient];
}

describe("toWireBuilt() sufficiency", () => {
  test("reports balance and allowance as sufficient from exactly the amount", async () => {
    expect(await sufficiency({ balance: ALL, allowance: ALL })).toEqual([true, true, null]);
    expect(await sufficiency({ balance: ALL - 1n, allowance: ALL - 1n })).toEqual([false, false, null]);
    expect(await sufficiency({ balance: ALL, allowance: 1n })).toEqual([true, false, null]);
    expect(await sufficiency({ balance: 0n, allowance: ALL })).toEqual([false, true, null]);
  });

  test("does not answer without the balance", async () => {
    const unread = sufficiency({ balance: null, allowance: ALL });
    await expect(unread).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("reports an unread allowance as insufficient; native money needs no allowance", async () => {
    expect(await sufficiency({ balance: ALL, allowance: null })).toEqual([true, false, null]);
    expect(await sufficiency({ balance: ALL, allowance: null }, { token: native })).toEqual([
      true,
      true,
      null,
    ]);
  });

  test("says whether anything is left for gas", async () => {
    const funds = { balance: ALL, allowance: ALL };
    const gas = async (balance: bigint) => (await sufficiency(funds, {}, { balance, gasPrice: 1n }))[2];
    expect(await gas(0n)).toBe(false);
    expect(await gas(10n ** 9n)).toBe(true);
  });
});
