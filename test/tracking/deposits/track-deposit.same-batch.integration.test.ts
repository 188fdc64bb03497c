import { eq } from "drizzle-orm";
import type { Log } from "viem";
import { describe, expect, test } from "vitest";
import { selectOtherRequests } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { isProvenBy } from "../../../src/status/status-transaction-match.ts";
import { restateFromChains } from "../../../src/tracking/deposits/deposit-evidence.ts";
import { provingTransactions } from "../../../src/tracking/deposits/track-deposit-evidence.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import {
  BATCH,
  batchOf,
  hashOf,
  idOf,
  mint,
  type Part,
  pay,
  request,
  rowOf,
  startBatches,
} from "../../support/deposits/batched-deposits.ts";
import { OTHER, USDC, USER } from "../../support/deposits/fixtures.ts";
import { depositRequestLog, transferLog } from "../../support/deposits/logs.ts";

/** Deposits of one account into one vault that one batch of its wallet makes: one transaction proves all of them. */
const { deployment: causeway, store, chainOf, track, stored } = startBatches();
const { chainId } = testChain;

const [first, second]: readonly [Part, Part] = [
  { letter: "1", amount: 60n },
  { letter: "2", amount: 40n },
];
const steps: readonly [Part, Part] = [
  { ...first, second: true },
  { ...second, second: true },
];
const kinds: readonly [string, readonly [Part, Part]][] = [
  ["deposits", [first, second]],
  ["second steps", steps],
];

describe.each(kinds)("of two requests in one batch, both %s", (_kind, [one, other]) => {
  const batch = batchOf([one, other], [...request(60n), ...request(40n)]);

  test("each deposit has its own, whichever is tracked first", async () => {
    await store("lagoon", [one, other]);
    expect(await track([other, one], { batch })).toEqual(["request 0 of 40", "request 0 of 60"]);
    // A reorg may replace the batch for each, the status of the batch answers for each, and a claim settles both.
    for (const made of await stored()) {
      expect(provingTransactions(made)).toContainEqual({ chainId, txHash: BATCH });
      expect(isProvenBy(made, BATCH)).toBe(true);
      expect(await selectOtherRequests(causeway().context().db, made)).toHaveLength(1);
    }
  });

  test("each deposit has its own if both are tracked at once", async () => {
    await store("lagoon", [one, other]);
    expect(await track([one, other], { batch, together: true })).toEqual([
      "request 0 of 60",
      "request 0 of 40",
    ]);
  });

  test("none is another account's", async () => {
    await store("lagoon", [one, other]);
    const strangers = depositRequestLog({ controller: OTHER, requestId: 0n, assets: 40n });
    const events = [...request(60n), pay(40n), strangers];
    const [own, none] = await track([one, other], { batch: batchOf([one, other], events) });
    expect([own, none]).toEqual(["request 0 of 60", rowOf(other).state]);
  });
});

const equal: readonly [string, readonly [Part, Part], string][] = [
  ["deposits", [first, { ...second, amount: 60n }], "built"],
  ["second steps", [steps[0], { ...steps[1], amount: 60n }], "awaiting_deposit"],
];

describe.each(equal)("of two %s of one amount", (_kind, [one, other], waiting) => {
  test("each has one of as many requests", async () => {
    await store("lagoon", [one, other]);
    const batch = batchOf([one, other], [...request(60n), ...request(60n)]);
    expect(await track([one, other], { batch })).toEqual(["request 0 of 60", "request 0 of 60"]);
  });

  test("each has a request with an id of its own", async () => {
    await store("lagoon", [one, other]);
    const batch = batchOf([one, other], [...request(60n, 7n), ...request(60n, 8n)]);
    expect(await track([one, other], { batch })).toEqual(["request 7 of 60", "request 8 of 60"]);
  });

  test("only one has the only request, whatever calldata the batch repeats", async () => {
    await store("lagoon", [one, other]);
    const batch = batchOf([one, other], request(60n));
    expect(await track([one, other], { batch })).toEqual(["request 0 of 60", waiting]);
    expect(await track([one, other], { batch: batchOf([one, other], [...request(60n), pay(60n)]) })).toEqual([
      "request 0 of 60",
      waiting,
    ]);
  });

  test("each has one of as many equal mints, and none has one of different ones", async () => {
    await store("erc4626", [one, other]);
    const unclear = batchOf([one, other], [...mint(60n, 6n), ...mint(60n, 5n)]);
    expect(await track([one, other], { batch: unclear })).toEqual([waiting, waiting]);
    const batch = batchOf([one, other], [...mint(60n, 6n), ...mint(60n, 6n)]);
    expect(await track([one, other], { batch })).toEqual(["6 shares", "6 shares"]);
  });

  test("only one has the only mint, whatever calldata the batch repeats", async () => {
    await store("erc4626", [one, other]);
    const batch = batchOf([one, other], mint(60n, 6n));
    expect(await track([one, other], { batch })).toEqual(["6 shares", waiting]);
  });
});

describe.each(kinds)("of two mints in one batch, both %s", (_kind, [one, other]) => {
  const orders: [string, Log[]][] = [
    ["after its payment", [...mint(60n, 6n), ...mint(40n, 5n)]],
    ["before its payment", [...mint(60n, 6n).reverse(), ...mint(40n, 5n).reverse()]],
  ];
  test.each(orders)("each deposit has the one %s", async (_place, events) => {
    await store("erc4626", [one, other]);
    const batch = batchOf([one, other], events);
    expect(await track([other, one], { batch })).toEqual(["5 shares", "6 shares"]);
    for (const made of await stored()) expect(isProvenBy(made, BATCH)).toBe(true);
  });

  test("each deposit has its own if both are tracked at once", async () => {
    await store("erc4626", [one, other]);
    const batch = batchOf([one, other], [...mint(60n, 6n), ...mint(40n, 5n)]);
    expect(await track([one, other], { batch, together: true })).toEqual(["6 shares", "5 shares"]);
  });

  test.each<[string, Log[]]>([
    ["payments and mints do not take turns", [pay(60n), ...mint(40n, 6n), transferLog({ value: 5n })]],
    ["shares came from an account", [...mint(60n, 6n), pay(40n), transferLog({ from: OTHER, value: 5n })]],
    ["shares left again", [...mint(60n, 6n), ...mint(40n, 5n), transferLog({ from: USER, to: OTHER })]],
  ])("none is a deposit's if %s", async (_what, events) => {
    await store("erc4626", [one, other]);
    const waiting = rowOf(one).state;
    const batch = batchOf([one, other], events);
    expect(await track([one, other], { batch })).toEqual([waiting, waiting]);
  });
});

describe.each(kinds)("of three in one batch that made two, all %s,", (_kind, [one, other]) => {
  const third: Part = { ...other, letter: "3" };

  test.each<["lagoon" | "erc4626", Log[], string[]]>([
    ["lagoon", [...request(60n), ...request(40n)], ["request 0 of 60", "request 0 of 40"]],
    ["erc4626", [...mint(60n, 6n), ...mint(40n, 5n)], ["6 shares", "5 shares"]],
  ])("one is not proven, whoever comes at once, at a vault of %s", async (adapter, events, made) => {
    await store(adapter, [one, other, third]);
    const batch = batchOf([one, other, third], events);
    await track([one], { batch });
    const later = await track([other, third], { batch, together: true });
    expect(later.sort()).toEqual([made[1], rowOf(third).state].sort());
    expect(await track([one], { batch })).toEqual([made[0]]);
  });
});

test("a deposit that awaits its second step has no request that another payment made", async () => {
  const [one, other] = steps;
  await store("lagoon", [one, other]);
  const elsewhere = transferLog({ token: USDC, from: USER, to: OTHER, value: 60n });
  const batch = batchOf([other], [elsewhere, ...request(40n)]);
  expect(await track([one, other], { batch })).toEqual(["awaiting_deposit", "request 0 of 40"]);
});

test("a deposit that awaits its second step has no mint that another payment made", async () => {
  const [one, other] = steps;
  await store("erc4626", [one, other]);
  const elsewhere = transferLog({ token: USDC, from: USER, to: OTHER, value: 40n });
  const given = transferLog({ value: 1n });
  const batch = batchOf([one], [given, ...mint(60n, 6n), elsewhere]);
  expect(await track([one, other], { batch })).toEqual(["awaiting_deposit", "awaiting_deposit"]);
});

test("a deposit has the mint of a transaction that an equal one gave up for its own", async () => {
  await store("erc4626", [first, { ...first, letter: "2", call: "1" }]);
  const gaveUp = {
    state: "completed",
    shares: "6",
    sourceTxHash: hashOf("e"),
    depositTxHash: BATCH,
  } as const;
  await causeway()
    .db.update(deposits)
    .set(gaveUp)
    .where(eq(deposits.trackingId, idOf(first)));
  const batch = batchOf([first], mint(60n, 6n));
  expect(await track([{ ...first, letter: "2", call: "1" }], { batch })).toEqual(["6 shares"]);
});

test("each of two deposits has its own mint if its state is derived again", async () => {
  await store("erc4626", [first, second]);
  const batch = batchOf([first, second], [...mint(60n, 6n), ...mint(40n, 5n)]);
  await track([first, second], { batch });
  const { ctx, readTransaction } = chainOf(batch);
  for (const made of await stored()) {
    const { trackingId, shares, depositProven } = made;
    await causeway().db.update(deposits).set({ shares: "1" }).where(eq(deposits.trackingId, trackingId));
    const wrong = { ...made, shares: "1" };
    const again = await restateFromChains(ctx, { row: wrong, known: [], readTransaction });
    expect(again).toMatchObject({ state: "completed", shares, depositProven, depositTxHash: BATCH });
  }
});

test("each of two deposits takes over its own continuation of a batch", async () => {
  const [one, other] = steps;
  const children: readonly Part[] = [
    { ...first, letter: "3", parent: one },
    { ...second, letter: "4", parent: other },
  ];
  const all = [other, one, ...children];
  await store("erc4626", all);
  const batch = batchOf(children, [...mint(60n, 6n), ...mint(40n, 5n)]);
  expect(await track(all, { batch })).toEqual(["5 shares", "6 shares", "6 shares", "5 shares"]);
  const parents = (await stored()).filter(({ provider }) => provider !== null);
  expect(parents.map(({ depositProven, depositTxHash }) => [depositProven, depositTxHash])).toEqual([
    [false, BATCH],
    [false, BATCH],
  ]);
});

test("each of two deposits adopts a continuation that names no deposit", async () => {
  const [one, other] = steps;
  const children: readonly Part[] = [
    { ...first, letter: "3" },
    { ...second, letter: "4" },
  ];
  await store("erc4626", [one, other, ...children]);
  const batch = batchOf(children, [...mint(60n, 6n), ...mint(40n, 5n)]);
  expect(await track([...children, other, one], { batch })).toEqual([
    "6 shares",
    "5 shares",
    "5 shares",
    "6 shares",
  ]);
  const named = (await stored()).filter(({ provider }) => provider === null);
  expect(named.map(({ parentTrackingId }) => parentTrackingId).sort()).toEqual([idOf(one), idOf(other)]);
});
