import { encodeDeployData, maxUint256, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { midasDepositVaultAbi, midasFeedAbi, midasFeedCreationCode } from "#stand-ins/midas";
import { build, execute, positionsOf, sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployMidas } from "../../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { balanceOf } from "../../support/e2e/balances.ts";

let world: World;
let placed: Placed;

beforeAll(async () => {
  world = await startWorld();
  const deploy = deployMidas({
    deposit: "instant",
    recipient: "argument",
    caller: "router",
    stable: false,
  });
  placed = await place(world, {
    family: { name: "Midas by its feeds", adapter: "midas", type: "midas", deploy },
    decimals: 6,
  });
});
afterAll(() => world?.close());

const list = (feed: string, stable: boolean) =>
  set(placed, {
    abi: midasDepositVaultAbi,
    name: "addPaymentToken",
    args: [placed.asset.address, feed, 0n, maxUint256, stable],
    on: placed.parts["deposits"] ?? zeroAddress,
  });

test("a Midas position has a null value after its feed was replaced", async () => {
  const amount = sampleAmount(6);
  const user = await world.user(placed.asset, amount);
  await execute(placed, { user, built: await build({ placed, user: user.address, amount }) });
  const shares = await balanceOf(world, { token: placed.shareToken, owner: user.address });
  const shown = async () => {
    const [position] = await positionsOf(placed, user.address);
    expect(position?.share_balance).toBe(String(shares));
    return position?.current_assets;
  };
  const worth = await shown();
  expect(BigInt(worth ?? 0)).toBeGreaterThan(0n);

  const args = [2n * 10n ** 18n, 86_400n] as const;
  const data = encodeDeployData({ abi: midasFeedAbi, bytecode: midasFeedCreationCode, args });
  const other = await world.script((script) => script.deploy("feed", data));
  await list(other, false);
  expect(await shown()).toBe(null);
  const own = placed.parts["tokenFeed"] ?? zeroAddress;
  await list(own, true);
  expect(await shown()).toBe(null);
  await list(own, false);
  expect(await shown()).toBe(worth);
});
