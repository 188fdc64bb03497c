import { createWalletClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, inject, test } from "vitest";
import { settleRedemptions } from "../../../scripts/stack/playground/settle-redemptions.ts";
import { createCausewayClient } from "../../../src/client/causeway-client.ts";
import type { ExecutionProgress } from "../../../src/client/execution/execution-options.ts";
import {
  cancelSignedWithdrawal,
  continueWithdrawal,
  executeWithdrawal,
  watchWithdrawal,
} from "../../../src/client/operations/withdrawal-operations.ts";
import { type Batching, injectWallet } from "../../support/client/injected-wallet.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
const nodes = { [one.chainId]: one.rpcUrl, [two.chainId]: two.rpcUrl };
const client = createCausewayClient({ url: inject("stack").api });

/** A holder of shares of a vault, and the holder's injected wallet, which is on the other chain at first. */
async function holderWith(name: string, batching?: Batching) {
  const vault = vaultNamed(name);
  const { user } = await holderOf(api, vault);
  const account = privateKeyToAccount(user.privateKey);
  const provider = injectWallet({ account, nodes, chainId: two.chainId, ...(batching ? { batching } : {}) });
  const wallet = createWalletClient({ account: account.address, transport: custom(provider) });
  const shares = () => balanceOf(one, { token: vault.share_token, owner: user.address });
  const paid = () => balanceOf(one, { token: tokenOn(one, "USDC"), owner: user.address });
  const asked = (method: string) => provider.asked.filter((one) => one === method).length;
  return { vault, provider, wallet, shares, paid, asked };
}

/** Remembers the tracking id of an execution. */
function remember() {
  const seen = { trackingId: "" };
  const onProgress = ({ trackingId }: ExecutionProgress) => {
    seen.trackingId = trackingId;
  };
  return { seen, onProgress };
}

describe("executeWithdrawal()", () => {
  test("redeems all with one signature and one transaction", async () => {
    const { vault, wallet, shares, paid, asked } = await holderWith("Local Prime USDC");
    const input = { vaultId: vault.vault_id, shares: "all", authorize: "auto", wallet } as const;
    const withdrawal = await executeWithdrawal(client, input);
    expect(withdrawal.state).toBe("completed");
    expect([asked("eth_signTypedData_v4"), asked("eth_sendTransaction")]).toEqual([1, 1]);
    expect([await shares(), await paid()]).toEqual([0n, withdrawal.toAmount]);
  });

  test.each<[Batching, number]>([
    ["atomic", 0],
    ["refuses", 2],
  ])("with a wallet that batches: %s", async (batching, transactions) => {
    const { vault, wallet, shares, asked } = await holderWith("Plain USDC", batching);
    const withdrawal = await executeWithdrawal(client, { vaultId: vault.vault_id, shares: "all", wallet });
    expect(withdrawal.state).toBe("completed");
    expect([asked("wallet_sendCalls"), asked("eth_sendTransaction")]).toEqual([1, transactions]);
    expect(await shares()).toBe(0n);
  });

  test("stops when the user declines, and continues from the tracking id alone", async () => {
    const { vault, provider, wallet, shares } = await holderWith("Plain USDC");
    provider.refuse("eth_sendTransaction", 4001);
    const { seen, onProgress } = remember();
    const declined = executeWithdrawal(client, {
      vaultId: vault.vault_id,
      shares: "all",
      wallet,
      onProgress,
    });
    await expect(declined).rejects.toMatchObject({ name: "CausewayError", code: "user_rejected" });
    expect(await shares()).toBeGreaterThan(0n);
    expect((await continueWithdrawal(client, { trackingId: seen.trackingId, wallet })).state).toBe(
      "completed",
    );
    expect(await shares()).toBe(0n);
  });

  test("leaves a request to the vault, which is watched, and claimed from the tracking id alone", async () => {
    const { vault, wallet, paid } = await holderWith("Credit USDC");
    const leaving = new AbortController();
    const { seen, onProgress } = remember();
    const left = executeWithdrawal(client, {
      ...{ vaultId: vault.vault_id, shares: "all", mode: "request", wallet, signal: leaving.signal },
      onProgress(progress) {
        onProgress(progress);
        if (progress.phase === "waiting") leaving.abort();
      },
    });
    await expect(left).rejects.toMatchObject({ code: "aborted" });
    await settleRedemptions({ vault, rpcUrl: one.rpcUrl });
    const { trackingId } = seen;
    const states: string[] = [];
    const watching = new AbortController();
    const onChange = ({ state }: { state: string }) => {
      states.push(state);
      if (state === "claimable") watching.abort();
    };
    await expect(
      watchWithdrawal(client, { trackingId, onChange, signal: watching.signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    expect(states.at(-1)).toBe("claimable");
    const withdrawal = await continueWithdrawal(client, { trackingId, wallet });
    expect(withdrawal.state).toBe("completed");
    expect(await paid()).toBeGreaterThan(0n);
    expect(await watchWithdrawal(client, { trackingId })).toMatchObject({ state: "completed" });
  });

  test("throws the API's codes", async () => {
    const { vault, wallet } = await holderWith("Plain USDC");
    const missing = { trackingId: `trk_${"0".repeat(32)}`, wallet };
    await expect(watchWithdrawal(client, missing)).rejects.toMatchObject({ code: "withdrawal_not_found" });
    await expect(continueWithdrawal(client, missing)).rejects.toMatchObject({ code: "withdrawal_not_found" });
    await expect(cancelSignedWithdrawal(client, missing)).rejects.toMatchObject({
      code: "withdrawal_not_found",
    });
    const input = { vaultId: vault.vault_id, shares: "all", wallet, mode: "request" } as const;
    await expect(executeWithdrawal(client, input)).rejects.toMatchObject({ code: "mode_unsupported" });
    await expect(executeWithdrawal(client, { ...input, shares: 0n })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
