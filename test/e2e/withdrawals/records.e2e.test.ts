import { encodeFunctionData, erc4626Abi, type Hex } from "viem";
import { expect, test } from "vitest";
import * as z from "zod";
import { Withdrawal, WithdrawalDetail } from "../../../src/schemas/withdrawal-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { addressOf, chainOf, mined, vaultsFor } from "../../support/e2e/chain.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const found = vaultsFor("honest", "family").find(({ adapter }) => adapter === "erc4626");
if (found === undefined) throw new Error("no ERC-4626 vault");
const vault = found;
const chain = chainOf(vault.chain_id);

const read = async (trackingId: string) =>
  bodyOf(await api.send(`/v1/withdrawals/${trackingId}`), { schema: WithdrawalDetail });
const listed = async (user: string, query = "") =>
  bodyOf(await api.send(`/v1/withdrawals?user_address=${user}${query}`), { schema: z.array(Withdrawal) });
const patch = (trackingId: string, what: "tx" | "abandon", body?: object) =>
  api.send(`/v1/withdrawals/${trackingId}/${what}`, {
    method: "PATCH",
    ...(body === undefined ? {} : { body }),
  });
const change = async (...of: Parameters<typeof patch>) => bodyOf(await patch(...of), { schema: Withdrawal });
const until = async (hash: Hex, wanted: object) => {
  const ask = () => api.status(hash, vault.chain_id);
  await expect.poll(ask, { interval: 150 }).toMatchObject(wanted);
  return ask();
};
const build = (user: string) => api.withdraw({ vault_id: vault.vault_id, user_address: user, shares: "all" });

test("an unreported redemption is found by its hash, and shown as what reached the user", async () => {
  const { user, shares } = await holderOf(api, vault);
  const built = await build(user.address);
  const id = built.tracking_id;
  expect(await listed(user.address)).toEqual([]);
  expect((await listed(user.address, "&state=built")).map((one) => one.tracking_id)).toEqual([id]);
  expect(await read(id)).toMatchObject({ state: "built", shares: String(shares), assets: null });
  const hash = await signDeposit(chain, { user, built, style: "calls" });
  await mined(chain, hash);
  const status = await until(hash, { status: "DONE", substatus: "COMPLETED", deposit: null });
  const assets = status.withdrawal?.assets ?? null;
  expect(status).toMatchObject({
    sending: { tx_hash: hash, amount: String(shares), kind: "shares", token: { address: vault.share_token } },
    receiving: { tx_hash: hash, amount: assets, kind: "asset" },
    withdrawal: { tracking_id: id, state: "completed", next: null },
  });
  expect(BigInt(assets ?? "0")).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? "1"));
  const detail = await read(id);
  expect(detail).toMatchObject({ state: "completed", shares: String(shares), assets, to_amount: assets });
  expect(detail.steps.filter(({ state }) => state === "required" || state === "waiting")).toEqual([]);
  expect((await listed(user.address)).map((one) => one.tracking_id)).toEqual([id]);
  // The directions do not show each other's records.
  expect((await api.deposits(user.address)).map((one) => one.tracking_id)).not.toContain(id);
  expect((await api.send(`/v1/deposits/${id}`)).status).toBe(404);
});

test("a stranger's report binds nothing, and what was abandoned is opened by the chain", async () => {
  const { user } = await holderOf(api, vault);
  const { user: stranger } = await holderOf(api, vault);
  const theirs = await build(stranger.address);
  const theirHash = await signDeposit(chain, { user: stranger, built: theirs, style: "calls" });
  await mined(chain, theirHash);
  const built = await build(user.address);
  const id = built.tracking_id;
  await change(id, "tx", { tx_hash: theirHash, step: "redeem" });
  expect(await read(id)).toMatchObject({ state: "built", source_tx_hash: null });
  expect(await change(id, "abandon")).toMatchObject({ state: "abandoned", status: "NOT_FOUND" });
  const hash = await signDeposit(chain, { user, built, style: "calls" });
  await mined(chain, hash);
  await until(hash, { withdrawal: { tracking_id: id, state: "completed" } });
  await until(theirHash, { withdrawal: { tracking_id: theirs.tracking_id, state: "completed" } });
  const refused = await patch(id, "abandon");
  expect([refused.status, refused.json]).toEqual([
    409,
    expect.objectContaining({ code: "withdrawal_state" }),
  ]);
});

test("a redemption that was not built here is told by its receipt", async () => {
  const { user, shares } = await holderOf(api, vault);
  const args = [shares, user.address, user.address] as const;
  const data = encodeFunctionData({ abi: erc4626Abi, functionName: "redeem", args });
  const hash = (await user.wallet.request({
    method: "eth_sendTransaction",
    params: [{ from: user.address, to: addressOf(vault), data }],
  })) as Hex;
  await mined(chain, hash);
  await until(hash, {
    ...{ status: "DONE", substatus: "COMPLETED", deposit: null, withdrawal: null },
    sending: { amount: String(shares), kind: "shares" },
    receiving: { kind: "asset" },
  });
});

test("a deposit can name the user's own withdrawal as what it belongs to, and nobody else's", async () => {
  const [{ user }, other] = [await holderOf(api, vault), await holderOf(api, vault)];
  const parent_tracking_id = (await build(user.address)).tracking_id;
  const input = { ...bodyFor(vault, { user: user.address, amount: 1_000_000n }), parent_tracking_id };
  const { tracking_id } = await api.build(input);
  expect(await api.deposit(tracking_id)).toMatchObject({ parent_tracking_id });
  const theirs = { ...input, user_address: other.user.address };
  expect(await api.refusal(theirs)).toMatchObject({ status: 404, code: "deposit_not_found" });
});
