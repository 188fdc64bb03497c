import { and, asc, desc, eq, inArray, isNotNull, lte, ne, or, sql as raw, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import type { TimePosition } from "../../lib/pagination.ts";
import type { Database } from "../client.ts";
import { deposits } from "../schema/deposits.ts";
import { olderThan } from "./pagination.ts";

export type DepositRow = typeof deposits.$inferSelect;
export type NewDeposit = typeof deposits.$inferInsert;
/** What an observation may change of a row. */
export type DepositChange = Partial<
  Pick<
    DepositRow,
    | "state"
    | "substatus"
    | "shares"
    | "receivedAmount"
    | "sourceTxHash"
    | "sourceProven"
    | "depositTxHash"
    | "depositProven"
    | "claimTxHash"
    | "destinationTxHash"
    | "refundTxHash"
    | "deliveredAmount"
    | "routerExplorer"
    | "requestId"
    | "nextCheckAt"
    | "checks"
    | "history"
  >
>;

export async function insertDeposit(db: Database, row: NewDeposit): Promise<void> {
  await db.run((sql) => sql.insert(deposits).values(row));
}

export async function selectDeposit(db: Database, trackingId: string): Promise<DepositRow | null> {
  return firstRow(db, eq(deposits.trackingId, trackingId));
}

/** More deposits than one transaction brings to an end. */
const MAX_SAME_TRANSACTION = 20;

/**
 * Deposits that could be carried by a transaction, so many at most: those that the chain has shown it to carry, then
 * those handed out with calldata of these hashes, reported ones first, then those that it is merely said to carry.
 */
export function selectDepositsByTransaction(
  db: Database,
  tx: { hash: Hex; chainId: number; dataHashes: readonly Hex[]; refs: readonly Hex[] },
): Promise<DepositRow[]> {
  const onSource = eq(deposits.fromChainId, tx.chainId);
  const source = and(eq(deposits.sourceTxHash, tx.hash), onSource);
  const deposit = eq(deposits.depositTxHash, tx.hash);
  const claim = eq(deposits.claimTxHash, tx.hash);
  const ended = or(eq(deposits.destinationTxHash, tx.hash), eq(deposits.refundTxHash, tx.hash));
  const named = tx.refs.length === 0 ? undefined : inArray(deposits.ref, [...tx.refs]);
  const { dataHashes } = tx;
  const same =
    dataHashes.length === 0 ? undefined : and(inArray(deposits.sourceDataHash, [...dataHashes]), onSource);
  const gaveShares = isNotNull(deposits.shares);
  const shown = or(
    named,
    ended,
    and(source, deposits.sourceProven),
    and(deposit, or(deposits.depositProven, gaveShares)),
    and(claim, or(gaveShares, eq(deposits.state, "completed"))),
  );
  // Anybody may say anything, as often as they like: it must not crowd out what the chain has shown.
  const rank = raw`case when ${shown} then 0 when ${same ?? raw`false`} then 1 else 2 end`;
  return db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(or(named, ended, source, deposit, claim, same))
      .orderBy(rank, desc(raw`${source} is true`), asc(deposits.createdAt), asc(deposits.trackingId))
      .limit(MAX_SAME_TRANSACTION),
  );
}

/** A transaction that one deposit may be proven by. */
interface Claimed {
  row: DepositRow;
  hash: Hex;
}

/** Whether the chain has shown that a source transaction carries another deposit. */
export function provesAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const proven = and(eq(deposits.sourceTxHash, hash), eq(deposits.sourceProven, true));
  return otherDepositExists(db, { row, where: and(proven, eq(deposits.fromChainId, row.fromChainId)) });
}

/** Whether a transaction of the vault's chain is the delivery of another deposit of the same user. */
export function deliversAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const own = and(eq(deposits.userAddress, row.userAddress), eq(deposits.vaultChainId, row.vaultChainId));
  return otherDepositExists(db, { row, where: and(eq(deposits.destinationTxHash, hash), own) });
}

/** Whether a transaction of the source chain is the refund of another deposit of the same user. */
export function refundsAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const own = and(eq(deposits.userAddress, row.userAddress), eq(deposits.fromChainId, row.fromChainId));
  return otherDepositExists(db, { row, where: and(eq(deposits.refundTxHash, hash), own) });
}

async function otherDepositExists(
  db: Database,
  of: { row: DepositRow; where: SQL | undefined },
): Promise<boolean> {
  return (await firstRow(db, and(of.where, ne(deposits.trackingId, of.row.trackingId)))) !== null;
}

/** A user's deposits, newest first; `before` is the last row of the page before. */
export function selectDepositsByUser(
  db: Database,
  page: { user: string; limit: number; before: TimePosition | null },
): Promise<DepositRow[]> {
  const own = eq(deposits.userAddress, page.user.toLowerCase());
  const older = olderThan(page.before, { at: deposits.createdAt, id: deposits.trackingId });
  return db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(and(own, older))
      .orderBy(desc(deposits.createdAt), desc(deposits.trackingId))
      .limit(page.limit),
  );
}

/**
 * Changes a deposit if it is still in the state that the change was decided from; null when another
 * writer was first.
 */
export async function updateDeposit(
  db: Database,
  update: { trackingId: string; from: DepositRow["state"]; change: DepositChange },
): Promise<DepositRow | null> {
  const rows = await db.run((sql) =>
    sql
      .update(deposits)
      .set({ ...update.change, updatedAt: raw`now()` })
      .where(and(eq(deposits.trackingId, update.trackingId), eq(deposits.state, update.from)))
      .returning(),
  );
  return rows[0] ?? null;
}

async function firstRow(db: Database, where: SQL | undefined): Promise<DepositRow | null> {
  const rows = await db.run((sql) => sql.select().from(deposits).where(where).limit(1));
  return rows[0] ?? null;
}

/**
 * Takes deposits that are due to be looked at, longest due first, and puts them off until `leaseUntil`: whoever
 * runs at the same time takes others, and what a run leaves undone is due again then.
 */
export async function claimDueDeposits(
  db: Database,
  claim: { now: Date; leaseUntil: Date; limit: number },
): Promise<DepositRow[]> {
  return db.run((sql) => {
    const due = sql
      .select({ trackingId: deposits.trackingId })
      .from(deposits)
      .where(lte(deposits.nextCheckAt, claim.now))
      .orderBy(asc(deposits.nextCheckAt))
      .limit(claim.limit)
      .for("update", { skipLocked: true });
    return sql
      .update(deposits)
      .set({ nextCheckAt: claim.leaseUntil })
      .where(inArray(deposits.trackingId, due))
      .returning();
  });
}

/** Writes down when a deposit is looked at again, unless a report or another run has meanwhile said when. */
export async function scheduleCheck(
  db: Database,
  schedule: { trackingId: string; leaseUntil: Date; nextCheckAt: Date | null; checks: number },
): Promise<void> {
  const { trackingId, leaseUntil, nextCheckAt, checks } = schedule;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt, checks })
      .where(and(eq(deposits.trackingId, trackingId), eq(deposits.nextCheckAt, leaseUntil))),
  );
}

/** Gives deposits back that a run took and did not look at. */
export async function postponeChecks(
  db: Database,
  postponed: { trackingIds: readonly string[]; leaseUntil: Date; until: Date },
): Promise<void> {
  const { trackingIds, leaseUntil, until } = postponed;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt: until })
      .where(and(inArray(deposits.trackingId, [...trackingIds]), eq(deposits.nextCheckAt, leaseUntil))),
  );
}

/** Far more requests than an account has open with one vault. */
const MAX_OTHER_REQUESTS = 50;

/**
 * Other requests of a deposit's account to its vault that the chain has shown: open ones, and those whose claim was
 * seen; the oldest first, 50 at most. Throws `store_unavailable`.
 */
export function selectOtherRequests(
  db: Database,
  { trackingId, userAddress, vaultChainId, vaultAddress }: DepositRow,
): Promise<DepositRow[]> {
  const open = inArray(deposits.state, ["requested", "claimable"]);
  const claimed = and(eq(deposits.state, "completed"), isNotNull(deposits.claimTxHash));
  const own = and(
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    ne(deposits.trackingId, trackingId),
    eq(deposits.depositProven, true),
    or(open, claimed),
  );
  return db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(own)
      .orderBy(asc(deposits.createdAt), asc(deposits.trackingId))
      .limit(MAX_OTHER_REQUESTS),
  );
}
