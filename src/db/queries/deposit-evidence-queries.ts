import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  lt,
  ne,
  not,
  or,
  sql as raw,
  type SQL,
} from "drizzle-orm";
import type { Hex } from "viem";
import * as z from "zod";
import { DAY_MS } from "../../lib/durations.ts";
import type { Database } from "../database-client.ts";
import { continuationOf, continuesAlike, isReportedFor, sharesSource } from "../equal-order-conditions.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints } from "../tables/deposit-tracking-tables.ts";
import { type DepositRow, type EvidenceBlock, firstRow, type TrackedRow } from "./deposit-queries.ts";

/**
 * A row of the table `deposit_evidence`: the block of a transaction, as evidence of the state of a deposit or
 * withdrawal.
 */
export type EvidenceRow = typeof depositEvidence.$inferSelect;

/** Selects the evidence of deposits and withdrawals, in no particular order. Throws `store_unavailable`. */
export async function selectEvidence(db: Database, trackingIds: readonly string[]): Promise<EvidenceRow[]> {
  if (trackingIds.length === 0) return [];
  return db.run((sql) =>
    sql
      .select()
      .from(depositEvidence)
      .where(inArray(depositEvidence.trackingId, [...trackingIds])),
  );
}

/**
 * Replaces the evidence of a row with the given blocks, in two statements: stores the block of each transaction, unless
 * one is stored that does not count as lost; then deletes the evidence of all other transactions. Throws
 * `store_unavailable`.
 */
export async function replaceEvidence(
  db: Database,
  { trackingId, blocks }: { trackingId: string; blocks: readonly EvidenceBlock[] },
): Promise<void> {
  const own = eq(depositEvidence.trackingId, trackingId);
  const kept = blocks.map(({ txHash }) => txHash);
  const gone = kept.length === 0 ? own : and(own, raw`not ${inArray(depositEvidence.txHash, kept)}`);
  if (blocks.length > 0)
    await db.run((sql) =>
      sql
        .insert(depositEvidence)
        .values(blocks.map((block) => ({ trackingId, ...block })))
        .onConflictDoUpdate({
          target: [depositEvidence.trackingId, depositEvidence.chainId, depositEvidence.txHash],
          set: {
            blockNumber: raw`excluded.block_number`,
            blockHash: raw`excluded.block_hash`,
            checked: false,
            final: false,
          },
          setWhere: raw`${depositEvidence.blockHash} = ''`,
        }),
    );
  await db.run((sql) => sql.delete(depositEvidence).where(gone));
}

/** A tracked row and a transaction that may belong to it. */
interface Claimed {
  row: TrackedRow;
  hash: Hex;
}

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

const Holders = z.array(z.object({ tracking_id: z.string(), proven: z.boolean() }));

/**
 * SQL condition of the rows `d` without a proven source transaction, and of those whose source reverted. A redemption
 * that took shares and paid nothing has failed, but did not revert.
 */
const hasOpenSource = raw`(not d.source_proven or d.state = 'failed' and d.request_id is null and d.shares is null
  and not jsonb_path_exists(d.history, '$[*] ? (@.state == "requested" || @.state == "cooling" || @.state == "claimable")'))`;

/**
 * Selects the row for which a source transaction counts, of one user's rows with the same call, which anyone can build:
 * normally the one bound to it, otherwise `row` itself or another one that needs a source. Null only if `row` is no
 * longer stored. Throws `store_unavailable`.
 */
export async function selectSourceHolder(
  db: Database,
  { row, hash, blockNumber }: { row: TrackedRow; hash: Hex; blockNumber: bigint },
): Promise<SourceHolder | null> {
  const bound = raw`(d.source_proven and d.source_tx_hash = ${hash})`;
  const own = raw`d.tracking_id = ${row.trackingId}`;
  const builtBy = (block: bigint): SQL => raw`coalesce(d.built_block, 0) <= ${block.toString()}::int8`;
  // Withdrawals of all shares and of as many have the same call; what differs is only how they were asked for.
  const paysSame = raw`d.from_token = ${row.fromToken}
    and (d.direction = 'withdrawal' or d.from_amount = ${row.fromAmount}::numeric)`;
  const ofHint = raw`hint.tracking_id = d.tracking_id and hint.tx_hash = ${hash}`;
  const reported = raw`exists (select from ${depositHints} as hint where ${ofHint}
    and hint.origin <> 'logs' and hint.dropped_at is null)`;
  const firstHint = raw`min((select min(hint.noted_at) from ${depositHints} as hint where ${ofHint})) over ()`;
  const builtUnheard = raw`(${firstHint} is null or d.created_at <= ${firstHint})`;
  const validThen = raw`d.expires_at > coalesce(${firstHint}, now())`;
  const partnered = raw`(early and (not reverted or reported))`;
  const alike = raw`(${continuesAlike(raw`d`, continuationOf(row))} or not ${isReportedFor(raw`${row.trackingId}`, raw`${hash}`)})`;
  // The order: the row that is bound; rows that were built no later than the transaction; abandoned ones last; those of
  // partners that were built before the transaction was first heard of and still valid then, because others may build
  // the same call once they see it, beginning with the partner that built one first; reported rows; unproven ones;
  // `row`; the oldest. One that reverted does not come first for its partner, unless the transaction is reported for
  // it: the user may have gone elsewhere.
  const statement = raw`with equal as (
        select d.tracking_id, d.partner_address, d.created_at, ${bound} as proven, ${builtBy(blockNumber)} as before,
          d.state = 'abandoned' as abandoned, ${reported} as reported, ${own} as own, d.source_proven as reverted,
          d.partner_address is not null and ${builtUnheard} and ${validThen} as early
        from ${deposits} as d where d.source_data_hash = ${row.sourceDataHash} and d.source_to = ${row.sourceTo}
          and d.from_chain_id = ${row.fromChainId} and d.user_address = ${row.userAddress}
          and (${own} or ${alike} and (${bound} or ${hasOpenSource} and ${paysSame}
            and ${builtBy(blockNumber + BigInt(MAX_REORG_BLOCKS))})))
      select tracking_id, proven from equal order by proven desc, proven and own desc, before desc, abandoned,
        ${partnered} desc,
        case when ${partnered} then min(created_at) over (partition by partner_address, before, abandoned, early) end,
        reported desc, reverted, own desc, created_at, tracking_id limit 1`;
  const [first] = Holders.parse(await db.run(async (sql) => (await sql.execute(statement)).rows));
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

/**
 * Returns true if a transaction on the destination chain is recorded as the `destinationTxHash` of another deposit or
 * withdrawal of the same user, which was sent by another transaction. Throws `store_unavailable`.
 */
export function isDeliveryOfAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const chainId = row.direction === "withdrawal" ? row.toChainId : row.vaultChainId;
  const onChain = raw`coalesce(${deposits.toChainId}, ${deposits.vaultChainId}) = ${chainId}`;
  const own = and(eq(deposits.userAddress, row.userAddress), onChain, not(sharesTransfer(row)));
  return otherDepositExists(db, { row, where: and(eq(deposits.destinationTxHash, hash), own) });
}

/**
 * SQL condition of the rows with the transfer of `row`: they share its source transaction and, if a second step of a
 * withdrawal sends the transfer, that one too.
 */
const sharesTransfer = (row: TrackedRow): SQL =>
  raw`(${sharesSource(row)} and (${deposits.direction} = 'deposit'
    or ${deposits.depositTxHash} is not distinct from ${row.depositTxHash}::text))`;

/**
 * Returns true if a transaction on the source chain is recorded as the `refundTxHash` of another deposit or withdrawal
 * of the same user, which was sent by another transaction. Throws `store_unavailable`.
 */
export function isRefundOfAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const onChain = eq(deposits.fromChainId, row.fromChainId);
  const own = and(eq(deposits.userAddress, row.userAddress), onChain, not(sharesTransfer(row)));
  return otherDepositExists(db, { row, where: and(eq(deposits.refundTxHash, hash), own) });
}

/**
 * Returns true if the proven deposit transaction of a row is also that of another row of the user in the same direction,
 * with the same share token. False if the row has none. Throws `store_unavailable`.
 */
export async function isProofOfAnother(db: Database, row: TrackedRow): Promise<boolean> {
  if (!row.depositProven || row.depositTxHash === null) return false;
  const where = and(
    eq(deposits.depositProven, true),
    eq(deposits.depositTxHash, row.depositTxHash),
    eq(deposits.direction, row.direction),
    eq(deposits.vaultChainId, row.vaultChainId),
    eq(deposits.shareToken, row.shareToken),
    eq(deposits.userAddress, row.userAddress),
  );
  return otherDepositExists(db, { row, where });
}

async function otherDepositExists(
  db: Database,
  of: { row: TrackedRow; where: SQL | undefined },
): Promise<boolean> {
  return (await firstRow(db, and(of.where, ne(deposits.trackingId, of.row.trackingId)))) !== null;
}

/** Maximum number of other deposit requests that are compared; an account has far fewer open with one vault. */
const MAX_OTHER_REQUESTS = 50;

/**
 * Selects the user's other proven deposits into the same vault by request, at most 50: those with open requests, oldest
 * first, then those whose requests were claimed, newest first. Throws `store_unavailable`.
 */
export async function selectOtherRequests(
  db: Database,
  {
    trackingId,
    userAddress,
    vaultChainId,
    vaultAddress,
  }: Pick<DepositRow, "trackingId" | "userAddress" | "vaultChainId" | "vaultAddress">,
): Promise<DepositRow[]> {
  const open = inArray(deposits.state, ["requested", "claimable"]);
  const claimed = and(eq(deposits.state, "completed"), isNotNull(deposits.claimTxHash));
  const isClaimed = raw`${deposits.state} = 'completed'`;
  const since = raw`extract(epoch from ${deposits.createdAt})`;
  const age = raw`case when ${isClaimed} then -${since} else ${since} end`;
  const own = and(
    eq(deposits.direction, "deposit"),
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    ne(deposits.trackingId, trackingId),
    eq(deposits.depositProven, true),
    or(open, claimed),
  );
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(own)
      // Claimed ones become ever more: the oldest of them must not crowd out those that are open.
      .orderBy(asc(isClaimed), asc(age), asc(deposits.trackingId))
      .limit(MAX_OTHER_REQUESTS),
  );
  return rows as DepositRow[];
}
