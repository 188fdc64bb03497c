import { expect, test } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { nextStep } from "../../src/deposits/next-deposit-step.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import type { StoredVault } from "../../src/vaults/vault.ts";
import { testContext } from "../support/context.ts";
import { row, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { cacheStorageLayout } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, sharesFor, simulatedChain } from "../support/deposits/simulated-chain.ts";
import { measured, rememberRouter } from "../support/withdrawals/withdrawing.ts";

const ARRIVED = 99_000_000n;
const awaiting: DepositRow = {
  ...row,
  state: "awaiting_deposit",
  twoStep: true,
  provider: "fake",
  moveToken: USDC.toLowerCase(),
  moveMin: "90000000",
  deliveredAmount: ARRIVED.toString(),
  destinationTxHash: `0x${"11".repeat(32)}`,
};
const stored: StoredVault = {
  chainId: vault.chainId,
  address: VAULT,
  type: "custom",
  adapter: "erc4626",
  params: {},
  name: vault.name,
  assetAddress: USDC,
  assetSymbol: "USDC",
  assetDecimals: 6,
  acceptedAssets: [],
  shareToken: VAULT,
  shareDecimals: 18,
  entryPoint: VAULT,
  spender: VAULT,
  pricer: VAULT,
  caller: "user",
  curator: "",
  status: "active",
  statusReason: "",
  minDeposit: null,
  noMinimum: false,
  startBlock: null,
};

/** What follows for a user who holds so much of what arrived. */
async function nextFor(held: bigint, of: { deposit?: DepositRow; vaults?: readonly StoredVault[] } = {}) {
  const minted = sharesFor(ARRIVED);
  const { client } = simulatedChain({
    answers: { balanceOf: held, allowance: ARRIVED },
    effects: () => ({ rises: { [balanceKey(VAULT, USER)]: minted }, returned: measured(minted) }),
  });
  // Nothing was built with what arrived; then the vault is read.
  const answers: unknown[][] = [[], [...(of.vaults ?? [stored])]];
  const db: Database = { run: async <T>() => answers.shift() as T };
  const ctx = testContext({ clients: [client], db });
  await cacheStorageLayout(ctx, USDC);
  await rememberRouter(ctx, true, vault.chainId);
  return nextStep(ctx, of.deposit ?? awaiting);
}

test("nextStep() deposits exactly the delivered amount", async () => {
  const { next, refusal } = await nextFor(ARRIVED);
  expect(refusal).toBe(null);
  expect(next).toMatchObject({
    kind: "deposit",
    transaction_request: { to: VAULT, value: "0" },
    approval: { token_address: USDC, spender_address: VAULT, amount: ARRIVED.toString() },
  });
});

test("nextStep() refuses with balance_insufficient when the delivered amount was spent", async () => {
  const spent = {
    next: null,
    refusal: { code: "balance_insufficient", detail: "the account no longer holds the delivered amount" },
  };
  expect(await nextFor(ARRIVED - 3n, { vaults: [{ ...stored, caller: "router" }] })).toEqual(spent);
  // Without the Router, the amount alone shows whose second step a deposit is.
  expect(await nextFor(ARRIVED - 1n)).toEqual(spent);
});

test("nextStep() deposits through the Router what a rebasing token credited", async () => {
  const credited = ARRIVED - 2n;
  const { next, refusal } = await nextFor(credited, { vaults: [{ ...stored, caller: "router" }] });
  expect(refusal).toBe(null);
  expect(next).toMatchObject({
    transaction_request: { to: depositRouterAddress },
    approval: { spender_address: depositRouterAddress, amount: credited.toString() },
  });
});

test("nextStep() returns the vault's refusal code", async () => {
  const paused: StoredVault = { ...stored, status: "paused", statusReason: "maintenance" };
  expect(await nextFor(ARRIVED, { vaults: [paused] })).toMatchObject({
    next: null,
    refusal: { code: "vault_paused" },
  });
  expect(await nextFor(ARRIVED, { vaults: [] })).toMatchObject({ refusal: { code: "vault_not_found" } });
});

test.each<[string, Partial<DepositRow>]>([
  ["is still on its way", { state: "bridging" }],
  ["has its shares", { state: "partial", shares: "1" }],
  ["is over", { state: "completed" }],
  ["arrived in nothing that is known", { deliveredAmount: null }],
])("nextStep() returns nothing when a deposit %s", async (_where, change) => {
  const deposit = { ...awaiting, ...change };
  expect(await nextFor(ARRIVED, { deposit })).toEqual({ next: null, refusal: null });
});
