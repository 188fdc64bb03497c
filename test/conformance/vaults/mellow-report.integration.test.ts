import { zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mellowOracleAbi } from "#stand-ins/mellow";
import { build, execute, positionsOf, sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployMellow, reportPrice } from "../../support/conformance/vaults/mellow-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { balanceOf } from "../../support/e2e/balances.ts";

const PRICE = reportPrice(6);
let world: World;
let placed: Placed;

beforeAll(async () => {
  world = await startWorld();
  const deploy = deployMellow({ queue: "sync", caller: "user" });
  const family = { name: "Mellow by its reports", adapter: "mellow", type: "lido", deploy } as const;
  placed = await place(world, { family, decimals: 6 });
});
afterAll(() => world?.close());

async function report(price: bigint, suspicious: boolean): Promise<void> {
  const { timestamp } = await world.client.getBlock();
  const args = [placed.asset.address, price, timestamp, suspicious];
  await set(placed, {
    abi: mellowOracleAbi,
    name: "submit",
    args,
    on: placed.parts["oracle"] ?? zeroAddress,
  });
}

test("a Mellow position has the value of the last report, and null after a suspicious report", async () => {
  const amount = sampleAmount(6);
  const user = await world.user(placed.asset, amount);
  const built = await build({ placed, user: user.address, amount });
  await execute(placed, { user, built });
  const shares = await balanceOf(world, { token: placed.shareToken, owner: user.address });
  const shown = async () => {
    const [position] = await positionsOf(placed, user.address);
    expect(position?.share_balance).toBe(String(shares));
    return position?.current_assets;
  };
  const worth = (price: bigint) => String((shares * 10n ** 18n) / price);
  expect(await shown()).toBe(worth(PRICE));
  await report(PRICE / 10n, true);
  expect(await shown()).toBe(null);
  await report(0n, false);
  expect(await shown()).toBe(null);
  await report(PRICE / 2n, false);
  expect(await shown()).toBe(worth(PRICE / 2n));
});
