import { type Address, encodeFunctionData, type Hex } from "viem";
import { expect, test } from "vitest";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { lagoonVaultAbi } from "../../scripts/stack/contracts/erc7540/artifact.ts";
import { Api } from "../harness/api.ts";
import { balanceOf } from "../harness/balances.ts";
import { addressOf, chainOf, mined, newUser, sendCall, vaultsFor } from "../harness/chain.ts";
import { sign } from "../harness/flow.ts";
import { requestsTo } from "../harness/request.ts";
import { amounts, bodyFor } from "./deposit.ts";

const api = new Api();

/** Settles a user's request in the name of the vault's owner. */
async function settle(of: { vault: Address; user: Address; chainId: number }): Promise<void> {
  const { vault, user, chainId } = of;
  const chain = chainOf(chainId);
  const on = { address: vault, abi: lagoonVaultAbi } as const;
  const owner = await chain.client.readContract({ ...on, functionName: "owner" });
  const data = encodeFunctionData({ ...on, functionName: "settle", args: [user] });
  await rpc(chain.rpcUrl, "anvil_impersonateAccount", owner);
  await rpc(chain.rpcUrl, "anvil_setBalance", owner, "0x8ac7230489e80000");
  const call = { from: owner, to: vault, data };
  await mined(chain, (await rpc(chain.rpcUrl, "eth_sendTransaction", call)) as Hex);
}

/** What is pending for a user, read in one request. */
async function pendingOf(user: Address, chainId: number) {
  const query = `?chain_id=${chainId}`;
  expect(requestsTo(await api.send(`/v1/positions/${user}${query}`), "rpc")).toBe(1);
  return api.positions(user, query);
}

test.each(vaultsFor("requests"))("$name settles later: requested, claimable, claimed", async (vault) => {
  const chain = chainOf(vault.chain_id);
  const amount = amounts[vault.asset_symbol];
  const user = await newUser(chain, { [vault.asset_symbol]: amount });
  const built = await api.build(bodyFor(vault, { user: user.address }));
  const hash = await sign(chain, { user, built, style: "calls" });
  await mined(chain, hash);
  const status = () => api.status(hash, vault.chain_id);
  expect(await status()).toMatchObject({
    ...{ status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT" },
    deposit: { tracking_id: built.tracking_id, state: "requested", next: null },
  });
  const asked = await pendingOf(user.address, vault.chain_id);
  expect(asked.positions).toEqual([]);
  expect(asked.pending).toEqual([
    { vault_id: vault.vault_id, pending_assets: String(amount), claimable_shares: "0", next: null },
  ]);

  await settle({ vault: addressOf(vault), user: user.address, chainId: vault.chain_id });
  await expect.poll(status, { timeout: 20_000, interval: 300 }).toMatchObject({
    ...{ status: "PENDING", substatus: "WAIT_CLAIM_TRANSACTION" },
    deposit: { state: "claimable", next: { kind: "claim", approval: null } },
  });
  const settled = await pendingOf(user.address, vault.chain_id);
  expect(settled.pending).toMatchObject([{ pending_assets: "0", next: { kind: "claim" } }]);
  const shares = BigInt(settled.pending[0]?.claimable_shares ?? "0");
  expect(shares).toBe(BigInt(built.estimate.estimated_shares));

  const next = (await status()).deposit?.next;
  if (!next) throw new Error("there is nothing to claim");
  const { to, data } = next.transaction_request;
  await mined(chain, await sendCall(user, { to: to as Address, data: data as Hex }));
  expect(await balanceOf(chain, { token: vault.share_token, owner: user.address })).toBe(shares);
  await expect.poll(status, { timeout: 20_000, interval: 300 }).toMatchObject({
    ...{ status: "DONE", substatus: "COMPLETED" },
    deposit: { state: "completed", shares: String(shares), next: null },
  });
  const held = await pendingOf(user.address, vault.chain_id);
  expect(held.pending).toEqual([]);
  expect(held.positions).toMatchObject([{ vault_id: vault.vault_id, share_balance: String(shares) }]);
});
