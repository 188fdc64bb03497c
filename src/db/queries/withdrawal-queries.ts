import { and, asc, desc, eq, inArray, isNotNull, ne, not, or, sql as raw } from "drizzle-orm";
import { HOUR_MS } from "../../lib/durations.ts";
import { continuationOf, continuesAlike, sharesSource } from "../conditions/equal-order-conditions.ts";
import { madeTogether } from "../conditions/same-transaction-conditions.ts";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositSteps, withdrawalTransfers } from "../tables/deposit-tracking-tables.ts";
import type { TrackedRow, WithdrawalRow } from "./deposit-queries.ts";

/**
 * A withdrawal to insert, in the formats of a `WithdrawalRow`. `fromAmount` is "0" for all shares. `provider`, `bridge`
 * and `tool` are null unless the first transaction makes the transfer. `referrer` is the zero address by default.
 */
export interface NewWithdrawal
  extends Pick<
    WithdrawalRow,
    | "trackingId"
    | "ref"
    | "userAddress"
    | "vaultChainId"
    | "vaultAddress"
    | "shareToken"
    | "fromAmount"
    | "estimatedShares"
    | "mode"
    | "exitToken"
    | "estimatedAssets"
    | "minAssets"
    | "toChainId"
    | "moveToken"
    | "moveExpected"
    | "moveMin"
    | "provider"
    | "bridge"
    | "tool"
    | "routerExplorer"
    | "slippage"
    | "twoStep"
    | "sourceTo"
    | "sourceDataHash"
    | "builtBlock"
    | "partnerId"
    | "partnerType"
    | "partnerAddress"
    | "partnerVerified"
    | "createdAt"
    | "expiresAt"
  > {
  parentTrackingId?: string | null;
  referrer?: string;
  referrerHandle?: string;
}

const NO_REFERRER = "0x0000000000000000000000000000000000000000";

/**
 * Inserts a withdrawal in the state `built` and its planned steps in one transaction. Throws `store_unavailable`, and
 * the driver's error if the tracking id or the reference exists.
 */
export async function insertWithdrawal(
  db: Database,
  { row, plan }: { row: NewWithdrawal; plan: object },
): Promise<void> {
  const { createdAt, trackingId } = row;
  await db.run((sql) =>
    sql.batch([
      sql.insert(deposits).values({
        ...row,
        direction: "withdrawal",
        state: "built",
        history: [{ state: "built", at: createdAt.toISOString() }],
        fromChainId: row.vaultChainId,
        fromToken: row.shareToken,
        referrer: row.referrer ?? NO_REFERRER,
        updatedAt: createdAt,
      }),
      sql.insert(depositSteps).values({ trackingId, plan }),
    ]),
  );
}

/** Selects the withdrawal with a tracking id, or returns null if there is none. Throws `store_unavailable`. */
export async function selectWithdrawal(db: Database, trackingId: string): Promise<WithdrawalRow | null> {
  const own = and(eq(deposits.trackingId, trackingId), eq(deposits.direction, "withdrawal"));
  const rows = await db.run((sql) => sql.select().from(deposits).where(own).limit(1));
  return (rows[0] as WithdrawalRow | undefined) ?? null;
}

/** Maximum number of other requests that are compared; an account has far fewer open requests with one vault. */
const MAX_OTHER_REQUESTS = 50;

/**
 * Selects the user's other redemptions from the same vault that are open or have a claim or refund transaction, with
 * the same request id (null included) or, if `anyId`, any. Leaves out rows that share the source transaction of `row`
 * (`sharesSource`) and have no other id, and has one row for each other request: rows with the same call in another
 * transaction stand for one, unless their ids differ. At most 50: open ones first, then the newest. Throws
 * `store_unavailable`.
 */
export async function selectOtherRedemptions(
  db: Database,
  row: Pick<
    WithdrawalRow,
    | "trackingId"
    | "userAddress"
    | "vaultChainId"
    | "vaultAddress"
    | "requestId"
    | "sourceTxHash"
    | "sourceTo"
    | "sourceDataHash"
  >,
  { anyId = false }: { anyId?: boolean } = {},
): Promise<WithdrawalRow[]> {
  const { trackingId, userAddress, vaultChainId, vaultAddress, requestId } = row;
  // An equal row that shares the transaction stands for the same request, unless a batch has made another one by that
  // call; only what follows differs.
  const isOther = requestId === null ? raw`false` : ne(deposits.requestId, requestId);
  const isAnother = or(not(sharesSource(row)), isOther);
  const sameId = requestId === null ? raw`${deposits.requestId} is null` : eq(deposits.requestId, requestId);
  const isOpen = inArray(deposits.state, ["requested", "cooling", "claimable"]);
  const hasEnded = raw`case when ${isOpen} then 0 else 1 end`;
  const own = and(
    eq(deposits.direction, "withdrawal"),
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    ne(deposits.trackingId, trackingId),
    isAnother,
    anyId ? undefined : sameId,
    or(isOpen, isNotNull(deposits.claimTxHash), isNotNull(deposits.refundTxHash)),
  );
  const source = [
    raw`case when ${deposits.sourceProven} then ${deposits.sourceTxHash} else ${deposits.trackingId} end`,
    ...[deposits.sourceTo, deposits.sourceDataHash],
  ];
  // A batch may have made several requests by one call. The id of one may be known to some of its rows only.
  const knownId = raw`max(${deposits.requestId}) over (partition by ${raw.join(source, raw`, `)})`;
  const request = [...source, raw`coalesce(${deposits.requestId}, ${knownId})`];
  // Anyone can build further rows with the call of a transaction: the row with the most known facts counts.
  const known = [
    desc(hasEnded),
    asc(raw`${deposits.depositTxHash} is null`),
    asc(raw`${deposits.assets} is null`),
  ];
  const rows = await db.run((sql) => {
    const counted = sql
      .selectDistinctOn(request, { trackingId: deposits.trackingId })
      .from(deposits)
      .where(own)
      .orderBy(...request, ...known, asc(deposits.createdAt), asc(deposits.trackingId));
    return (
      sql
        .select()
        .from(deposits)
        .where(inArray(deposits.trackingId, counted))
        // Ended ones become ever more and must not crowd out those that are open.
        .orderBy(asc(hasEnded), desc(deposits.createdAt), desc(deposits.trackingId))
        .limit(MAX_OTHER_REQUESTS)
    );
  });
  return rows as TrackedRow[] as WithdrawalRow[];
}

/**
 * Selects the user's other withdrawals with the call of `row` that are proven by the transaction `hash` and continue alike:
 * each has one of its equal calls. Throws `store_unavailable`.
 */
export async function selectEqualRedemptions(
  db: Database,
  { row, hash }: { row: WithdrawalRow; hash: string },
): Promise<WithdrawalRow[]> {
  const own = and(
    sharesSource({ ...row, sourceTxHash: hash }),
    eq(deposits.direction, "withdrawal"),
    eq(deposits.userAddress, row.userAddress),
    eq(deposits.fromChainId, row.fromChainId),
    ne(deposits.trackingId, row.trackingId),
    continuesAlike(raw`${deposits}`, continuationOf(row)),
  );
  return (await db.run((sql) => sql.select().from(deposits).where(own))) as TrackedRow[] as WithdrawalRow[];
}

/** A transaction that was built for the second step of a withdrawal. */
export type BuiltTransfer = typeof withdrawalTransfers.$inferSelect;

/** Number of built second steps that are kept per withdrawal, and of those that are kept while they are young. */
const MAX_TRANSFERS = { old: 32, young: 1_000 } as const;
/** Age up to which a built second step may still be in a wallet, in milliseconds: bridges' quotes end within an hour. */
const YOUNG_MS = 2 * HOUR_MS;

/**
 * Stores a transaction that was built for the second step of a withdrawal; one with the same calldata is kept, with the
 * later build time. Of each withdrawal the 32 newest are kept, and up to 1,000 of the last two hours: anyone may have
 * further ones built while the user signs one. Throws `store_unavailable`.
 */
export async function addBuiltTransfer(db: Database, built: BuiltTransfer): Promise<void> {
  const own = eq(withdrawalTransfers.trackingId, built.trackingId);
  const young = new Date(built.builtAt.getTime() - YOUNG_MS).toISOString();
  const beyond = (count: number) => raw`${withdrawalTransfers.dataHash} not in (select data_hash
    from ${withdrawalTransfers} as newest where newest.tracking_id = ${built.trackingId}
    order by newest.built_at desc, newest.data_hash limit ${count})`;
  const isOld = raw`${withdrawalTransfers.builtAt} < ${young}::timestamptz`;
  await db.run((sql) =>
    sql.batch([
      sql
        .insert(withdrawalTransfers)
        .values(built)
        .onConflictDoUpdate({
          target: [withdrawalTransfers.trackingId, withdrawalTransfers.dataHash],
          set: { builtAt: raw`greatest(${withdrawalTransfers.builtAt}, excluded.built_at)` },
        }),
      sql
        .delete(withdrawalTransfers)
        .where(and(own, beyond(MAX_TRANSFERS.old), raw`(${isOld} or ${beyond(MAX_TRANSFERS.young)})`)),
    ]),
  );
}

/**
 * Selects the stored transactions that were built for the second step of a withdrawal, newest first. Throws
 * `store_unavailable`.
 */
export async function selectBuiltTransfers(db: Database, trackingId: string): Promise<BuiltTransfer[]> {
  return db.run((sql) =>
    sql
      .select()
      .from(withdrawalTransfers)
      .where(eq(withdrawalTransfers.trackingId, trackingId))
      .orderBy(desc(withdrawalTransfers.builtAt)),
  );
}

/**
 * Selects the user's other withdrawals on the same chain that have a transaction as their second step, each with the
 * stored transactions that were built for that. Not limited: each of them has a call of its own in the transaction.
 * Throws `store_unavailable`.
 */
export async function selectSentTogether(
  db: Database,
  { row, hash }: { row: WithdrawalRow; hash: string },
): Promise<{ row: WithdrawalRow; built: BuiltTransfer[] }[]> {
  const made = madeTogether(row, hash);
  const rows = await db.run((sql) => sql.select().from(deposits).where(made));
  if (rows.length === 0) return [];
  const ids = rows.map(({ trackingId }) => trackingId);
  const all = await db.run((sql) =>
    sql
      .select()
      .from(withdrawalTransfers)
      .where(inArray(withdrawalTransfers.trackingId, ids))
      .orderBy(desc(withdrawalTransfers.builtAt)),
  );
  return (rows as TrackedRow[] as WithdrawalRow[]).map((one) => ({
    row: one,
    built: all.filter(({ trackingId }) => trackingId === one.trackingId),
  }));
}
