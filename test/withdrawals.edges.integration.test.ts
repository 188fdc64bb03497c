import { type Address, encodeFunctionData, erc20Abi, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plasmaAccessManagerAbi } from "#stand-ins/ipor";
import { gearboxPoolAbi, gearboxPoolCreationCode } from "#stand-ins/lending";
import { vaultV2Abi, vaultV2CreationCode } from "#stand-ins/morpho-v2";
import { solmateVaultAbi, solmateVaultCreationCode } from "#stand-ins/standard";
import { queueingVaultAbi } from "#stand-ins/waiting";
import { MAX_UINT256 } from "../src/lib/amount.ts";
import { depositRouterAddress } from "../src/router/router-address.ts";
import { sampleAmount } from "./support/conformance/vaults/deposit.ts";
import { deployIpor } from "./support/conformance/vaults/exit-stand-ins.ts";
import type { Placed } from "./support/conformance/vaults/family.ts";
import type { Deploy } from "./support/conformance/vaults/leaving.ts";
import { convertedBy, deployStandard, set } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { deployUpshift } from "./support/conformance/vaults/upshift-stand-in.ts";
import { mint } from "./support/conformance/vaults/use.ts";
import { deployQueueing } from "./support/conformance/vaults/waiting-stand-ins.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { balanceOf } from "./support/e2e/balances.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";
import { pass } from "./support/withdrawals/requesting-vaults.ts";

const STRANGER: Address = "0x00000000000000000000000000000000000a11ce";

let world: World;
let restoreDeadlines = (): void => undefined;
beforeAll(async () => {
  restoreDeadlines = extendDeadlines();
  world = await startWorld();
});
afterAll(async () => {
  await world?.close();
  restoreDeadlines();
});

const plain = deployStandard({ abi: solmateVaultAbi, code: solmateVaultCreationCode });

async function holderOf(of: { adapter?: string; deploy?: Deploy; decimals?: number } = {}): Promise<Holder> {
  const { adapter = "erc4626", deploy = plain, decimals = 6 } = of;
  const type = adapter === "ipor" ? "ipor" : "custom";
  const family = { name: "A vault", adapter, type, deploy } as const;
  const placed = await place(world, { family, decimals });
  const one = await Holder.with(placed, sampleAmount(decimals));
  await one.deposit(sampleAmount(decimals));
  await confirm(placed);
  return one;
}

function allowanceOf({ placed, address }: Holder): Promise<bigint> {
  const on = { address: placed.shareToken, abi: erc20Abi, functionName: "allowance" } as const;
  return world.client.readContract({ ...on, args: [address, depositRouterAddress] });
}

/** Expects that neither the account nor the Router has anything left of a withdrawal of all shares. */
async function expectGone(one: Holder): Promise<void> {
  const { asset, shareToken } = one.placed;
  expect(await one.held("share")).toBe(0n);
  expect(await allowanceOf(one)).toBe(0n);
  for (const token of [asset.address, shareToken])
    expect(await balanceOf(world, { token, owner: depositRouterAddress })).toBe(0n);
  await confirm(one.placed);
  expect(await one.position()).toBe(null);
}

/** Changes the vault's assets by a part of them, in millionths. */
async function move({ asset, vault }: Placed, millionths: bigint): Promise<void> {
  const held = await balanceOf(world, { token: asset.address, owner: vault });
  const amount = (held * (millionths < 0n ? -millionths : millionths)) / 1_000_000n;
  if (millionths >= 0n)
    return void (await world.script((script) => mint(script, { token: asset, to: vault, amount })));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [STRANGER, amount] });
  await world.send(vault, { to: asset.address, data });
}

describe.each([0, 2, 6, 8, 18, 24])("an asset with %s decimals", (decimals) => {
  test("a part and then all are redeemed for what was estimated, and nothing is left", async () => {
    const one = await holderOf({ decimals });
    const shares = await one.held("share");
    const { built: part } = await one.withdraw(shares / 3n);
    expect(await one.held("share")).toBe(shares - shares / 3n);
    expect(String(await one.held("asset"))).toBe(part.estimate.assets);
    const before = await one.held("asset");
    const { built } = await one.withdraw("all");
    expect(String((await one.held("asset")) - before)).toBe(built.estimate.assets);
    expect(BigInt(built.estimate.min_assets ?? 0)).toBeGreaterThan(0n);
    await expectGone(one);
  });

  test("the smallest number of shares is paid exactly, or refused as too small", async () => {
    const one = await holderOf({ decimals });
    const worth = await convertedBy(one.placed, 1n);
    const { status, body } = await one.ask(1n);
    if (worth === 0n) return expect(body).toMatchObject({ code: "below_minimum" });
    expect([status, body["estimate"]]).toMatchObject([200, { assets: String(worth) }]);
    await one.withdraw(1n);
    expect(await one.held("asset")).toBe(worth);
  });
});

test.each([2n ** 255n, MAX_UINT256])("%s shares are refused, not an error", async (shares) => {
  const one = await holderOf();
  const into = await holderOf();
  const answers = [await one.ask(shares), await one.quote(shares), await one.askMove(shares, into.placed)];
  for (const answer of answers) expect(answer).toMatchObject({ status: 400, body: { code: "would_revert" } });
});

test("shares that are worth less than a unit are refused as too small, and stay", async () => {
  const deploy = deployStandard({ abi: vaultV2Abi, code: vaultV2CreationCode }, () => 18);
  const one = await holderOf({ adapter: "morpho_v2", deploy });
  const shares = await one.held("share");
  expect(await one.ask(1n)).toMatchObject({ status: 400, body: { code: "below_minimum" } });
  expect(await one.quote(1n)).toMatchObject({ status: 400, body: { code: "below_minimum" } });
  expect(await one.held("share")).toBe(shares);
});

async function giveShares(to: Holder, amount: bigint): Promise<void> {
  const giver = await Holder.with(to.placed, sampleAmount(6));
  await giver.deposit(sampleAmount(6));
  await giver.transfer(to.address, amount);
}

describe("the price moves between the build and the transaction", () => {
  test.each([
    ["rises", 30_000n],
    ["falls within the slippage", -3_000n],
  ])("%s: all shares are redeemed for at least the minimum", async (_, millionths) => {
    const one = await holderOf();
    const built = await one.build("all");
    await move(one.placed, millionths);
    await one.sign(built);
    expect(await one.held("asset")).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? 0));
    await expectGone(one);
  });

  test("falls below the minimum: nothing moves, and the next build has the new price", async () => {
    const one = await holderOf();
    const shares = await one.held("share");
    const built = await one.build("all");
    await move(one.placed, -20_000n);
    const hash = await one.send(built);
    await confirm(one.placed);
    expect(await one.held("share")).toBe(shares);
    expect(await one.status(hash)).toMatchObject({ status: "FAILED", withdrawal: { state: "failed" } });
    const { built: again } = await one.withdraw("all");
    expect(String(await one.held("asset"))).toBe(again.estimate.assets);
    expect(await one.held("share")).toBe(0n);
  });

  test("more shares arrive than are approved: they stay until the next withdrawal", async () => {
    const one = await holderOf();
    const built = await one.build("all");
    await giveShares(one, 1_000n);
    await one.sign(built);
    expect(await one.held("share")).toBe(1_000n);
    expect(await allowanceOf(one)).toBe(0n);
    await one.withdraw("all");
    await expectGone(one);
  });

  test("more shares arrive than were held, within an earlier allowance: all are redeemed", async () => {
    const one = await holderOf();
    const { shareToken } = one.placed;
    const args = [depositRouterAddress, (await one.held("share")) + 1_000n] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await world.send(one.address, { to: shareToken, data });
    const built = await one.build("all");
    expect(built.calls).toHaveLength(1);
    await giveShares(one, 1_000n);
    await one.sign(built);
    await expectGone(one);
  });
});

describe("an exit fee", () => {
  const fee = async (one: Holder, share: bigint) =>
    set(one.placed, { abi: queueingVaultAbi, name: "setFee", args: [share] });

  test("of 0.01 % is shown, and what is left arrives", async () => {
    const one = await holderOf({ deploy: deployQueueing(false) });
    const gross = await convertedBy(one.placed, await one.held("share"));
    await fee(one, 10n ** 14n);
    const { built } = await one.withdraw("all", { mode: "instant" });
    const paid = await one.held("asset");
    expect(built.estimate).toMatchObject({ assets: String(paid), exit_fee: String(gross - paid) });
    expect(gross - paid).toBeGreaterThan(0n);
    await expectGone(one);
  });

  test.each([
    ["half of it", 10n ** 18n],
    ["nearly all of it", 10n ** 30n],
  ])("of %s is refused as unsafe", async (_, share) => {
    const one = await holderOf({ deploy: deployQueueing(false) });
    await fee(one, share);
    const { status, body } = await one.ask("all", { mode: "instant" });
    expect(status).toBe(400);
    expect(["price_unsafe", "below_minimum"]).toContain(body["code"]);
  });
});

test("a paused vault and one without liquidity refuse with a code and what they have", async () => {
  const pausing = deployStandard({ abi: gearboxPoolAbi, code: gearboxPoolCreationCode });
  const paused = await holderOf({ adapter: "gearbox", deploy: pausing });
  await set(paused.placed, { abi: gearboxPoolAbi, name: "setPaused", args: [true] });
  expect(await paused.ask("all")).toMatchObject({ status: 400, body: { code: "exits_paused" } });
  const empty = await holderOf({ deploy: deployQueueing(false) });
  await set(empty.placed, { abi: queueingVaultAbi, name: "invest", args: [false] });
  expect(await empty.ask("all", { mode: "instant" })).toMatchObject({
    ...{ status: 400, body: { code: "no_liquidity", available: "0" } },
  });
});

test("shares that the vault locks are refused with the time, and redeemed after it", async () => {
  const one = await holderOf({ adapter: "ipor", deploy: deployIpor });
  const on = one.placed.parts["manager"] ?? zeroAddress;
  const act = (name: string, args: readonly unknown[]) =>
    set(one.placed, { abi: plasmaAccessManagerAbi, name, args, on });
  await act("setRedemptionDelay", [600n]);
  await act("lock", [one.address]);
  const { status, body } = await one.ask("all", { mode: "instant" });
  expect([status, body["code"]]).toEqual([400, "share_locked"]);
  expect(body["detail"]).toMatch(/until \d{4}-\d{2}-\d{2}T/);
  await pass(one.placed, 601);
  await one.withdraw("all", { mode: "instant" });
  expect(await one.held("share")).toBe(0n);
});

test("a multi-asset vault of Upshift's without a lag pays at once and takes no request", async () => {
  const one = await holderOf({ adapter: "upshift", deploy: deployUpshift });
  const asked = await one.ask("all", { mode: "request" });
  expect(asked).toMatchObject({ status: 400, body: { code: "mode_unsupported" } });
  const [instant, request] = [
    { mode: "instant", reasons: [] },
    { mode: "request", assets: null },
  ];
  expect((await one.quote("all")).body["options"]).toMatchObject([instant, request]);
  const { built } = await one.withdraw("all");
  expect(String(await one.held("asset"))).toBe(built.estimate.assets);
  await expectGone(one);
});

test("another account's allowance redeems nothing of the account that gave it", async () => {
  const [one, other] = [await holderOf(), await holderOf()];
  const built = await one.build("all");
  const shares = await one.held("share");
  const call = built.transaction_request;
  if (call === null) throw new Error("nothing was built");
  const args = [depositRouterAddress, shares] as const;
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await world.send(one.address, { to: one.placed.shareToken, data: approval });
  // A stranger sends the user's own calldata: it takes the sender's shares, who has none.
  await expect(
    world.send(other.address, { to: call.to as Address, data: call.data as `0x${string}` }),
  ).rejects.toThrow();
  expect(await one.held("share")).toBe(shares);
});
