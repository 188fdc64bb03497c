import { describe, expect, test } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { decodeRouterCall } from "../../../src/router/router-codec.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { allowanceOf, balanceOf, leftIn, routerParts } from "../../support/e2e/balances.ts";
import { addressOf, chainOf, give, mined, tokenOn, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor, expectMintedAsQuoted } from "../../support/e2e/deposit.ts";
import { settled } from "../../support/e2e/settled.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { DELIVERY_POLLING, newMultiChainUser, signSecond } from "../../support/e2e/transfer.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const from = vaultNamed("Plain USDC");
const home = chainOf(from.chain_id);

/** The body of a move of all that a user holds. */
const moveBody = (into: StackVault, of: { user: string; shares: bigint }): BuildBody => ({
  from_chain_id: from.chain_id,
  from_token: from.share_token,
  from_amount: String(of.shares),
  vault_id: into.vault_id,
  user_address: of.user,
});

const sharesOf = (vault: StackVault, owner: `0x${string}`) =>
  balanceOf(chainOf(vault.chain_id), { token: vault.share_token, owner });

describe("a move on one chain", () => {
  test.each([
    ["the same asset", "Fine USDC", 2],
    ["another asset, with a swap between", "Solid WETH", 3],
  ])("into a vault of %s takes one transaction", async (_name, name, steps) => {
    const into = vaultNamed(name);
    const { user, shares } = await holderOf(api, from);
    const body = moveBody(into, { user: user.address, shares });
    expect(await api.quote(body)).toMatchObject({ quote_type: "move" });
    const parts = await routerParts(home);
    const built = await api.build(body);
    expect(built).toMatchObject({
      two_step: false,
      approval: { token_address: from.share_token, spender_address: parts.router, amount: String(shares) },
    });
    const order = decodeRouterCall(built.transaction_request.data as `0x${string}`);
    expect(order.steps).toHaveLength(steps);
    const hash = await signDeposit(home, { user, built, style: "calls" });
    await mined(home, hash);
    expect(await sharesOf(from, user.address)).toBe(0n);
    expectMintedAsQuoted(built, await sharesOf(into, user.address));
    const asset = tokenOn(home, "USDC");
    const tokens = { asset, share: from.share_token, other: into.share_token, weth: tokenOn(home, "WETH") };
    const others = { user: user.address, from: addressOf(from), into: addressOf(into) };
    expect(await leftIn(home, { at: parts, tokens, others })).toEqual({});
    const owner = user.address;
    expect(await allowanceOf(home, { token: from.share_token, owner, spender: parts.router })).toBe(0n);
    await expect
      .poll(() => api.status(hash, home.chainId), { interval: 300 })
      .toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  });

  test("into the vault itself is refused as invalid", async () => {
    const { user, shares } = await holderOf(api, from);
    const answer = await api.send("/v1/quote/build", {
      body: moveBody(from, { user: user.address, shares }),
    });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ["body", "from_token"] }] });
  });

  test("of shares that the account does not hold is refused", async () => {
    const { shares } = await holderOf(api, from);
    const body = moveBody(vaultNamed("Fine USDC"), { user: `0x${"77".repeat(20)}`, shares });
    expect(await api.refusal(body)).toMatchObject({ code: "nothing_to_withdraw" });
  });
});

test("a move across chains redeems and bridges in one transaction, and deposits in a second", async () => {
  const into = vaultsFor("honest").find(
    ({ chain_id: id, asset_symbol: symbol }) => id !== from.chain_id && symbol === "USDC",
  );
  if (into === undefined) throw new Error("no vault of USDC on the other chain");
  const away = chainOf(into.chain_id);
  const traveller = await newMultiChainUser([home, away]);
  const [user, owner] = [traveller.on(home), traveller.address];
  await give(home, { user, symbol: "USDC", amount: amounts.USDC });
  const deposit = await api.build(bodyFor(from, { user: owner }));
  await mined(home, await signDeposit(home, { user, built: deposit, style: "calls" }));
  const shares = await sharesOf(from, owner);
  const built = await api.build(moveBody(into, { user: owner, shares }));
  expect(built).toMatchObject({ two_step: true, tracking: { to_chain_id: into.chain_id } });
  const token = tokenOn(away, "USDC");
  const hash = await signDeposit(home, { user, built, style: "calls" });
  await mined(home, hash);
  expect(await sharesOf(from, owner)).toBe(0n);
  const held = () => balanceOf(away, { token, owner });
  const least = BigInt(built.estimate.to_amount_min);
  const arrived = await settled(held, { ...DELIVERY_POLLING, wanted: (now) => now >= least });
  const status = () => api.status(hash, home.chainId);
  const waiting = { status: "PENDING", substatus: "WAIT_DEPOSIT_TRANSACTION" };
  await expect.poll(status, { interval: 300 }).toMatchObject(waiting);
  const next = (await status()).deposit?.next ?? null;
  if (next === null) throw new Error("nothing is to be signed");
  await signSecond(away, { user: traveller.on(away), second: next });
  expect(await held()).toBe(arrived - BigInt(next.approval?.amount ?? 0));
  const minted = await sharesOf(into, owner);
  expectMintedAsQuoted(built, minted);
  const end = { status: "DONE", substatus: "COMPLETED", deposit: { shares: String(minted), next: null } };
  await expect.poll(status, { interval: 300 }).toMatchObject(end);
});
