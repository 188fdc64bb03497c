import { afterAll, beforeAll, expect, test } from "vitest";
import { queueingVaultAbi } from "#stand-ins/waiting";
import type { PendingExit } from "../../../src/vaults/vault-exits.ts";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import {
  deployRedeemableVault,
  heldOf,
  pendingOf,
  type RedeemableVault,
  redeemOrRequest,
  sharesOf,
  termsOf,
} from "../../support/conformance/vaults/leaving.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { mint } from "../../support/conformance/vaults/use.ts";
import { deployQueueing } from "../../support/conformance/vaults/waiting-stand-ins.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { confirm, Holder } from "../../support/withdrawals/holder.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
/** 1% on top of the payment, times 10^18. */
const FEE = 10n ** 16n;
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const family = { name: "Yo", adapter: "erc4626", type: "custom", deploy: deployQueueing(false) } as const;

async function holder(): Promise<{ placed: Placed; one: Holder }> {
  const placed = await place(world, { family, decimals: DECIMALS });
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  return { placed, one };
}

const invest = (placed: Placed) => set(placed, { abi: queueingVaultAbi, name: "invest", args: [false] });

test("a vault that holds enough pays through the Router with a minimum, and a request at once", async () => {
  const { placed, one } = await holder();
  const shares = await one.held("share");
  const { built } = await one.withdraw(shares / 2n);
  expect(built.mode).toBe("instant");
  const half = BigInt(built.estimate.assets ?? "0");
  expect(amount / 2n - half).toBeLessThanOrEqual(1n);
  expect(BigInt(built.estimate.min_assets ?? "0")).toBe((half * 995n) / 1_000n);
  expect(await one.held("asset")).toBe(half);
  const { built: asked, hash } = await one.withdraw("all", { mode: "request" });
  expect(asked).toMatchObject({ mode: "request", estimate: { min_assets: null } });
  await confirm(placed);
  // Each of the two payments is rounded down.
  expect(amount - (await one.held("asset"))).toBeLessThanOrEqual(2n);
  expect(await one.status(hash)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  expect(await one.position()).toBe(null);
});

test("a vault that holds too little pays nothing at once, and its request returns if it is given back", async () => {
  const { placed, one } = await holder();
  const shares = await one.held("share");
  await invest(placed);
  expect(await one.ask("all", { mode: "instant" })).toMatchObject({
    ...{ status: 400, body: { code: "no_liquidity", available: "0" } },
  });
  const { built, hash } = await one.withdraw("all");
  expect(built.mode).toBe("request");
  await confirm(placed);
  expect(await one.status(hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  await set(placed, { abi: queueingVaultAbi, name: "giveBack", args: [one.address] });
  await confirm(placed);
  expect(await one.status(hash)).toMatchObject({ status: "FAILED", substatus: "REJECTED" });
  expect(await one.held("share")).toBe(shares);
  expect(await one.position()).toMatchObject({ requests: [], deposited_assets: String(amount) });
});

test("the Router lets no redemption become a request that the executor would own", async () => {
  const { placed, one } = await holder();
  const shares = await one.held("share");
  const built = await one.build(shares);
  expect(built.mode).toBe("instant");
  await invest(placed);
  await expect(one.sign(built)).rejects.toThrow();
  expect(await one.held("share")).toBe(shares);
});

/** Opens a vault whose deployer redeems, with a fee on withdrawals. */
async function withFee(): Promise<RedeemableVault> {
  const of = await deployRedeemableVault(world, { adapter: "erc4626", deploy: deployQueueing(false) });
  await set(of.placed, { abi: queueingVaultAbi, name: "setFee", args: [FEE] });
  return of;
}

test("the fee is part of what the vault must hold, and of what a request is worth", async () => {
  const of = await withFee();
  const shares = (await sharesOf(of)) / 2n;
  const paid = await redeemOrRequest(of, { mode: "instant", shares: shares / 10n });
  expect(paid.terms.previewAssets).toBe(paid.paid);
  expect(paid.paid).toBeLessThan(paid.terms.grossAssets ?? 0n);
  await invest(of.placed);
  const { previewAssets: net, grossAssets: gross } = await termsOf(of, { mode: "request", shares });
  if (net === null || gross === null) throw new Error("the vault has no price");
  // What pays the user alone is too little: the contract counts the fee as well.
  await world.script((script) => mint(script, { token: of.placed.asset, to: of.placed.vault, amount: net }));
  expect(await termsOf(of, { mode: "instant", shares })).toMatchObject({ refusal: "no_liquidity" });
  const asked = await redeemOrRequest(of, { mode: "request", shares });
  expect(asked).toMatchObject({ paid: 0n, terms: { refusal: null, priced: "recorded" } });
  const [pending] = await pendingOf(of);
  // The operator may pay less, and the fee is that of the payment.
  expect(pending).toMatchObject({ state: "pending", shares, priced: false } satisfies Partial<PendingExit>);
  const before = await heldOf(of, of.vault.asset.address);
  await set(of.placed, { abi: queueingVaultAbi, name: "settle", args: [of.user] });
  expect((await heldOf(of, of.vault.asset.address)) - before).toBe(pending?.assets);
});
