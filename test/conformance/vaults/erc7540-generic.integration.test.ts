import { afterAll, beforeAll, expect, test } from "vitest";
import { requestingVaultAbi } from "#stand-ins/waiting";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployRequesting } from "../../support/conformance/vaults/waiting-stand-ins.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { confirm, Holder } from "../../support/withdrawals/holder.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function holder(setup: { cancels?: boolean; numbered?: boolean }): Promise<Holder> {
  const family = {
    ...{ name: "ERC-7540", adapter: "erc4626", type: "custom" as const },
    deploy: deployRequesting(setup),
  };
  const placed = await place(world, { family, decimals: DECIMALS });
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  return one;
}

const settle = (placed: Placed, name: string, args: readonly unknown[]) =>
  set(placed, { abi: requestingVaultAbi, name, args });

/** Withdraws and lets the service see the transaction. */
async function request(one: Holder, shares: bigint) {
  const { built, hash } = await one.withdraw(shares);
  await confirm(one.placed);
  expect(await one.status(hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  return { built, hash };
}

test("numbered requests are shown by their numbers, claimed by them, and each ends as completed", async () => {
  const one = await holder({ numbered: true });
  const half = (await one.held("share")) / 2n;
  const whole = (await one.position())?.current_assets;
  const first = await request(one, half);
  const second = await request(one, (await one.held("share")) - 7n);
  const waiting = await one.position();
  expect(waiting?.requests.map(({ request_id: id }) => id).sort()).toEqual(["1", "2"]);
  expect(BigInt(whole ?? 0) - BigInt(waiting?.current_assets ?? 0)).toBeLessThanOrEqual(3n);
  expect(waiting?.yield_assets).not.toBeNull();
  await settle(one.placed, "settlePart", [one.address, half]);
  await confirm(one.placed);
  const ready = (await one.position())?.requests.filter(({ state }) => state === "claimable");
  expect(ready?.map(({ request_id: id }) => id)).toEqual(["1"]);
  expect((await one.askAbout("claim", "2")).body).toMatchObject({ code: "request_pending" });
  await one.follow("claim", "1");
  await confirm(one.placed);
  expect(await one.status(first.hash)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  expect(await one.status(second.hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  await settle(one.placed, "settle", [one.address]);
  await one.follow("claim", "2");
  await confirm(one.placed);
  expect(await one.status(second.hash)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  expect(await one.position()).toMatchObject({ requests: [], share_balance: "7" });
});

test("a numbered request that was made elsewhere is in the position, and claimed by its number", async () => {
  const one = await holder({ numbered: true });
  const shares = (await one.held("share")) / 2n;
  await one.sendForeign(shares);
  await confirm(one.placed);
  const open = { request_id: "1", shares: String(shares), state: "pending", tracking_id: null };
  const asked = await one.position();
  expect(asked).toMatchObject({ requests: [open], deposited_assets: String(amount) });
  expect(Math.abs(Number(asked?.yield_assets ?? Number.NaN))).toBeLessThanOrEqual(3);
  await settle(one.placed, "settle", [one.address]);
  await one.follow("claim", "1");
  await confirm(one.placed);
  expect(await one.position()).toMatchObject({ requests: [] });
  expect(await one.held("asset")).toBeGreaterThan(0n);
});

test("a cancellation of ERC-7887 is answered by the vault, and its shares are claimed back", async () => {
  const one = await holder({ cancels: true });
  const shares = await one.held("share");
  const { hash } = await request(one, shares);
  const [open] = (await one.position())?.requests ?? [];
  expect(open).toMatchObject({ request_id: "0", cancellable: true });
  await one.follow("cancel", "0");
  await confirm(one.placed);
  expect((await one.position())?.requests).toMatchObject([{ cancellable: false, state: "pending" }]);
  await settle(one.placed, "answerCancellation", [one.address]);
  await confirm(one.placed);
  const [returned] = (await one.position())?.requests ?? [];
  expect(returned).toMatchObject({ state: "claimable", shares: String(shares) });
  await one.follow("claim", returned?.request_id ?? "");
  await confirm(one.placed);
  expect(await one.held("share")).toBe(shares);
  expect(await one.status(hash)).toMatchObject({ status: "DONE", substatus: "CANCELLED" });
});

test("no cancellation is offered where ERC-165 does not name it", async () => {
  const one = await holder({});
  await request(one, await one.held("share"));
  expect((await one.position())?.requests).toMatchObject([{ cancellable: false }]);
  expect((await one.askAbout("cancel", "0")).body).toMatchObject({ code: "withdrawal_state" });
});
