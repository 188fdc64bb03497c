import { afterAll, beforeAll, expect, test } from "vitest";
import { fluidTokenAbi, fluidTokenCreationCode } from "#stand-ins/lending";
import { detailOf } from "../support/conformance/vaults/deposit.ts";
import { deployStandard } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { mint } from "../support/conformance/vaults/use.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

test("the price of a share of six decimals in an asset of six has more than six digits", async () => {
  const deploy = deployStandard({ abi: fluidTokenAbi, code: fluidTokenCreationCode });
  const placed = await place(world, {
    family: { name: "Fluid", adapter: "fluid", type: "custom", deploy },
    decimals: 6,
  });
  const before = await detailOf(placed);
  await world.script((script) => mint(script, { token: placed.asset, to: placed.vault, amount: 39_381n }));
  const after = await detailOf(placed);
  // 0.039381 of the asset on 100,000 shares: 0.00000039381 a share.
  expect(BigInt(after.share_price ?? 0) - BigInt(before.share_price ?? 0)).toBe(393_810_000_000n);
  expect(after).toMatchObject({ share_decimals: 6, share_price: "1073100393810000000" });
});
