import { decodeFunctionData, erc20Abi, type Hex, type Log } from "viem";
import { describe, expect, test } from "vitest";
import type { SimulationResult } from "../../src/chains/simulator/simulation.ts";
import {
  simulateWithdrawalPayment,
  simulationWarnings,
} from "../../src/withdrawals/simulate-withdrawal-payment.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USER, VAULT } from "../support/deposits/fixtures.ts";
import { type SentCall, type SimulatedEffects, simulatedChain } from "../support/deposits/simulated-chain.ts";
import { HELD, READ_AT } from "../support/withdrawals/fixtures.ts";

const FEE = HELD / 100n;
const APPROVE = "0x095ea7b3";

/** Simulates an exit by the owner's call of a vault; gives the result and what each simulation approved. */
async function simulated(of: {
  effects: (approved: readonly bigint[], call: SentCall) => SimulatedEffects;
  allowance?: bigint;
  enforced?: boolean;
}) {
  let sent: SentCall[][] = [];
  const chain = simulatedChain({ effects: (call) => of.effects(approvalsIn(sent.at(-1) ?? []), call) });
  sent = chain.sent;
  const ctx = testContext({ clients: [chain.client] });
  const payment = {
    ...{ client: chain.client, payer: USER, token: VAULT, amount: HELD, spender: OTHER },
    ...{ balance: HELD, allowance: of.allowance ?? 0n, block: { number: 1, timestamp: READ_AT } },
  };
  const call = { target: OTHER, value: 0n, data: "0x12345678" } as const;
  const made = await simulateWithdrawalPayment(ctx, {
    payment,
    call,
    reads: [],
    enforced: of.enforced ?? true,
  });
  return { made, approvals: sent.map(approvalsIn) };
}

const approvalsIn = (calls: readonly { data: Hex }[]): bigint[] =>
  calls
    .filter(({ data }) => data.startsWith(APPROVE))
    .map(({ data }) => BigInt(decodeFunctionData({ abi: erc20Abi, data }).args?.[1] ?? 0));

describe("simulateWithdrawalPayment()", () => {
  test("approves all shares of a vault that takes all by allowance, in one simulation", async () => {
    const { made, approvals } = await simulated({ effects: () => ({}) });
    expect(made).toMatchObject({ ok: true, approved: HELD });
    expect(approvals).toEqual([[HELD]]);
  });

  test("returns the results of the requested reads only", async () => {
    for (const effects of [{}, { spends: FEE }]) {
      const { made } = await simulated({ effects: () => effects });
      expect(made).toMatchObject({ ok: true, simulation: { before: [], after: [] } });
    }
  });

  test("approves only the part that the vault takes by allowance, so that none stays behind", async () => {
    const { made, approvals } = await simulated({ effects: () => ({ spends: FEE }) });
    expect(made).toMatchObject({ ok: true, approved: FEE, unused: 0n });
    expect(approvals).toEqual([[HELD], [FEE]]);
  });

  test("approves nothing for a vault that burns all by its role", async () => {
    const { made, approvals } = await simulated({ effects: () => ({ spends: 0n }) });
    expect(made).toMatchObject({ ok: true, approved: 0n, calls: [{ target: OTHER }] });
    expect(approvals).toEqual([[HELD], []]);
  });

  test("uses an earlier allowance that suffices for the part", async () => {
    const { made } = await simulated({ effects: () => ({ spends: FEE }), allowance: FEE });
    expect(made).toMatchObject({ ok: true, approved: FEE, calls: [{ target: OTHER }] });
  });

  test("approves all shares of a vault that demands the whole allowance without spending it", async () => {
    const { made } = await simulated({
      effects: (approved) => (approved[0] === HELD ? { spends: FEE } : { revert: "0x" }),
    });
    expect(made).toMatchObject({ ok: true, approved: HELD, unused: HELD - FEE });
  });

  test("approves all shares where the allowance cannot be read", async () => {
    const { made } = await simulated({ effects: () => ({ spends: FEE, unread: true }) });
    expect(made).toMatchObject({ ok: true, approved: HELD, unused: null });
  });

  test("counts what a call without a minimum does with its own gas, also where the chain's fees are unknown", async () => {
    const posing = (_: readonly bigint[], { gas }: SentCall): SimulatedEffects =>
      gas === undefined ? { logs: [] } : { logs: [], revert: "0x" };
    const own = { allowance: HELD, effects: posing } as const;
    expect((await simulated({ ...own, enforced: false })).made.ok).toBe(false);
    // The contract that enforces the minimum needs no such proof.
    expect((await simulated({ ...own, enforced: true })).made.ok).toBe(true);
  });

  test("simulates a call without a minimum once where the node applies no gas limits", async () => {
    const { made, approvals } = await simulated({ effects: () => ({}), allowance: HELD, enforced: false });
    expect([made.ok, approvals]).toEqual([true, [[]]]);
  });

  test("leaves alone what the user allowed earlier", async () => {
    const { made, approvals } = await simulated({ effects: () => ({ spends: FEE }), allowance: HELD });
    expect(made).toMatchObject({ ok: true, approved: HELD, unused: 0n });
    expect(approvals).toEqual([[]]);
  });
});

const simulation = (logs: readonly Log[] | null): SimulationResult => ({
  ...{ calls: [{ ok: true, gasUsed: 1n, returnData: "0x", logs }], failedAt: null, before: [], after: [] },
  ...{ chainId: 1, blockNumber: 1n, blockTimestamp: 1n },
});

test("simulationWarnings() warns of what stays approved, or may", () => {
  const warningsOf = (unused: bigint | null, spender: typeof OTHER | null = OTHER) =>
    simulationWarnings(
      { unused, simulation: simulation(null) },
      { mode: "instant", vault: { name: "A vault" }, spender },
    );
  expect([warningsOf(0n), warningsOf(FEE, null)]).toEqual([[], []]);
  for (const [unused, part] of [
    [FEE, `${FEE} smallest units`],
    [null, "a part"],
  ] as const)
    expect(warningsOf(unused)).toEqual([
      {
        code: "approval_unused",
        detail: `${part} of the approval of A vault's shares to ${OTHER} may stay after this transaction`,
      },
    ]);
});

test.each(["request", "cooldown"] as const)(
  "simulationWarnings() warns of a %s that nothing shows",
  (mode) => {
    const codes = (logs: readonly Log[] | null) =>
      simulationWarnings(
        { unused: 0n, simulation: simulation(logs) },
        { mode, vault: { name: "A vault" }, spender: null },
      ).map(({ code }) => code);
    expect(codes(null)).toEqual(["request_unverified"]);
    expect(codes([])).toEqual([]);
  },
);
