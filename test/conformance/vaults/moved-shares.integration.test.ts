import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { confirm, Holder } from "../../support/withdrawals/holder.ts";
import { requestingVaults } from "../../support/withdrawals/requesting-vaults.ts";

const ELSEWHERE = "0x00000000000000000000000000000000000C01D0";
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);

/** Families whose requests are other flows than a redemption of ERC-4626. */
const own = requestingVaults.filter(({ adapter }) =>
  ["midas", "mellow", "upshift", "upshift_legacy", "veda"].includes(adapter),
);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

describe.each(own)("$name", (kind) => {
  let placed: Placed;
  beforeAll(async () => {
    placed = await place(world, { family: kind, decimals: DECIMALS });
  });

  test("knows the yield beside a request, and none once shares were sent away", async () => {
    const one = await Holder.with(placed, amount);
    await one.deposit(amount);
    await kind.invest?.(placed);
    await confirm(placed);
    // The first run of the indexer finds the block in which the vault begins, and the second its flows.
    await confirm(placed);
    const shares = await one.held("share");
    const { hash } = await one.withdraw(shares / 100n, { mode: "request" });
    await confirm(placed);
    await one.status(hash);
    const waiting = await one.position();
    expect(waiting?.requests).toHaveLength(1);
    expect(waiting?.yield_assets).not.toBeNull();
    const requestIds = waiting?.requests.map(({ request_id: id }) => id) ?? [];
    if (kind.cancels !== null) {
      await one.follow("cancel", requestIds[0] ?? "");
    } else {
      await kind.settle(placed, { user: one.address, requestIds });
      if (kind.pushes !== true) await one.follow("claim", requestIds[0] ?? "");
    }
    await confirm(placed);
    const kept = await one.position();
    expect(kept?.requests).toEqual([]);
    expect(kept?.yield_assets).not.toBeNull();
    await one.transfer(ELSEWHERE, (shares * 6n) / 10n);
    await confirm(placed);
    expect(await one.position()).toMatchObject({
      ...{ deposited_assets: kept?.deposited_assets, yield_assets: null },
    });
  });
});
