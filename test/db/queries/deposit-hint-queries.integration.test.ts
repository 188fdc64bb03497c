import { lt } from "drizzle-orm";
import { numberToHex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { addFindings, dropHints, selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { row } from "../../support/deposits/fixtures.ts";

const TOKEN = `0x${"77".repeat(20)}`;
const HASH = `0x${"5e".repeat(32)}`;
let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(deposits);
});
const nothing = { references: [], sources: [], unread: [], payments: [], moves: [], touched: [] };

test("addFindings() keeps the second step of a partial deposit if a round found only payments", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values({
    ...{ ...row, state: "partial", shares: null, sourceProven: true, twoStep: true },
    ...{ moveToken: TOKEN, deliveredAmount: "100", moveMin: "90" },
  });
  const payment = { user: row.userAddress, token: TOKEN, to: row.vaultAddress, amount: "100", txHash: HASH };
  const round = { ...nothing, chainId: row.vaultChainId, now: row.createdAt };
  await addFindings(db, { ...round, payments: [{ ...payment, amount: "99" }] });
  expect(await selectHints(db, [row.trackingId])).toEqual([]);
  await addFindings(db, { ...round, payments: [payment] });
  expect(await selectHints(db, [row.trackingId])).toMatchObject([{ txHash: HASH, origin: "logs" }]);
});

const hashOf = (number: number) => numberToHex(number, { size: 32 });
/** Rounds in each of which somebody sends the user tokens. */
async function dust({ from, count }: { from: number; count: number }): Promise<void> {
  const { db } = causeway.context();
  const round = { ...nothing, chainId: row.vaultChainId, now: row.createdAt };
  for (let number = from; number < from + count; number += 1)
    await addFindings(db, { ...round, moves: [{ user: row.userAddress, txHash: hashOf(number) }] });
}
const hinted = async () => {
  const hints = await selectHints(causeway.context().db, [row.trackingId]);
  return hints.map(({ txHash }) => Number(txHash)).sort((one, other) => one - other);
};

test("addFindings() keeps the Router's event of a deposit, however often others have sent its user tokens", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values({ ...row, state: "bridging", sourceProven: true });
  await dust({ from: 1, count: 40 });
  expect(await hinted()).toHaveLength(32);
  const { ref, userAddress: receiver, shareToken } = row;
  const reference = { ref, receiver, shareToken, txHash: HASH };
  const round = { ...nothing, chainId: row.vaultChainId, now: row.createdAt };
  await addFindings(db, { ...round, references: [reference] });
  expect(await hinted()).toContain(Number(HASH));
});

test("addFindings() keeps the payment of a request, however many transfers of its user have been read before", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values({ ...row, direction: "withdrawal", state: "requested" });
  await dust({ from: 1, count: 32 });
  const read = { trackingId: row.trackingId, carrying: [], now: row.createdAt };
  await dropHints(db, { ...read, txHashes: Array.from({ length: 32 }, (_, index) => hashOf(index + 1)) });
  await dust({ from: 1, count: 34 });
  expect(await hinted()).toEqual([33, 34]);
});

test("addFindings() restores a dropped hint that shows its deposit, when its transaction is seen again", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(deposits).values(row);
  const { ref, userAddress: receiver, shareToken, trackingId, createdAt: now } = row;
  const references = [{ ref, receiver, shareToken, txHash: HASH }];
  const round = { ...nothing, chainId: row.vaultChainId, now, references };
  await addFindings(db, round);
  await dropHints(db, { trackingId, txHashes: [HASH], carrying: [], now });
  expect(await hinted()).toEqual([]);
  await addFindings(db, round);
  expect(await hinted()).toEqual([Number(HASH)]);
});

test.each(["requested", "claimable"] as const)(
  "addFindings() keeps what a vault announces of a deposit that is %s, and no transfers of its user",
  async (state) => {
    const { db } = causeway.context();
    await causeway.db.insert(deposits).values({ ...row, state, sourceProven: true });
    await dust({ from: 1, count: 40 });
    expect(await hinted()).toEqual([]);
    const round = { ...nothing, chainId: row.vaultChainId, now: row.createdAt };
    const move = { user: row.userAddress, txHash: HASH };
    await addFindings(db, { ...round, moves: [{ ...move, contract: TOKEN }] });
    expect(await hinted()).toEqual([]);
    await addFindings(db, { ...round, moves: [{ ...move, contract: row.vaultAddress }] });
    expect(await hinted()).toEqual([Number(HASH)]);
  },
);

const LATER = new Date(row.createdAt.getTime() + 3_600_000);

test("addFindings() wakes a limited number of old requests of a vault, those checked longest ago first", async () => {
  const { db } = causeway.context();
  const old = (number: number, vaultAddress: string) => {
    const id = number.toString(16).padStart(4, "0");
    return {
      ...{ ...row, trackingId: `trk_${id.repeat(8)}`, ref: `0x${id.repeat(16)}` },
      ...{ vaultAddress, sourceTo: vaultAddress },
      direction: "withdrawal",
      state: "requested",
      // Every other one could not be read, and is tried again later.
      nextCheckAt: number % 2 === 0 ? null : LATER,
      createdAt: new Date(row.createdAt.getTime() - 31 * 86_400_000),
      // The first two were never checked.
      checkedAt: number < 2 ? null : new Date(row.createdAt.getTime() - number * 1_000),
    } as const;
  };
  const few: string = `0x${"f1".repeat(20)}`;
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  await causeway.db.insert(deposits).values([...numbers.map((number) => old(number, TOKEN)), old(99, few)]);
  const round = { ...nothing, chainId: row.vaultChainId, touched: [TOKEN, few] };
  const woken = async (now: Date) => {
    await addFindings(db, { ...round, now });
    const isDue = lt(deposits.nextCheckAt, LATER);
    const due = await causeway.db.select().from(deposits).where(isDue);
    // As after their checks.
    await causeway.db.update(deposits).set({ nextCheckAt: null, checkedAt: now }).where(isDue);
    return due.map(({ ref }) => Number.parseInt(ref.slice(2, 6), 16)).sort((one, other) => one - other);
  };
  const inMinutes = (minutes: number) => new Date(row.createdAt.getTime() + minutes * 60_000);
  expect(await woken(inMinutes(0))).toEqual([0, 1, 14, 15, 16, 17, 18, 19, 99]);
  expect(await woken(inMinutes(2))).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 99]);
  // The rest, then those that were checked first.
  expect((await woken(inMinutes(4))).slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5]);
});

test.each([
  ["requested", 6 * 60, 0],
  ["requested", 0, 0],
  ["requested", 1, 1],
  // It has waited for more than 30 days.
  ["requested", null, 1],
  ["cooling", null, 1],
  ["claimable", null, null],
  ["completed", null, null],
] as const)(
  "addFindings() makes a withdrawal that is %s, and due in %s min, due in %s min by its vault",
  async (state, before, after) => {
    const { db } = causeway.context();
    const now = row.createdAt;
    const inMinutes = (minutes: number | null) =>
      minutes === null ? null : new Date(now.getTime() + minutes * 60_000);
    const open = { direction: "withdrawal", state, nextCheckAt: inMinutes(before), checks: 9 } as const;
    await causeway.db.insert(deposits).values({ ...row, ...open });
    await addFindings(db, { ...nothing, chainId: row.vaultChainId, now, touched: [row.vaultAddress] });
    const [stored] = await causeway.db.select().from(deposits);
    expect(stored?.nextCheckAt).toEqual(inMinutes(after));
  },
);
