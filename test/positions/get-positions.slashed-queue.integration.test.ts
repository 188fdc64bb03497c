import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lrtQueueAbi } from "#stand-ins/mellow-lrt";
import { sampleAmount } from "../support/conformance/vaults/deposit.ts";
import { deployLrt, settleQueue } from "../support/conformance/vaults/lrt-stand-in.ts";
import { set } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";
import { extendDeadlines } from "../support/patient-deadlines.ts";
import { confirm, Holder } from "../support/withdrawals/holder.ts";

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

const AMOUNT = sampleAmount(6);
const SLASHED = 1_000n;

test("a slashing of queued assets is a loss, also once the rest is claimed", async () => {
  const deploy = deployLrt("multi", [0n, 200_000n]);
  const family = { name: "A vault", adapter: "mellow_lrt", type: "lido", deploy } as const;
  const one = await Holder.with(await place(world, { family, decimals: 6 }), AMOUNT);
  const { placed, address } = one;
  await one.deposit(AMOUNT);
  await confirm(placed);
  await one.withdraw((await one.held("share")) / 2n, { mode: "request" });
  await confirm(placed);
  const earned = async () => BigInt((await one.position())?.yield_assets ?? "x");
  const before = await earned();
  const on = placed.parts["queue1"] as Address;
  await set(placed, { abi: lrtQueueAbi, name: "slash", args: [address, SLASHED], on });
  await confirm(placed);
  expect(await earned()).toBe(before - SLASHED);
  await settleQueue(placed, { index: 1, user: address });
  await one.follow("claim", "0");
  await confirm(placed);
  expect(await earned()).toBe(before - SLASHED);
  const { deposited_assets: deposited } = (await one.position()) ?? {};
  expect(deposited).toBe(String(AMOUNT - (await one.held("asset"))));
});
