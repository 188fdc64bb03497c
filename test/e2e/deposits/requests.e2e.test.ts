import type { Address, Hex } from "viem";
import { expect, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import { settleRequests } from "../../../scripts/stack/chains/settle-requests.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainOf, mined, newUser, sendCall, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";

const api = new Api();

/** Settles a user's requests, as the vault's operator does, with the contract that took them. */
async function settle(of: { vault: StackVault; target: Address; user: Address }): Promise<void> {
  const { vault, target, user } = of;
  const chain = chainOf(vault.chain_id);
  const { chainId, rpcUrl } = chain;
  const hashes = await settleRequests({ chainId, rpcUrl, adapter: vault.adapter, target, user });
  expect(hashes).toHaveLength(1);
  for (const hash of hashes) await mined(chain, hash);
}

/** What is pending for a user, read in one request, and one more for each claim that is proved. */
async function pendingOf(user: Address, chainId: number, claims = 0) {
  const query = `?chain_id=${chainId}`;
  expect(requestsTo(await api.send(`/v1/positions/${user}${query}`), "rpc")).toBe(1 + claims);
  return api.positions(user, query);
}

const polled = { interval: 300 };

/** Asks a vault that settles later, and holds status and positions to it. */
async function request(vault: StackVault) {
  const chain = chainOf(vault.chain_id);
  const amount = amounts[vault.asset_symbol];
  const user = await newUser(chain, { [vault.asset_symbol]: amount });
  const built = await api.build(bodyFor(vault, { user: user.address }));
  expect(built.estimate.min_shares).toBeNull();
  const hash = await signDeposit(chain, { user, built, style: "calls" });
  await mined(chain, hash);
  const status = () => api.status(hash, vault.chain_id);
  expect(await status()).toMatchObject({
    ...{ status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT" },
    deposit: { tracking_id: built.tracking_id, state: "requested", next: null },
  });
  const asked = await pendingOf(user.address, vault.chain_id);
  expect(asked.positions).toMatchObject([
    {
      ...{ vault_id: vault.vault_id, share_balance: "0", current_assets: "0" },
      requests: [{ kind: "deposit", state: "pending", shares: null, assets: String(amount) }],
    },
  ]);
  // Some vaults record a deposit when it is requested; that is no loss either.
  expect([null, "0"]).toContain(asked.positions[0]?.yield_assets);
  expect(asked.pending).toMatchObject([
    { vault_id: vault.vault_id, pending_assets: String(amount), next: null },
  ]);
  const target = built.transaction_request.to as Address;
  return { chain, user, status, target, estimate: BigInt(built.estimate.estimated_shares) };
}

/** What the deposit is in the end: shares that the user holds, and nothing that is pending. */
async function expectCompleted(vault: StackVault, of: Awaited<ReturnType<typeof request>>): Promise<void> {
  const { chain, user, status, estimate } = of;
  await expect.poll(status, polled).toMatchObject({
    ...{ status: "DONE", substatus: "COMPLETED" },
    deposit: { state: "completed", shares: String(estimate), next: null },
  });
  expect(await balanceOf(chain, { token: vault.share_token, owner: user.address })).toBe(estimate);
  const held = await pendingOf(user.address, vault.chain_id);
  expect(held.pending).toEqual([]);
  expect(held.positions).toMatchObject([{ vault_id: vault.vault_id, share_balance: String(estimate) }]);
}

const later = vaultsFor("requests");
const claimed = later.filter(({ adapter }) => adapter !== "midas");

test("async vaults: the stack has every family with requests", () => {
  expect(later.map(({ adapter }) => adapter).sort()).toEqual(["centrifuge", "lagoon", "mellow", "midas"]);
});

test.each(claimed)("$name: an async request goes from requested to claimable to claimed", async (vault) => {
  const requested = await request(vault);
  const { chain, user, status, target, estimate } = requested;
  await settle({ vault, target, user: user.address });
  await expect.poll(status, polled).toMatchObject({
    ...{ status: "PENDING", substatus: "WAIT_CLAIM_TRANSACTION" },
    deposit: { state: "claimable", next: { kind: "claim", approval: null } },
  });
  const settled = await pendingOf(user.address, vault.chain_id, 1);
  const next = (await status()).deposit?.next;
  if (!next) throw new Error("there is nothing to claim");
  const { gas_limit: gas, ...claim } = next.transaction_request;
  expect(Number(gas)).toBeGreaterThan(21_000);
  expect(settled.pending).toMatchObject([
    {
      ...{ pending_assets: "0", claimable_shares: String(estimate), next_refusal: null },
      next: { kind: "claim", transaction_request: { ...claim, gas_limit: expect.stringMatching(/^\d+$/) } },
    },
  ]);
  const { to, data } = next.transaction_request;
  await mined(chain, await sendCall(user, { to: to as Address, data: data as Hex }));
  await expectCompleted(vault, requested);
});

test.each(later.filter(({ adapter }) => adapter === "midas"))(
  "$name: an async request is settled by the vault, which sends the shares",
  async (vault) => {
    const requested = await request(vault);
    const { target, user } = requested;
    await settle({ vault, target, user: user.address });
    await expectCompleted(vault, requested);
  },
);
