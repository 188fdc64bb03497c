import { afterAll, beforeAll, expect, test } from "vitest";
import { centrifugeAsyncVaultAbi, lagoonVaultAbi, lagoonVaultV6Abi } from "#stand-ins/erc7540";
import { legacyTokenizedVaultAbi } from "#stand-ins/upshift";
import { advanceToNow } from "../../../scripts/stack/chains/anvil.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { selectWithdrawal } from "../../../src/db/queries/withdrawal-queries.ts";
import { followDeposits } from "../../../src/tracking/follow/follow-deposits.ts";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { Holder } from "../../support/withdrawals/holder.ts";
import { requestingVaults } from "../../support/withdrawals/requesting-vaults.ts";

/** What becomes of several requests of one account, and of requests that the vault treats in a way of its own. */
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await advanceToNow(world.url);
});
afterAll(() => world?.close());

/** Makes an account that holds shares of a vault of this kind. */
async function holderOf(name: string): Promise<Holder> {
  const family = requestingVaults.find((one) => one.name === name);
  if (family === undefined) throw new Error(`no ${name}`);
  const one = await Holder.with(await place(world, { family, decimals: DECIMALS }), amount);
  await one.deposit(amount);
  await confirm();
  return one;
}

/** Confirms what was sent and lets the jobs see it. */
async function confirm(): Promise<void> {
  await rpc(world.url, "anvil_mine", "0x4", "0x1");
  for (let round = 0; round < 2; round += 1) await followDeposits(world.fresh().context());
}

/** The stored record, which no request of a user has brought up to date. */
async function stored(trackingId: string) {
  const row = await selectWithdrawal(world.fresh().context().db, trackingId);
  if (row === null) throw new Error(`no ${trackingId}`);
  const { state, assets, shares, deliveredAmount, claimTxHash } = row;
  return { state, assets, shares, deliveredAmount, claimTxHash };
}

/** Requests the withdrawal of shares. */
async function request(one: Holder, shares: bigint | "all") {
  const { built, hash } = await one.withdraw(shares, { mode: "request" });
  await confirm();
  return { id: built.tracking_id, hash };
}

test.each(["Lagoon v0.5", "Lagoon v0.6"])(
  "%s: the next request claims the settled one, which ends",
  async (name) => {
    const one = await holderOf(name);
    const shares = await one.held("share");
    const first = await request(one, shares / 2n);
    await set(one.placed, { abi: lagoonVaultAbi, name: "settle", args: [one.address] });
    await confirm();
    const second = await request(one, "all");
    const paid = String(await one.held("asset"));
    expect(await stored(first.id)).toMatchObject({
      ...{ state: "completed", assets: paid, deliveredAmount: paid, claimTxHash: second.hash },
    });
    expect(await stored(second.id)).toMatchObject({ state: "requested", assets: null, claimTxHash: null });
    await set(one.placed, { abi: lagoonVaultAbi, name: "settle", args: [one.address] });
    await confirm();
    const claim = await one.follow("claim", "0");
    await confirm();
    const rest = String((await one.held("asset")) - BigInt(paid));
    expect(await stored(second.id)).toMatchObject({
      ...{ state: "completed", assets: rest, deliveredAmount: rest, claimTxHash: claim },
    });
  },
);

test("Centrifuge: a claim of a part of two requests ends neither", async () => {
  const one = await holderOf("Centrifuge");
  const shares = (await one.held("share")) / 4n;
  const first = await request(one, 2n * shares);
  const second = await request(one, shares);
  const abi = centrifugeAsyncVaultAbi;
  await set(one.placed, { abi, name: "settlePart", args: [one.address, shares + shares / 2n] });
  await one.follow("claim", "0");
  await confirm();
  for (const { id } of [first, second]) expect(await stored(id)).toMatchObject({ state: "requested" });
  await set(one.placed, { abi, name: "settle", args: [one.address] });
  await one.follow("claim", "0");
  await confirm();
  for (const { id } of [first, second]) expect(await stored(id)).toMatchObject({ state: "completed" });
});

test("Centrifuge: what a former member cannot claim is shown as pending, not as gone", async () => {
  const one = await holderOf("Centrifuge");
  const { id } = await request(one, "all");
  const abi = centrifugeAsyncVaultAbi;
  await set(one.placed, { abi, name: "settle", args: [one.address] });
  const [claimable] = (await one.position())?.requests ?? [];
  await set(one.placed, { abi, name: "setMembersOnly", args: [true] });
  await confirm();
  expect(await stored(id)).toMatchObject({ state: "requested" });
  const shown = await one.position();
  expect(shown).toMatchObject({ current_assets: claimable?.assets });
  expect(shown?.requests).toMatchObject([{ state: "pending", assets: claimable?.assets, request_id: "0" }]);
  expect((await one.askAbout("claim", "0")).body).toMatchObject({ code: "not_allowed" });
  await set(one.placed, { abi, name: "setMembersOnly", args: [false] });
  const claim = await one.follow("claim", "0");
  await confirm();
  expect(await stored(id)).toMatchObject({
    state: "completed",
    claimTxHash: claim,
    assets: claimable?.assets,
  });
});

test("Upshift legacy: a request without a lag is paid at once", async () => {
  const one = await holderOf("Upshift legacy");
  await set(one.placed, { abi: legacyTokenizedVaultAbi, name: "setLagDuration", args: [0n] });
  const { id } = await request(one, "all");
  const paid = String(await one.held("asset"));
  expect(BigInt(paid)).toBeGreaterThan(0n);
  expect(await stored(id)).toMatchObject({ state: "completed", assets: paid, deliveredAmount: paid });
});

test("Lagoon v0.6: a closed vault redeems less its exit fee, once a settled request is claimed", async () => {
  const one = await holderOf("Lagoon v0.6");
  const shares = await one.held("share");
  await request(one, shares / 2n);
  await set(one.placed, { abi: lagoonVaultV6Abi, name: "setExitRate", args: [200] });
  await set(one.placed, { abi: lagoonVaultAbi, name: "settle", args: [one.address] });
  await set(one.placed, { abi: lagoonVaultAbi, name: "close" });
  await confirm();
  const { body } = await one.ask("all", { mode: "instant" });
  expect(body).toMatchObject({ code: "request_pending" });
  await one.follow("claim", "0");
  await confirm();
  const before = await one.held("asset");
  const { built } = await one.withdraw("all", { mode: "instant" });
  await confirm();
  const paid = String((await one.held("asset")) - before);
  expect(BigInt(paid)).toBeLessThan(before + before / 1_000n);
  expect(await stored(built.tracking_id)).toMatchObject({ state: "completed", deliveredAmount: paid });
});
