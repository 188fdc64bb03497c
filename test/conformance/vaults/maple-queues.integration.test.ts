import { type Abi, encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mapleMultiQueueAbi } from "#stand-ins/waiting";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Deploy } from "../../support/conformance/vaults/leaving.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { deployMapleQueue, deployMapleQueues } from "../../support/conformance/vaults/waiting-stand-ins.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { confirm, Holder, type Sent } from "../../support/withdrawals/holder.ts";

/** Several requests of an account in a Maple pool's queue, an account in manual mode, and the pool delegate's removal. */
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const abi: Abi = mapleMultiQueueAbi;
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function holderAt(deploy: Deploy): Promise<Holder> {
  const family = { name: "Maple", adapter: "erc4626", type: "custom" as const, deploy };
  const one = await Holder.with(await place(world, { family, decimals: DECIMALS }), amount);
  await one.deposit(amount);
  await confirm(one.placed);
  return one;
}

/** Calls a function of the queue as its delegate. */
async function act(one: Holder, name: string, args: readonly unknown[]): Promise<void> {
  await set(one.placed, { abi, name, args: [one.address, ...args], on: one.placed.parts["requests"] });
  await confirm(one.placed);
}

/** Requests the redemption of shares. */
async function requested(one: Holder, shares: bigint | "all"): Promise<Sent> {
  const sent = await one.withdraw(shares);
  await confirm(one.placed);
  expect(await one.status(sent.hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  return sent;
}

const requestsOf = async (one: Holder) => (await one.position())?.requests ?? [];

test("two requests that one transaction pays are each paid their own amount", async () => {
  const one = await holderAt(deployMapleQueues);
  const third = (await one.held("share")) / 3n;
  const [first, second] = [await requested(one, third), await requested(one, "all")];
  expect((await requestsOf(one)).map(({ cancellable }) => cancellable)).toEqual([true, true]);
  await act(one, "settle", []);
  const paid = await Promise.all(
    [first, second].map(async ({ hash, built }) => {
      expect(await one.status(hash)).toMatchObject({ substatus: "COMPLETED" });
      return BigInt((await one.record(built.tracking_id)).assets ?? "-1");
    }),
  );
  expect(paid.reduce((sum, each) => sum + each, 0n)).toBe(await one.held("asset"));
  expect(paid[0]).toBeLessThan(paid[1] ?? 0n);
  expect(await one.position()).toBeNull();
});

test.each([
  ["1", deployMapleQueue],
  ["2", deployMapleQueues],
])("an account in manual mode claims what a queue of version %s has processed", async (_version, deploy) => {
  const one = await holderAt(deploy);
  await act(one, "setManualWithdrawal", [true]);
  const { hash, built } = await requested(one, "all");
  const planned = [built.steps, (await one.record(built.tracking_id)).steps];
  for (const steps of planned) expect(steps.at(-1)).toMatchObject({ step_id: "claim", state: "waiting" });
  await act(one, "settle", []);
  expect(await one.held("asset")).toBe(0n);
  const claim = { substatus: "WAIT_CLAIM_TRANSACTION", withdrawal: { next: { kind: "claim" } } };
  expect(await one.status(hash)).toMatchObject(claim);
  const { steps } = await one.record(built.tracking_id);
  expect(steps.find(({ step_id: id }) => id === "claim")?.state).toBe("required");
  const [request] = await requestsOf(one);
  // The queue does not number what it has processed, so the position does not name the withdrawal.
  expect(request).toMatchObject({ state: "claimable", cancellable: false });
  await one.follow("claim", request?.request_id ?? "");
  await confirm(one.placed);
  const assets = String(await one.held("asset"));
  expect(await one.status(hash)).toMatchObject({ substatus: "COMPLETED", withdrawal: { assets } });
  expect(await one.position()).toBeNull();
});

test("what an account in manual mode claims ends no request that still waits", async () => {
  const one = await holderAt(deployMapleQueues);
  await act(one, "setManualWithdrawal", [true]);
  const third = (await one.held("share")) / 3n;
  const [first, second] = [await requested(one, 2n * third), await requested(one, "all")];
  await act(one, "settlePart", [2n * third]);
  const claimed = await one.follow("claim", "1");
  await one.report(second.built.tracking_id, { hash: claimed, step: "claim" });
  await confirm(one.placed);
  const paid = await one.held("asset");
  expect(await one.status(second.hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  const assets = String(paid);
  expect(await one.status(first.hash)).toMatchObject({ substatus: "COMPLETED", withdrawal: { assets } });
  await act(one, "settle", []);
  await one.follow("claim", "2");
  await confirm(one.placed);
  const rest = String((await one.held("asset")) - paid);
  expect(await one.status(second.hash)).toMatchObject({
    ...{ substatus: "COMPLETED", withdrawal: { assets: rest } },
  });
});

test("a request that the pool delegate removes ends with its shares in the wallet", async () => {
  const one = await holderAt(deployMapleQueue);
  const shares = await one.held("share");
  const { hash } = await requested(one, "all");
  await act(one, "giveBack", []);
  expect(await one.status(hash)).toMatchObject({ status: "DONE", substatus: "CANCELLED" });
  expect(await one.held("share")).toBe(shares);
  expect(await requestsOf(one)).toEqual([]);
});

test("the older of two requests is cancelled by what the API builds, and the newer one stays", async () => {
  const one = await holderAt(deployMapleQueues);
  const half = (await one.held("share")) / 2n;
  const [first, second] = [await requested(one, half), await requested(one, "all")];
  await one.follow("cancel", "1");
  await confirm(one.placed);
  expect(await one.held("share")).toBe(half);
  expect(await one.status(first.hash)).toMatchObject({ status: "DONE", substatus: "CANCELLED" });
  expect(await one.status(second.hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
  expect(await requestsOf(one)).toMatchObject([{ request_id: "2", cancellable: true }]);
});

test("the cancellation at the queue itself ends the request that it names", async () => {
  const one = await holderAt(deployMapleQueues);
  const half = (await one.held("share")) / 2n;
  const [first, second] = [await requested(one, half), await requested(one, "all")];
  const data = encodeFunctionData({ abi, functionName: "removeSharesById", args: [1n, half] });
  const queue = one.placed.parts["requests"] ?? "0x";
  await world.send(one.address, { to: queue, data });
  await confirm(one.placed);
  expect(await one.status(first.hash)).toMatchObject({ substatus: "CANCELLED" });
  expect(await one.status(second.hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
});
