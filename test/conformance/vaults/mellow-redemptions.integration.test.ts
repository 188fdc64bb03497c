import { zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mellowFeeManagerAbi, mellowOracleAbi, mellowSyncRedeemQueueAbi } from "#stand-ins/mellow";
import { positionsOf } from "../../support/conformance/vaults/deposit.ts";
import {
  deployRedeemableVault,
  type RedeemableVault,
  redeemOrRequest,
  sharesOf,
  termsOf,
} from "../../support/conformance/vaults/leaving.ts";
import { deployMellow, reportPrice } from "../../support/conformance/vaults/mellow-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { whole } from "../../support/conformance/vaults/use.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

const DAY = 86_400;
const ONE = 10n ** 18n;
const LIMIT = 10n ** 6n * ONE;
let world: World;
let of: RedeemableVault;

beforeAll(async () => {
  world = await startWorld();
  const deploy = deployMellow({ queue: "sync", caller: "user" });
  of = await deployRedeemableVault(world, { adapter: "mellow", deploy });
  const on = of.placed.parts["fees"] ?? zeroAddress;
  await set(of.placed, { abi: mellowFeeManagerAbi, name: "setRedeemFeeD6", args: [1_237], on });
  // A penalty of 2 %, for reports that are up to a day old.
  await set(of.placed, {
    ...{ abi: mellowSyncRedeemQueueAbi, name: "setSyncRedeemParams", args: [20_000n, DAY, LIMIT] },
    on: of.placed.parts["redeem"] ?? zeroAddress,
  });
});
afterAll(() => world?.close());

/** Submits a report of this age in seconds. */
async function report(age: number): Promise<void> {
  const { timestamp } = await world.client.getBlock();
  const args = [of.vault.asset.address, reportPrice(6), Number(timestamp) - age, false];
  const on = of.placed.parts["oracle"] ?? zeroAddress;
  await set(of.placed, { abi: mellowOracleAbi, name: "submit", args, on });
}

async function redeemable(): Promise<string | null | undefined> {
  const [position] = await positionsOf(of.placed, of.user);
  return position?.redeemable_assets;
}

test("a Mellow position is worth at once what its queue pays, and nothing known while a report is too old", async () => {
  await report(2 * DAY);
  expect(await redeemable()).toBe(null);
  const shares = await sharesOf(of);
  expect(await termsOf(of, { mode: "instant", shares })).toMatchObject({ refusal: "price_stale" });
  await report(0);
  const shown = await redeemable();
  const { paid, terms } = await redeemOrRequest(of, { mode: "instant", shares });
  expect(terms).toMatchObject({ maxShares: shares, availableAssets: whole(of.vault.asset, 1_000_000n) });
  expect(terms).toMatchObject({ refusal: null, previewAssets: paid });
  expect(shown).toBe(String(paid));
  const after = await termsOf(of, { mode: "instant", shares });
  expect(after.availableAssets).toBe(whole(of.vault.asset, 1_000_000n) - paid);
  expect(paid).toBeLessThan(((terms.grossAssets ?? 0n) * 98n) / 100n);
});
