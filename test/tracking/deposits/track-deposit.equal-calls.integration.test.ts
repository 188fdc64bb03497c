import { eq } from "drizzle-orm";
import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { restateFromChains } from "../../../src/tracking/deposits/deposit-evidence.ts";
import {
  BATCH,
  batchOf,
  mint,
  type Part,
  request,
  startBatches,
} from "../../support/deposits/batched-deposits.ts";

/** Deposits of one account with one call, which a batch of its wallet makes several times. */
const { deployment: causeway, store, chainOf, track, stored } = startBatches();
const first: Part = { letter: "1", amount: 60n };

describe("of two deposits with one call, which a batch makes", () => {
  const [one, other]: readonly [Part, Part] = [first, { ...first, letter: "2", call: "1" }];
  const stranger: Part = { ...first, letter: "3", call: "1" };
  const scenes: readonly ["lagoon" | "erc4626", Log[], string][] = [
    ["lagoon", request(60n), "request 0 of 60"],
    ["erc4626", mint(60n, 6n), "6 shares"],
  ];

  test.each(scenes)("twice, each has its own part at a vault of %s", async (adapter, made, own) => {
    await store(adapter, [one, other]);
    const batch = batchOf([one, other], [...made, ...made]);
    expect(await track([one, other], { batch })).toEqual([own, own]);
    const rows = await stored();
    expect(rows.map(({ sourceTxHash, sourceProven }) => [sourceTxHash, sourceProven])).toEqual([
      [BATCH, true],
      [BATCH, true],
    ]);
  });

  test.each(scenes)(
    "twice, each has its own part at a vault of %s if both are tracked at once",
    async (...scene) => {
      const [adapter, made, own] = scene;
      await store(adapter, [one, other]);
      const batch = batchOf([one, other], [...made, ...made]);
      expect(await track([one, other], { batch, together: true })).toEqual([own, own]);
    },
  );

  test.each(scenes)(
    "twice, a third one that anyone built has none at a vault of %s",
    async (adapter, made, own) => {
      await store(adapter, [one, other, stranger]);
      const batch = batchOf([one, other], [...made, ...made]);
      const shown = await track([stranger, one, other], { batch });
      expect(shown.sort()).toEqual([own, own, "built"].sort());
    },
  );

  test.each(scenes)("once, only one has a part at a vault of %s", async (adapter, made, own) => {
    await store(adapter, [one, other]);
    expect(await track([one, other], { batch: batchOf([one], made) })).toEqual([own, "built"]);
    // Whatever the calldata repeats.
    expect(await track([one, other], { batch: batchOf([one, other], made) })).toEqual([own, "built"]);
  });
});

test("each of two deposits with one call has its own mint if its state is derived again", async () => {
  const parts: readonly Part[] = [first, { ...first, letter: "2", call: "1" }];
  await store("erc4626", parts);
  const batch = batchOf(parts, [...mint(60n, 6n), ...mint(60n, 6n)]);
  await track(parts, { batch });
  const { ctx, readTransaction } = chainOf(batch);
  for (const made of await stored()) {
    const change = { shares: "1" };
    await causeway().db.update(deposits).set(change).where(eq(deposits.trackingId, made.trackingId));
    const again = await restateFromChains(ctx, { row: { ...made, ...change }, known: [], readTransaction });
    expect(again).toMatchObject({ state: "completed", shares: "6", sourceProven: true });
  }
});

test("each of two continuations with one call that name no deposit has its own mint", async () => {
  const step: Part = { ...first, second: true };
  const [one, other]: readonly [Part, Part] = [
    { ...step, letter: "5" },
    { ...step, letter: "6" },
  ];
  const children: readonly [Part, Part] = [first, { ...first, letter: "2", call: "1" }];
  await store("erc4626", [one, other, ...children]);
  const batch = batchOf(children, [...mint(60n, 6n), ...mint(60n, 6n)]);
  const shown = await track([children[0], other, one, children[1]], { batch });
  expect(shown).toEqual(["6 shares", "6 shares", "6 shares", "6 shares"]);
});
