import { and, asc, eq, inArray, isNotNull, ne, not, or, sql as raw, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import { sharesSource } from "../conditions/equal-order-conditions.ts";
import { madeTogether, ownsDeposit } from "../conditions/same-transaction-conditions.ts";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints, depositSteps } from "../tables/deposit-tracking-tables.ts";
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
 * SQL condition of the rows with the transfer of `row`: they share its source transaction. Each second step of a
 * withdrawal is a call with a payment of its own.
 */
const sharesTransfer = (row: TrackedRow): SQL =>
  raw`(${sharesSource(row)} and (${deposits.direction} = 'deposit'
    or coalesce(${deposits.depositTxHash}, ${row.depositTxHash}::text) is null))`;

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
 * Stores transactions that were found for a deposit or withdrawal as hints from logs, or restores their hints if they
 * were dropped. Others stay dropped. Throws `store_unavailable`.
 */
export async function keepHints(
  db: Database,
  kept: { trackingId: string; found: readonly { chainId: number; txHash: string }[]; now: Date },
): Promise<void> {
  const { trackingId, now: notedAt } = kept;
  const rows = kept.found.map((one) => ({ ...one, trackingId, origin: "logs" as const, notedAt }));
  await db.run((sql) =>
    sql
      .insert(depositHints)
      .values(rows)
      .onConflictDoUpdate({
        target: [depositHints.trackingId, depositHints.chainId, depositHints.txHash],
        set: { droppedAt: null, notedAt },
      }),
  );
}

/** Maximum number of other deposits that one payment may refund, beside those that are recorded for it. */
const MAX_TOGETHER = 8;

/**
 * What a row sent into its bridge: a deposit what its user paid, a withdrawal what its vault paid, at least. The amount of
 * a second step is that of its own build.
 */
const SENT = {
  token: raw`case when ${deposits.direction} = 'deposit' then ${deposits.fromToken} else ${deposits.exitToken} end`,
  amount: raw<string | null>`(case when ${deposits.direction} = 'deposit' then ${deposits.fromAmount}
    when ${deposits.depositTxHash} is null then ${deposits.minAssets} end)::text`,
};

/**
 * Selects the user's other deposits and withdrawals that sent some tokens from the same chain in other transactions, and
 * that a payment may refund too: at most eight in transit, the oldest first, and those with `hash` as their refund
 * (`refunded`). Amounts are what was sent, in the token's smallest unit; null for the second step of a withdrawal. Throws
 * `store_unavailable`.
 */
export async function selectRefundedTogether(
  db: Database,
  { row, hash, tokens }: Claimed & { tokens: readonly string[] },
): Promise<{ row: TrackedRow; amount: bigint | null; refunded: boolean }[]> {
  const own = and(
    eq(deposits.userAddress, row.userAddress),
    eq(deposits.fromChainId, row.fromChainId),
    inArray(
      SENT.token,
      tokens.map((token) => token.toLowerCase()),
    ),
    or(isNotNull(SENT.amount), isNotNull(deposits.depositTxHash)),
    ne(deposits.trackingId, row.trackingId),
    not(sharesTransfer(row)),
  );
  const refunded = raw<boolean>`${deposits.refundTxHash} is not distinct from ${hash}::text`;
  const found = await db.run((sql) =>
    sql
      .select({ row: deposits, amount: SENT.amount, refunded })
      .from(deposits)
      .where(and(own, or(eq(deposits.refundTxHash, hash), eq(deposits.state, "bridging"))))
      .orderBy(raw`${refunded} desc`, asc(deposits.createdAt))
      .limit(MAX_TOGETHER * 2),
  );
  const together = found.filter((one) => one.refunded);
  const moving = found.filter((one) => !one.refunded).slice(0, MAX_TOGETHER);
  return [...together, ...moving].map((one) => ({
    ...{ row: one.row as TrackedRow, refunded: one.refunded },
    amount: one.amount === null ? null : BigInt(one.amount),
  }));
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

/**
 * Selects the user's other deposits for the same share token that a transaction is known to have made (`madeTogether`).
 * Not limited: each of them has a part of its own in the transaction. Throws `store_unavailable`.
 */
export async function selectMadeTogether(
  db: Database,
  { row, hash }: { row: DepositRow; hash: Hex },
): Promise<DepositRow[]> {
  const made = madeTogether(row, hash);
  return (await db.run((sql) => sql.select().from(deposits).where(made))) as DepositRow[];
}

/** Maximum number of other deposit requests that are compared; an account has far fewer open with one vault. */
const MAX_OTHER_REQUESTS = 50;

/**
 * Selects the user's other deposits into the same vault by a request of their own, at most 50: those with open requests,
 * oldest first, then those whose requests were claimed or refunded, newest first. Throws `store_unavailable`.
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
  // In full, for nothing, or in part.
  const isShared = and(inArray(deposits.state, ["failed", "partial"]), isNotNull(deposits.shares));
  const claimed = and(or(eq(deposits.state, "completed"), isShared), isNotNull(deposits.claimTxHash));
  const refunded = and(eq(deposits.state, "refunded"), isNotNull(deposits.refundTxHash));
  const hasEnded = raw`${deposits.state} in ('completed', 'refunded', 'failed', 'partial')`;
  const since = raw`extract(epoch from ${deposits.createdAt})`;
  const age = raw`case when ${hasEnded} then -${since} else ${since} end`;
  const own = and(
    eq(deposits.direction, "deposit"),
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    ne(deposits.trackingId, trackingId),
    or(open, and(ownsDeposit, or(claimed, refunded))),
  );
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(own)
      // Ended ones become ever more: the oldest of them must not crowd out those that are open.
      .orderBy(asc(hasEnded), asc(age), asc(deposits.trackingId))
      .limit(MAX_OTHER_REQUESTS),
  );
  return rows as DepositRow[];
}

/**
 * Adds to the stored step plan of a deposit or withdrawal, as `asked`, a contract (in lowercase) for which its second
 * step asks for an approval, unless it is there. Later builds do not show that the user had to give it. Throws
 * `store_unavailable`.
 */
export async function addAskedSpender(
  db: Database,
  { trackingId, spender }: { trackingId: string; spender: string },
): Promise<void> {
  const asked = raw`coalesce(${depositSteps.plan} -> 'asked', '[]'::jsonb)`;
  const added = raw`to_jsonb(${spender}::text)`;
  await db.run((sql) =>
    sql
      .update(depositSteps)
      .set({ plan: raw`${depositSteps.plan} || jsonb_build_object('asked', ${asked} || ${added})` })
      .where(and(eq(depositSteps.trackingId, trackingId), raw`not ${asked} @> ${added}`)),
  );
}
