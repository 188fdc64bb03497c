import { expect, test } from "vitest";
import type { SimulationSetting } from "../../../src/chains/simulator/simulation-setting.ts";
import { gasLimit } from "../../../src/orders/order-wallet-calls.ts";
import { simulateInLimits } from "../../../src/withdrawals/requests/simulate-in-limits.ts";

const setting: SimulationSetting = {
  ...{ gasPrice: 1n, baseFee: null, prevRandao: null, gas: 12_000_000n, funds: 10n ** 18n, surplus: 0n },
  reader: "0x0000000000000000000000000000000000000001",
};
/** What a call does with a gas limit: it pays this much, or reverts for null. */
type Vault = (gas: bigint) => bigint | null;

/** Simulates a call that uses `used` gas; gives what it paid in the result, and the limits of all simulations. */
async function simulated(vault: Vault, of: { used?: bigint; logs?: readonly unknown[] | null } = {}) {
  const { used = 200_000n, logs = [] } = of;
  const limits: bigint[] = [];
  const result = await simulateInLimits(setting, async (asked) => {
    const gas = asked.own.gas ?? asked.setting?.gas ?? 0n;
    limits.push(gas);
    const paid = vault(gas);
    const call = { ok: paid !== null, gasUsed: used, returnData: "0x", logs } as const;
    return {
      ...{
        calls: [call],
        failedAt: paid === null ? 0 : null,
        before: [],
        after: [],
        chainId: 1,
        blockNumber: null,
      },
      ...{ blockTimestamp: paid ?? 0n },
    };
  });
  return {
    ok: result.made?.ok,
    paid: Number(result.simulation.blockTimestamp),
    gasUsed: result.gasUsed,
    limits,
  };
}

const own = gasLimit(200_000n);
const double = gasLimit(400_000n);

test("simulateInLimits() gives what a call does with its transaction's own gas", async () => {
  expect(await simulated(() => 100n)).toEqual({
    ...{ ok: true, paid: 100, gasUsed: 200_000n, limits: [setting.gas, own] },
  });
  const poser: Vault = (gas) => (gas > 2_000_000n ? 100n : 50n);
  expect(await simulated(poser)).toMatchObject({ ok: true, paid: 50 });
});

test("simulateInLimits() gives a call that fails with its own gas twice as much, and the transaction too", async () => {
  const hungry: Vault = (gas) => (gas >= double ? 100n : null);
  expect(await simulated(hungry)).toMatchObject({
    ok: true,
    gasUsed: 400_000n,
    limits: [setting.gas, own, double],
  });
  // What its own transaction never does is no result.
  expect(await simulated((gas) => (gas > 2_000_000n ? 100n : null))).toMatchObject({ ok: false });
});

test("simulateInLimits() gives three times the gas to a call that used most of it and failed", async () => {
  const long: Vault = (gas) => (gas > 15_000_000n ? 100n : null);
  const { ok, limits } = await simulated(long, { used: 11_900_000n });
  expect([ok, limits]).toEqual([true, [setting.gas, setting.gas * 3n, gasLimit(11_900_000n)]]);
});

test("simulateInLimits() simulates once where no limit applies, or the call fails for another reason", async () => {
  expect((await simulated(() => 100n, { logs: null })).limits).toEqual([setting.gas]);
  expect(await simulated(() => null)).toMatchObject({ ok: false, limits: [setting.gas] });
});
