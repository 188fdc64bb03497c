import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { WithdrawalDetail } from "../../../src/schemas/withdrawal-schema.ts";
import { Api, type WithdrawBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, mined, sendCall, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { withBridge } from "../../support/e2e/cross-chain.ts";
import { emulators, type FaultInput, withFaults } from "../../support/e2e/faults.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { newSmartAccount } from "../../support/e2e/smart-account.ts";
import { statusOf } from "../../support/e2e/track.ts";
import { DELIVERY_POLLING } from "../../support/e2e/transfer.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const home = chainOf(vault.chain_id);
const away = chainOf(home.chainId === chainIds.one ? chainIds.two : chainIds.one);
const token = tokenOn(away, "USDC");

const body = (user: string): WithdrawBody => ({
  ...{ vault_id: vault.vault_id, user_address: user, shares: "all" },
  ...{ to_chain_id: away.chainId, to_token: token, preferred_bridge: "across" },
});
const ask = (hash: string) => statusOf(hash, home.chainId, away.chainId);
const read = async (id: string) =>
  bodyOf(await api.send(`/v1/withdrawals/${id}`), { schema: WithdrawalDetail });

/** Builds a withdrawal of all shares to the other chain, and sends it. */
async function leave() {
  const { user } = await holderOf(api, vault);
  const built = await api.withdraw(body(user.address));
  const hash = await signDeposit(home, { user, built, style: "calls" });
  await mined(home, hash);
  return { user, built, hash, id: built.tracking_id };
}

describe("status of a withdrawal to another chain", () => {
  test("is the same by the hash on either chain, and complete with what arrived", async () => {
    const { user, built, hash, id } = await leave();
    await expect
      .poll(() => ask(hash), DELIVERY_POLLING)
      .toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    const status = await ask(hash);
    const arrived = String(await balanceOf(away, { token, owner: user.address }));
    expect(status).toMatchObject({
      sending: { tx_hash: hash, chain_id: home.chainId, kind: "shares" },
      receiving: { chain_id: away.chainId, amount: arrived, kind: "asset" },
      ...{ bridge: "across", deposit: null, withdrawal: { tracking_id: id, state: "completed", next: null } },
    });
    expect(BigInt(arrived)).toBeGreaterThanOrEqual(BigInt(built.estimate.to_amount_min ?? "1"));
    const delivery = status.receiving?.tx_hash ?? "";
    const byDelivery = await statusOf(delivery, away.chainId);
    expect(byDelivery).toMatchObject({ status: "DONE", withdrawal: { tracking_id: id } });
    expect(await read(id)).toMatchObject({
      state: "completed",
      destination_tx_hash: delivery,
      to_amount: arrived,
    });
  });

  test("is pending while the bridge delays, and complete afterwards", async () => {
    const { hash } = await withBridge({ relayer: { mode: "stall" } }, async () => {
      const left = await leave();
      const waiting = { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" };
      await expect.poll(() => ask(left.hash), DELIVERY_POLLING).toMatchObject(waiting);
      return left;
    });
    await expect
      .poll(() => ask(hash), DELIVERY_POLLING)
      .toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  });

  test("is refunded on the vault's chain where the bridge does not deliver", async () => {
    await withBridge({ relayer: { mode: "refund" } }, async () => {
      const { user, hash, id } = await leave();
      const refunded = { status: "DONE", substatus: "REFUNDED", receiving: { chain_id: home.chainId } };
      await expect.poll(() => ask(hash), DELIVERY_POLLING).toMatchObject(refunded);
      expect(await read(id)).toMatchObject({ state: "refunded", status: "DONE", substatus: "REFUNDED" });
      const asset = tokenOn(home, vault.asset_symbol);
      expect(await balanceOf(home, { token: asset, owner: user.address })).toBeGreaterThan(0n);
    });
  });

  test("believes no stranger's hash", async () => {
    const victim = await leave();
    const { user } = await holderOf(api, vault);
    const built = await api.withdraw(body(user.address));
    const report = { method: "PATCH", body: { tx_hash: victim.hash, step: "redeem" } } as const;
    expect((await api.send(`/v1/withdrawals/${built.tracking_id}/tx`, report)).status).toBe(200);
    await expect.poll(() => ask(victim.hash), DELIVERY_POLLING).toMatchObject({ status: "DONE" });
    expect(await ask(victim.hash)).toMatchObject({ withdrawal: { tracking_id: victim.id } });
    expect(await read(built.tracking_id)).toMatchObject({ state: "built", source_tx_hash: null });
  });
});

test("a contract wallet withdraws in one batch, and is paid on the other chain", async () => {
  const { user, shares } = await holderOf(api, vault);
  const account = await newSmartAccount();
  const args = [account.address, shares] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
  await mined(home, await sendCall(user, { to: vault.share_token, data }));
  const built = await api.withdraw(body(account.address));
  const hash = await account.send(home, built.calls);
  await expect
    .poll(() => ask(hash), DELIVERY_POLLING)
    .toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED", withdrawal: { tracking_id: built.tracking_id } },
    });
  expect(await balanceOf(away, { token, owner: account.address })).toBeGreaterThan(0n);
});

test.each([
  ["any provider", []],
  ["KyberSwap, through the Router", [emulators().lifi]],
])("a second step by %s is offered for what the vault paid, and found by its own hash", async (_by, down) => {
  const plasma = vaultNamed("Plasma USDC");
  const chain = chainOf(plasma.chain_id);
  const weth = tokenOn(chain, "WETH");
  const { user } = await holderOf(api, plasma);
  const asked = { vault_id: plasma.vault_id, user_address: user.address, shares: "all", to_token: weth };
  const built = await api.withdraw(asked);
  const id = built.tracking_id;
  const first = await signDeposit(chain, { user, built, style: "calls" });
  await mined(chain, first);
  const waiting = { status: "PENDING", substatus: "WAIT_TRANSFER_TRANSACTION" };
  const faults: FaultInput[] = [{ kind: "status", status: 503 }];
  const { next, steps, assets } = await withFaults({ emulators: down, faults }, async () => {
    await expect.poll(() => statusOf(first, chain.chainId), DELIVERY_POLLING).toMatchObject(waiting);
    return read(id);
  });
  const router = chain.info.contracts.deposit_router;
  expect(next?.transaction_request.to === router).toBe(down.length > 0);
  if (next === null) throw new Error("nothing to sign");
  expect(next).toMatchObject({ kind: "transfer", approval: { amount: assets } });
  expect(steps.find(({ step_id }) => step_id === "destination.transfer")?.state).toBe("required");
  const before = await balanceOf(chain, { token: weth, owner: user.address });
  const second: Hex = await signDeposit(chain, { user, built: next, style: "calls" });
  await mined(chain, second);
  const done = { status: "DONE", substatus: "COMPLETED", withdrawal: { tracking_id: id } };
  await expect.poll(() => statusOf(second, chain.chainId), DELIVERY_POLLING).toMatchObject(done);
  const { token_address: paidIn, spender_address: spender } = next.approval ?? {};
  const allowance = { token: paidIn as Address, owner: user.address, spender: spender as Address };
  expect(await allowanceOf(chain, allowance)).toBe(0n);
  const received = (await balanceOf(chain, { token: weth, owner: user.address })) - before;
  expect(await read(id)).toMatchObject({
    state: "completed",
    to_amount: String(received),
    transfer_tx_hash: second,
  });
});
