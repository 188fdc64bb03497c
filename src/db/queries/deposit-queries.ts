import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  ne,
  notInArray,
  or,
  sql as raw,
  type SQL,
} from "drizzle-orm";
import type { Hex } from "viem";
import type { TimePosition } from "../../lib/pagination.ts";
import type { VaultKey } from "../../lib/vault-id.ts";
import type { Database } from "../database-client.ts";
import { deposits } from "../schema/deposit-tables.ts";
import { depositHints } from "../schema/deposit-tracking-tables.ts";
import { olderThan } from "./page-conditions.ts";

/** A row of the table `deposits`: a tracked deposit. */
export type DepositRow = typeof deposits.$inferSelect;
/** A row to insert into the table `deposits`. */
export type NewDeposit = typeof deposits.$inferInsert;
/** The columns of a tracked deposit that tracking may change. */
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

/** Inserts a tracked deposit. Throws `store_unavailable`. */
export async function insertDeposit(db: Database, row: NewDeposit): Promise<void> {
  await db.run((sql) => sql.insert(deposits).values(row));
}

/** Selects the deposit with a tracking id, or returns null if there is none. Throws `store_unavailable`. */
export async function selectDeposit(db: Database, trackingId: string): Promise<DepositRow | null> {
  return firstRow(db, eq(deposits.trackingId, trackingId));
}

/** Maximum number of deposits that a search by transaction hash returns. */
const MAX_SAME_TRANSACTION = 20;

/**
 * Selects the deposits that a transaction may belong to: first those shown by on-chain data, then those built with
 * calldata of these hashes (those reported with this transaction first), then those only reported with it. Throws
 * `store_unavailable`.
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
  const hinted = inArray(
    deposits.trackingId,
    raw`(select tracking_id from ${depositHints} where tx_hash = ${tx.hash} and dropped_at is null)`,
  );
  const gaveShares = isNotNull(deposits.shares);
  const shown = or(
    named,
    ended,
    and(source, deposits.sourceProven),
    and(deposit, or(deposits.depositProven, gaveShares)),
    and(claim, or(gaveShares, eq(deposits.state, "completed"))),
  );
  // Reports are unauthenticated: however many there are, they must not crowd out deposits shown by on-chain data.
  const rank = raw`case when ${shown} then 0 when ${same ?? raw`false`} then 1 else 2 end`;
  return db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(or(named, ended, source, deposit, claim, same, hinted))
      .orderBy(
        rank,
        desc(raw`(${or(source, hinted)}) is true`),
        asc(deposits.createdAt),
        asc(deposits.trackingId),
      )
      .limit(MAX_SAME_TRANSACTION),
  );
}

/** A tracked deposit and a transaction that may belong to it. */
interface Claimed {
  row: DepositRow;
  hash: Hex;
}

/**
 * Returns true if a transaction is proven to be the source of another deposit with the same calldata, or if it was reported for
 * another deposit of the same user with the same calldata and not for this one: such twins differ in nothing else.
 * Throws `store_unavailable`.
 */
export function provesAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const proven = and(
    eq(deposits.sourceTxHash, hash),
    eq(deposits.sourceProven, true),
    eq(deposits.sourceDataHash, row.sourceDataHash),
  );
  const reported = (trackingId: SQL | string) => raw`exists (select from ${depositHints} as hint
    where hint.tracking_id = ${trackingId} and hint.tx_hash = ${hash} and hint.origin = 'report')`;
  const twin = and(
    eq(deposits.userAddress, row.userAddress),
    eq(deposits.sourceDataHash, row.sourceDataHash),
    eq(deposits.sourceProven, false),
    reported(raw`${deposits.trackingId}`),
    raw`not ${reported(row.trackingId)}`,
  );
  const where = and(or(proven, twin), eq(deposits.fromChainId, row.fromChainId));
  return otherDepositExists(db, { row, where });
}

/**
 * Returns true if a transaction on the vault's chain is recorded as the delivery of another deposit of the same user.
 * Throws `store_unavailable`.
 */
export function deliversAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const own = and(eq(deposits.userAddress, row.userAddress), eq(deposits.vaultChainId, row.vaultChainId));
  return otherDepositExists(db, { row, where: and(eq(deposits.destinationTxHash, hash), own) });
}

/**
 * Returns true if a transaction on the source chain is recorded as the refund of another deposit of the same user.
 * Throws `store_unavailable`.
 */
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

/** States of a deposit of which no transaction has been seen on a chain. */
const unseenStates: DepositRow["state"][] = ["built", "expired", "abandoned"];

/** Which of a user's deposits a list shows. */
export interface DepositFilter {
  /**
   * States to show at the time `now`, or null for the deposits of which a transaction has been seen on a chain. A built
   * deposit is `expired` once its quote has expired.
   */
  states: readonly DepositRow["state"][] | null;
  now: Date;
  vault: VaultKey | null;
  /** Earliest time of the build, or null for no limit. */
  from: Date | null;
  /** Time before which the deposit was built, or null for no limit. */
  to: Date | null;
}

/**
 * Selects one page of a user's deposits, newest first; `before` is the position of the last row of the previous page.
 * Throws `store_unavailable`.
 */
export function selectDepositsByUser(
  db: Database,
  page: { user: string; limit: number; before: TimePosition | null; filter: DepositFilter },
): Promise<DepositRow[]> {
  const own = eq(deposits.userAddress, page.user.toLowerCase());
  const older = olderThan(page.before, { at: deposits.createdAt, id: deposits.trackingId });
  return db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(and(own, older, ...filterConditions(page.filter)))
      .orderBy(desc(deposits.createdAt), desc(deposits.trackingId))
      .limit(page.limit),
  );
}

function filterConditions({ states, now, vault, from, to }: DepositFilter): (SQL | undefined)[] {
  const since = from === null ? undefined : gte(deposits.createdAt, from);
  const until = to === null ? undefined : lt(deposits.createdAt, to);
  const shown = states === null ? notInArray(deposits.state, unseenStates) : inStates(states, now);
  if (vault === null) return [shown, since, until];
  const address = eq(deposits.vaultAddress, vault.address.toLowerCase());
  return [shown, since, until, eq(deposits.vaultChainId, vault.chainId), address];
}

function inStates(states: readonly DepositRow["state"][], now: Date): SQL | undefined {
  const stored = states.filter((state) => state !== "built");
  const built = eq(deposits.state, "built");
  return or(
    stored.length === 0 ? undefined : inArray(deposits.state, stored),
    states.includes("built") ? and(built, gt(deposits.expiresAt, now)) : undefined,
    states.includes("expired") ? and(built, lte(deposits.expiresAt, now)) : undefined,
  );
}

/**
 * Updates a deposit if it is still in the state `from`, on which the change is based. Returns null if it is not, because
 * another writer has changed the state, or if the change would bind a source transaction that is proven for another
 * deposit with the same calldata: concurrent writers bind a transaction once. Throws `store_unavailable`.
 */
export async function updateDeposit(
  db: Database,
  update: { trackingId: string; from: DepositRow["state"]; change: DepositChange },
): Promise<DepositRow | null> {
  const { trackingId, from, change } = update;
  const own = and(eq(deposits.trackingId, trackingId), eq(deposits.state, from));
  const values = { ...change, updatedAt: raw`now()` };
  const hash = change.sourceProven === true ? (change.sourceTxHash ?? null) : null;
  if (hash === null) {
    const rows = await db.run((sql) => sql.update(deposits).set(values).where(own).returning());
    return rows[0] ?? null;
  }
  const free = raw`not exists (select from ${deposits} as other where other.source_tx_hash = ${hash}
    and other.source_proven and other.tracking_id <> ${trackingId}
    and other.from_chain_id = ${deposits.fromChainId} and other.source_data_hash = ${deposits.sourceDataHash})`;
  const [, rows] = await db.run((sql) =>
    sql.batch([
      // Held until the batch is committed, so that the next writer sees what this one has bound.
      sql.execute(raw`select pg_advisory_xact_lock(hashtextextended(${hash}, 0))`),
      sql.update(deposits).set(values).where(and(own, free)).returning(),
    ]),
  );
  return rows[0] ?? null;
}

async function firstRow(db: Database, where: SQL | undefined): Promise<DepositRow | null> {
  const rows = await db.run((sql) => sql.select().from(deposits).where(where).limit(1));
  return rows[0] ?? null;
}

/** Maximum number of other deposit requests that are compared; an account has far fewer open with one vault. */
const MAX_OTHER_REQUESTS = 50;

/**
 * Selects the other proven async requests of the same account to the same vault, open or claimed, oldest first and at
 * most 50. Throws `store_unavailable`.
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
