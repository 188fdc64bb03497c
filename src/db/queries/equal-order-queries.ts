import { and, asc, desc, eq, gt, lt, ne, or, sql as raw, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import * as z from "zod";
import { DAY_MS } from "../../lib/durations.ts";
import { continuationOf, continuesAlike, isReportedFor } from "../conditions/equal-order-conditions.ts";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints } from "../tables/deposit-tracking-tables.ts";
import type { TrackedRow } from "./deposit-queries.ts";

/**
 * Number of blocks by which a transaction may be below the head block at which its deposit or withdrawal was built,
 * because a reorg may have moved it.
 */
export const MAX_REORG_BLOCKS = 32;

/** The row that a source transaction counts for, and whether it is already bound to it. */
interface SourceHolder {
  trackingId: string;
  proven: boolean;
}

/** A transaction of a row's user with the row's call, the number of its block, and how often it makes the call. */
interface SentCall {
  row: TrackedRow;
  hash: Hex;
  blockNumber: bigint;
  /** Absent: once. */
  calls?: number | undefined;
}

const Holders = z.array(z.object({ tracking_id: z.string(), proven: z.boolean() }));

/**
 * SQL condition of the rows `d` without a proven source transaction, and of those whose source reverted. A redemption
 * that took shares and paid nothing has failed, but did not revert.
 */
const hasOpenSource = raw`(not d.source_proven or d.state = 'failed' and d.request_id is null and d.shares is null
  and not jsonb_path_exists(d.history, '$[*] ? (@.state == "requested" || @.state == "cooling" || @.state == "claimable")'))`;

/** SQL condition of the user's rows `d` with the call of `row`. */
const calls = (row: TrackedRow): SQL => raw`(d.source_data_hash = ${row.sourceDataHash}
  and d.source_to = ${row.sourceTo} and d.from_chain_id = ${row.fromChainId} and d.user_address = ${row.userAddress})`;

/**
 * SQL condition of the rows `d` with the payment of `row`. Withdrawals of all shares and of as many have the same call;
 * what differs is only how they were asked for.
 */
const paysLike = (row: TrackedRow): SQL => raw`(d.from_token = ${row.fromToken}
  and (d.direction = 'withdrawal' or d.from_amount = ${row.fromAmount}::numeric))`;

/**
 * Selects the row for which a source transaction counts, of one user's rows with the same call, which anyone can build:
 * normally the one bound to it, otherwise `row` itself or another one that needs a source. If the transaction makes the
 * call several times (`calls`), it counts for as many: for `row` if it is bound, otherwise for the first that is not.
 * Null only if `row` is no longer stored. Throws `store_unavailable`.
 */
export async function selectSourceHolder(
  db: Database,
  { row, hash, blockNumber, calls: most = 1 }: SentCall,
): Promise<SourceHolder | null> {
  const bound = raw`(d.source_proven and d.source_tx_hash = ${hash})`;
  const own = raw`d.tracking_id = ${row.trackingId}`;
  const builtBy = (block: bigint): SQL => raw`coalesce(d.built_block, 0) <= ${block.toString()}::int8`;
  const ofHint = raw`hint.tracking_id = d.tracking_id and hint.tx_hash = ${hash}`;
  const reported = raw`exists (select from ${depositHints} as hint where ${ofHint}
    and hint.origin <> 'logs' and hint.dropped_at is null)`;
  // Anyone can abandon a row before its transaction is known: a report says that it was sent all the same.
  const abandoned = raw`(d.state = 'abandoned' and not ${isReportedFor(raw`d.tracking_id`, raw`${hash}`)})`;
  const firstHint = raw`min((select min(hint.noted_at) from ${depositHints} as hint where ${ofHint})) over ()`;
  const builtUnheard = raw`(${firstHint} is null or d.created_at <= ${firstHint})`;
  const validThen = raw`d.expires_at > coalesce(${firstHint}, now())`;
  const partnered = raw`(early and (not reverted or reported))`;
  const alike = continuesAlike(raw`d`, continuationOf(row));
  const free = raw`not ${isReportedFor(raw`${row.trackingId}`, raw`${hash}`)}`;
  const latest = (where: SQL): SQL => raw`coalesce(max(built) filter (where ${where} and before and unheard
    and not abandoned) over (), '')`;
  // Others can build the same call so that it goes on otherwise, as the user may have done before. Unless the transaction
  // is reported for this row, it is that of the rows which go on as the one that was built last of all.
  const yields = raw`(others_latest > alike_latest)`;
  // The order: rows that go on otherwise, if this one yields to them, the last one first; the row that is bound; rows that
  // were built no later than the transaction; those that were built before it was first heard of, because others may
  // build the same call once they see it; abandoned ones last; of the former, those of partners that were still valid
  // then, beginning with the partner that built one first; reported rows; unproven ones; `row`; the oldest. One that
  // reverted does not come first for its partner, unless the transaction is reported for it: the user may have gone
  // elsewhere.
  const statement = raw`with equal as (
        select d.tracking_id, d.partner_address, d.created_at, ${bound} as proven, ${builtBy(blockNumber)} as before,
          ${abandoned} as abandoned, ${reported} as reported, ${own} as own, d.source_proven as reverted,
          ${builtUnheard} as unheard, d.partner_address is not null and ${builtUnheard} and ${validThen} as early,
          ${own} or ${alike} as alike,
          to_char(d.created_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || d.tracking_id as built
        from ${deposits} as d where ${calls(row)}
          and (${own} or (${alike} or ${free}) and (${bound} or ${hasOpenSource} and ${paysLike(row)}
            and ${builtBy(blockNumber + BigInt(MAX_REORG_BLOCKS))}))),
      compared as (select *, ${latest(raw`alike`)} as alike_latest, ${latest(raw`not alike`)} as others_latest from equal)
      select tracking_id, proven from compared where alike or ${yields}
      order by case when ${yields} and not alike and before and unheard and not abandoned then built end desc nulls last,
        proven desc, proven and own desc, before desc, unheard desc, abandoned, ${partnered} desc,
        case when ${partnered} then min(created_at) over (partition by partner_address, before, abandoned, early) end,
        reported desc, reverted, own desc, created_at, tracking_id limit ${most}::int4`;
  const found = Holders.parse(await db.run(async (sql) => (await sql.execute(statement)).rows));
  const ownProven = found.find((one) => one.proven && one.tracking_id === row.trackingId);
  // One after another: not all of the calls that the calldata shows need have been made.
  const first = ownProven ?? found.find(({ proven }) => !proven) ?? found[0];
  return first === undefined ? null : { trackingId: first.tracking_id, proven: first.proven };
}

/**
 * Stores a hint with the origin `logs` for a deposit or withdrawal, or restores the stored hint if it was dropped, and
 * makes the deposit or withdrawal due for tracking. Throws `store_unavailable`.
 */
export async function passHint(
  db: Database,
  hint: { trackingId: string; chainId: number; txHash: Hex; now: Date },
): Promise<void> {
  const { trackingId, chainId, txHash, now } = hint;
  await db.run((sql) =>
    sql.batch([
      sql
        .insert(depositHints)
        .values({ trackingId, chainId, txHash, origin: "logs", notedAt: now })
        .onConflictDoUpdate({
          target: [depositHints.trackingId, depositHints.chainId, depositHints.txHash],
          set: { droppedAt: null },
        }),
      sql.update(deposits).set({ nextCheckAt: now, checks: 0 }).where(eq(deposits.trackingId, trackingId)),
    ]),
  );
}

/** A transaction of a row's user with the row's call, and the number of its block. */
interface EarlierSource {
  row: TrackedRow;
  hash: Hex;
  blockNumber: bigint;
  now: Date;
}

const Freed = z.array(z.object({ later: z.string() }));

/**
 * Gives a row that needs a source the later transaction of an equal row that was built before it, and gives that one
 * `hash`, which precedes the build of `row` and is bound to no row. Both become due; the earlier row is derived again as
 * after a reorg. Returns the later transaction, or null if there is no such row. Throws `store_unavailable`.
 */
export async function exchangeSource(db: Database, of: EarlierSource): Promise<Hex | null> {
  const { row, hash, blockNumber, now } = of;
  const at = raw`${now.toISOString()}::timestamptz`;
  const block = raw`${blockNumber.toString()}::int8`;
  const builtBlock = raw`${row.builtBlock ?? 0}::int8`;
  const own = raw`d.tracking_id = ${row.trackingId}`;
  const alike = raw`(${continuesAlike(raw`d`, continuationOf(row))}
    or not ${isReportedFor(raw`d.tracking_id`, raw`d.source_tx_hash`)})`;
  const statement = raw`with earlier as (
      select d.tracking_id, d.source_tx_hash as later from ${deposits} as d
      join ${depositEvidence} as e on e.tracking_id = d.tracking_id and e.chain_id = d.from_chain_id
        and e.tx_hash = d.source_tx_hash and e.block_hash <> ''
      where ${calls(row)} and ${paysLike(row)} and d.direction = ${row.direction} and not ${own} and d.source_proven and d.state <> 'failed' and ${alike}
        and coalesce(d.built_block, 0) <= ${block} and e.block_number > ${block} and e.block_number >= ${builtBlock}
        and exists (select from ${deposits} as d where ${own} and ${hasOpenSource})
      order by d.created_at, d.tracking_id limit 1),
    freed as (update ${deposits} as d
      set source_tx_hash = ${hash}, source_proven = false, deposit_proven = false, next_check_at = ${at}, checks = 0
      from earlier where d.tracking_id = earlier.tracking_id and d.source_proven and d.source_tx_hash = earlier.later
      returning d.tracking_id, earlier.later),
    lost as (update ${depositEvidence} as e set block_hash = '', checked = false
      from freed where e.tracking_id = freed.tracking_id and e.tx_hash = freed.later),
    noted as (insert into ${depositHints} (tracking_id, chain_id, tx_hash, origin, noted_at)
      select ${row.trackingId}::text, ${row.fromChainId}::int4, freed.later, 'logs', ${at} from freed
      on conflict (tracking_id, chain_id, tx_hash) do update set dropped_at = null),
    due as (update ${deposits} as d set next_check_at = ${at}, checks = 0
      where ${own} and exists (select from freed))
    select later from freed`;
  const [first] = Freed.parse(await db.run(async (sql) => (await sql.execute(statement)).rows));
  return (first?.later ?? null) as Hex | null;
}

/** A row with the same call as another one, and whether its source transaction was reported for that one. */
interface EqualOrder {
  row: TrackedRow;
  reported: boolean;
}

/**
 * Selects another row of the user with the call and payment of `row`, whose proven source transaction is above the
 * block at which `row` was built (if known). Unless the transaction is reported for `row`, the other row was built
 * before `row` expired or within a day after. Null if there is none. Throws `store_unavailable`.
 */
export async function selectEqualOrder(db: Database, row: TrackedRow): Promise<EqualOrder | null> {
  const reported = isReportedFor(raw`${row.trackingId}`, raw`${deposits.sourceTxHash}`);
  const near = lt(deposits.createdAt, new Date(row.expiresAt.getTime() + DAY_MS));
  const rows = await db.run((sql) =>
    sql
      .select({ row: deposits, reported })
      .from(deposits)
      .innerJoin(
        depositEvidence,
        and(
          eq(depositEvidence.trackingId, deposits.trackingId),
          eq(depositEvidence.chainId, deposits.fromChainId),
          eq(depositEvidence.txHash, deposits.sourceTxHash),
        ),
      )
      .where(
        and(
          ...sameCall(row),
          ne(deposits.trackingId, row.trackingId),
          eq(deposits.sourceProven, true),
          ne(depositEvidence.blockHash, ""),
          gt(depositEvidence.blockNumber, row.builtBlock ?? 0),
          or(reported, near),
        ),
      )
      .orderBy(
        desc(reported),
        asc(raw`${deposits.state} = 'failed'`),
        asc(depositEvidence.blockNumber),
        asc(deposits.trackingId),
      )
      .limit(1),
  );
  const [first] = rows;
  return first === undefined ? null : { row: first.row as TrackedRow, reported: first.reported };
}

/** Returns the conditions of the rows of the same user with the same call and payment as `row`. */
const sameCall = (row: TrackedRow): SQL[] => [
  eq(deposits.sourceDataHash, row.sourceDataHash),
  eq(deposits.sourceTo, row.sourceTo),
  eq(deposits.fromChainId, row.fromChainId),
  eq(deposits.userAddress, row.userAddress),
  eq(deposits.direction, row.direction),
  eq(deposits.fromToken, row.fromToken),
  // Withdrawals of all shares and of as many have the same call.
  ...(row.direction === "withdrawal" ? [] : [eq(deposits.fromAmount, row.fromAmount)]),
];
