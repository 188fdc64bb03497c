import { type Address, encodeFunctionData, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mellowFeeManagerAbi, mellowRedeemQueueAbi } from "#stand-ins/mellow";
import { VaultActions } from "../../../src/schemas/position-schema.ts";
import { sampleAmount, vaultIdOf } from "../../support/conformance/vaults/deposit.ts";
import { derivedRow, storedRow } from "../../support/conformance/vaults/derived.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import {
  deployMellowPayingOther,
  OTHER_DECIMALS,
  otherPrice,
} from "../../support/conformance/vaults/mellow-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { confirm, Holder } from "../../support/withdrawals/holder.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
/** Units by which a value may differ that is rounded at each price. */
const ROUNDING = 3n;

let world: World;
let placed: Placed;
beforeAll(async () => {
  world = await startWorld();
  const family = {
    name: "Mellow",
    adapter: "mellow",
    type: "lido",
    deploy: deployMellowPayingOther,
  } as const;
  placed = await place(world, { family, decimals: DECIMALS });
});
afterAll(() => world?.close());

const part = (name: string): Address => placed.parts[name] ?? zeroAddress;
const inOther = (shares: bigint): bigint => (shares * 10n ** 18n) / otherPrice(DECIMALS);
const settle = (queue: string, user: Address) =>
  set(placed, { abi: mellowRedeemQueueAbi, name: "settle", args: [user], on: part(queue) });

async function holder(): Promise<Holder> {
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  // The first run of the indexer finds the block in which the vault begins, and the second its flows.
  await confirm(placed);
  return one;
}

async function claimOf({ address }: Holder) {
  const answer = await world.fresh().send(`/v1/actions/${address}/${vaultIdOf(placed)}`);
  return VaultActions.parse(await answer.json()).claim;
}

test("derivation from the chain gives the registry row, with the queues of the other token", async () => {
  expect(await derivedRow(placed)).toEqual(await storedRow(placed));
});

test("a request is made, counted by its value in the asset, and completed with what was claimed", async () => {
  const one = await holder();
  const shares = await one.held("share");
  const before = BigInt((await one.position())?.current_assets ?? "-1");
  const { hash, built } = await one.withdraw(shares, { to_token: part("other"), mode: "request" });
  expect(built).toMatchObject({ two_step: false, estimate: { assets: String(inOther(shares)) } });
  await confirm(placed);
  await one.status(hash);
  const waiting = await one.position();
  const [request] = waiting?.requests ?? [];
  expect(request).toMatchObject({
    ...{ kind: "redeem", state: "pending", assets: String(inOther(shares)), tracking_id: built.tracking_id },
    token: { address: part("other"), decimals: OTHER_DECIMALS },
  });
  near(BigInt(waiting?.current_assets ?? "-1"), before);
  near(BigInt(waiting?.deposited_assets ?? "-1"), amount);
  await settle("first", one.address);
  await confirm(placed);
  await one.follow("claim", request?.request_id ?? "");
  await confirm(placed);
  const received = await balanceOf(world, { token: part("other"), owner: one.address });
  expect(received).toBe(inOther(shares));
  expect(await one.status(hash)).toMatchObject({
    ...{ status: "DONE", substatus: "COMPLETED" },
    withdrawal: { state: "completed", assets: String(received) },
  });
  expect(await one.position()).toBe(null);
});

test("a request that was made elsewhere at the second queue is shown and claimed", async () => {
  const one = await holder();
  const shares = await one.held("share");
  const before = BigInt((await one.position())?.current_assets ?? "-1");
  expect(await claimOf(one)).toMatchObject({ allowed: false, code: "nothing_to_withdraw" });
  const data = encodeFunctionData({ abi: mellowRedeemQueueAbi, functionName: "redeem", args: [shares] });
  await world.send(one.address, { to: part("second"), data });
  await confirm(placed);
  const waiting = await one.position();
  const [request] = waiting?.requests ?? [];
  expect(request).toMatchObject({ state: "pending", assets: String(inOther(shares)), tracking_id: null });
  near(BigInt(waiting?.current_assets ?? "-1"), before);
  expect(await claimOf(one)).toMatchObject({ allowed: false, code: "request_pending" });
  await settle("second", one.address);
  await confirm(placed);
  expect(await claimOf(one)).toMatchObject({ allowed: true, max: String(inOther(shares)) });
  await one.follow("claim", request?.request_id ?? "");
  await confirm(placed);
  expect(await balanceOf(world, { token: part("other"), owner: one.address })).toBe(inOther(shares));
  expect(await one.position()).toBe(null);
  // The claim is a withdrawal of what the reports say that it was worth.
  near((await world.netFlow(placed.vault)) ?? -1n, 0n);
});

test("the fee of a request is deducted from its estimate", async () => {
  const one = await holder();
  const shares = await one.held("share");
  const on = part("fees");
  await set(placed, { abi: mellowFeeManagerAbi, name: "setRedeemFeeD6", args: [10_000], on });
  const { hash, built } = await one.withdraw(shares, { to_token: part("other"), mode: "request" });
  await set(placed, { abi: mellowFeeManagerAbi, name: "setRedeemFeeD6", args: [0], on });
  await confirm(placed);
  expect(await one.status(hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  const [request] = (await one.position())?.requests ?? [];
  const net = shares - shares / 100n;
  expect(request).toMatchObject({ shares: String(net), assets: String(inOther(net)) });
  expect(built.estimate.assets).toBe(String(inOther(net)));
});

function near(seen: bigint, wanted: bigint): void {
  expect(seen - wanted).toBeLessThanOrEqual(ROUNDING);
  expect(wanted - seen).toBeLessThanOrEqual(ROUNDING);
}
