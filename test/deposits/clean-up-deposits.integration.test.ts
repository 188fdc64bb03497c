import { asc } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { selectDeposit } from "../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import {
  depositEvidence,
  depositHints,
  followedChains,
} from "../../src/db/tables/deposit-tracking-tables.ts";
import { deleteUnsent } from "../../src/deposits/clean-up-deposits.ts";
import { depositStates } from "../../src/schemas/deposit-schema.ts";
import { row } from "../support/deposits/fixtures.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-06-15T12:00:00Z");
const HASH = `0x${"11".repeat(32)}`;
const [SOURCE, VAULT] = [10, row.vaultChainId];
let causeway: TestDeployment;
let number = 0;

beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(deposits);
  await causeway.db.delete(followedChains);
  for (const chainId of [SOURCE, VAULT]) await follow(chainId);
});

/** Marks a chain as read without a gap up to now, or as told otherwise. */
async function follow(
  chainId: number,
  change: Partial<typeof followedChains.$inferInsert> = {},
): Promise<void> {
  const read = {
    ...{ chainId, startBlock: 100, finalBlock: 900, finalHash: HASH, headBlock: 950, headHash: HASH },
    ...{ headTime: new Date(NOW), roundAt: new Date(NOW), span: 1_000, covered: [{ from: 100, to: 900 }] },
    ...change,
  };
  await causeway.db
    .insert(followedChains)
    .values(read)
    .onConflictDoUpdate({ target: followedChains.chainId, set: read });
}

/** Stores a deposit across chains that was built and expired so many milliseconds ago, unless changed. */
async function build(agoMs: number, change: Partial<DepositRow> = {}): Promise<string> {
  number += 1;
  const [trackingId, ref] = [`trk_${number}`, `0x${number}`];
  const at = new Date(NOW - agoMs);
  const own = { trackingId, ref, fromChainId: SOURCE, createdAt: at, updatedAt: at, expiresAt: at };
  await causeway.db.insert(deposits).values({ ...row, ...own, ...change });
  return trackingId;
}

const context = () => ({ ...causeway.context(), now: () => NOW });
const left = async (): Promise<string[]> =>
  (await causeway.db.select().from(deposits).orderBy(asc(deposits.createdAt))).map(
    ({ trackingId }) => trackingId,
  );

test("deleteUnsent() deletes what expired 30 days ago and was never seen, and nothing else", async () => {
  const seen = depositStates.filter((state) => !["built", "expired", "abandoned"].includes(state));
  const kept = [await build(30 * DAY - 1)];
  for (const state of seen) kept.push(await build(400 * DAY, { state }));
  for (const state of ["built", "abandoned"] as const) await build(31 * DAY, { state });
  kept.push(await build(31 * DAY, { sourceTxHash: HASH }));
  kept.push(await build(31 * DAY, { updatedAt: new Date(NOW - DAY) }));
  expect(await deleteUnsent(context())).toBe(2);
  expect((await left()).sort()).toEqual(kept.sort());
  expect(await deleteUnsent(context())).toBe(0);
});

test("deleteUnsent() keeps what a report, a proof or a later deposit refers to", async () => {
  const [reported, dropped, proven, parent] = [
    await build(40 * DAY),
    await build(40 * DAY),
    await build(40 * DAY),
    await build(40 * DAY),
  ];
  const hint = { chainId: SOURCE, txHash: HASH, origin: "report", notedAt: new Date(NOW - DAY) } as const;
  await causeway.db.insert(depositHints).values([
    { ...hint, trackingId: reported },
    { ...hint, trackingId: dropped, droppedAt: new Date(NOW) },
  ]);
  const block = { chainId: SOURCE, txHash: HASH, blockNumber: 1, blockHash: HASH };
  await causeway.db.insert(depositEvidence).values({ ...block, trackingId: proven });
  const child = await build(1, { parentTrackingId: parent });
  expect(await deleteUnsent(context())).toBe(1);
  expect((await left()).sort()).toEqual([child, parent, proven, reported].sort());
});

test.each<[string, Partial<typeof followedChains.$inferInsert> | null]>([
  ["nobody has read", null],
  [
    "was read with a gap",
    {
      covered: [
        { from: 100, to: 500 },
        { from: 502, to: 900 },
      ],
    },
  ],
  ["was read to a block before the expiry", { headTime: new Date(NOW - 40 * DAY + DAY) }],
  ["never finished a round", { roundAt: null }],
])("deleteUnsent() keeps the deposits of a chain that %s", async (_what, change) => {
  for (const chainId of [SOURCE, VAULT]) {
    const trackingId = await build(40 * DAY);
    await causeway.db.delete(followedChains);
    for (const other of [SOURCE, VAULT]) if (other !== chainId) await follow(other);
    if (change !== null) await follow(chainId, change);
    expect(await deleteUnsent(context())).toBe(0);
    await follow(chainId);
    expect(await deleteUnsent(context())).toBe(1);
    expect(await selectDeposit(causeway.context().db, trackingId)).toBeNull();
  }
});

test("deleteUnsent() deletes at most 10,000 deposits in one run", async () => {
  const at = new Date(NOW - 40 * DAY);
  const rows = Array.from({ length: 10_500 }, (_, index) => ({
    ...{ ...row, trackingId: `trk_many_${index}`, ref: `0xmany${index}`, fromChainId: SOURCE },
    ...{ createdAt: at, updatedAt: at, expiresAt: at },
  }));
  for (let start = 0; start < rows.length; start += 500)
    await causeway.db.insert(deposits).values(rows.slice(start, start + 500));
  expect([await deleteUnsent(context()), await deleteUnsent(context())]).toEqual([10_000, 500]);
});
