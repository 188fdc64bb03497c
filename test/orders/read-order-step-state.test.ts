import { expect, test } from "vitest";
import type { StepPlan } from "../../src/orders/order-steps.ts";
import { readStepState } from "../../src/orders/read-order-step-state.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { row, USDC, vault } from "../support/deposits/fixtures.ts";
import { createWithdrawalFixture, fixedDatabase } from "../support/withdrawals/withdrawing.ts";

const [REPORTED, EARLIER] = [`0x${"11".repeat(32)}`, `0x${"22".repeat(32)}`];
const { chainId } = vault;
const plan: StepPlan = {
  source: {
    ...{ slot: "source", purpose: "deposit", chainId, token: { address: USDC, symbol: "USDC", decimals: 6 } },
    ...{ amount: "5", spender: depositRouterAddress, allowed: false, reset: false, transaction: null },
  },
  ...{ destination: null, settles: false },
};
const hint = (txHash: string, change: object = {}) => ({
  chainId,
  origin: "report",
  txHash,
  plan,
  ...change,
});

/** Reads the state of an order that waits for its first transaction, where these hints are stored. */
async function stateWith(
  hints: readonly object[],
  change: Partial<typeof row> = {},
  isOver?: (hash: string) => Promise<boolean>,
) {
  const { ctx, chain } = await createWithdrawalFixture({ answers: { allowance: 7n } });
  const read = await readStepState(
    { ...ctx, db: fixedDatabase(() => hints) },
    {
      ...{ row: { ...row, ...change }, awaited: { column: "sourceTxHash", chainId }, earlier: [EARLIER] },
      isFirstRequired: ({ sourceTxHash }) => sourceTxHash === null,
      ...(isOver !== undefined && { isOver }),
      planOf: async () => ({ ...plan, settles: true }),
    },
  );
  return { ...read, requests: chain.client.calls.length };
}

test("readStepState() shows a reported hash until a chain shows one, and then reads no allowance", async () => {
  const read = await stateWith([hint(EARLIER), hint(REPORTED)]);
  expect(read).toMatchObject({ row: { sourceTxHash: REPORTED }, plan, allowance: null, requests: 0 });
  const seen = await stateWith([hint(REPORTED)], { sourceTxHash: EARLIER });
  expect(seen.row.sourceTxHash).toBe(EARLIER);
});

test("readStepState() takes no reported hash of a transaction that is over while the chain awaits another", async () => {
  const isOver = async (hash: string) => hash === REPORTED;
  expect((await stateWith([hint(REPORTED)], {}, isOver)).row.sourceTxHash).toBeNull();
  const later = `0x${"99".repeat(32)}`;
  expect((await stateWith([hint(REPORTED), hint(later)], {}, isOver)).row.sourceTxHash).toBe(later);
  expect((await stateWith([hint(later), hint(REPORTED)], {}, isOver)).row.sourceTxHash).toBe(later);
  // Of several that may be the awaited one, the latest.
  expect((await stateWith([hint(later), hint(REPORTED)])).row.sourceTxHash).toBe(REPORTED);
});

test.each([
  ["of an earlier step", hint(EARLIER)],
  ["on another chain", hint(REPORTED, { chainId: 1 })],
  ["that nobody reported", hint(REPORTED, { origin: "found" })],
])("readStepState() takes no hash %s, and reads the allowance", async (_name, one) => {
  expect(await stateWith([one])).toMatchObject({ row: { sourceTxHash: null }, allowance: 7n, requests: 1 });
});

test("readStepState() makes a plan where none is stored", async () => {
  expect((await stateWith([])).plan.settles).toBe(true);
});
