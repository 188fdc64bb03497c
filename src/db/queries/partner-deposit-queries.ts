import { and, desc, eq, gte, sql as raw } from "drizzle-orm";
import type { TimePosition } from "../../lib/pagination.ts";
import { isCounted } from "../conditions/equal-order-conditions.ts";
import { olderThan } from "../conditions/page-conditions.ts";
import type { Database } from "../database-client.ts";
import { type Direction, deposits, underWay } from "../tables/deposit-tables.ts";
import type { DepositRow, WithdrawalRow } from "./deposit-queries.ts";

/**
 * Filter for the deposits and withdrawals that were built with a partner's API key, since a build time (null for no
 * limit). Those that merely name the partner do not count, nor do those that `isCounted` leaves out.
 */
export interface PartnerSpan {
  address: string;
  since: Date | null;
}

/** SQL condition for deposits whose transaction was sent. */
const SENT = raw`${deposits.state} not in ('built', 'expired', 'abandoned')`;
const PENDING = underWay(deposits);

/**
 * SQL condition that leaves out second steps that were built as deposits of their own and completed their parent, if
 * the parent has a partner: it counts the money that they move.
 */
const FIRST_STEP = raw`not exists (select from ${deposits} as parent
  where parent.tracking_id = ${deposits.parentTrackingId} and parent.direction = 'deposit'
    and parent.partner_address is not null
    and parent.state = 'completed' and parent.user_address = ${deposits.userAddress}
    and parent.deposit_tx_hash in (${deposits.sourceTxHash}, ${deposits.depositTxHash}))`;

const of = ({ address, since }: PartnerSpan, direction: Direction | null = "deposit") =>
  and(
    eq(deposits.partnerAddress, address.toLowerCase()),
    isCounted,
    direction === null ? undefined : eq(deposits.direction, direction),
    since === null ? undefined : gte(deposits.createdAt, since),
  );

/**
 * Counts a partner's deposits by outcome, and the users who sent at least one. `verified` means built with the secret,
 * `sent` that a transaction was seen. A continuation that completed a deposit of any partner does not count. Never
 * null. Throws `store_unavailable`.
 */
export async function countPartnerDeposits(db: Database, span: PartnerSpan) {
  const counted = (condition: ReturnType<typeof raw>) =>
    raw<number>`count(*) filter (where ${condition})::int`;
  const state = (name: string) => counted(raw`${deposits.state} = ${name}`);
  const rows = await db.run((sql) =>
    sql
      .select({
        built: raw<number>`count(*)::int`,
        verified: counted(raw`${deposits.partnerVerified}`),
        sent: counted(SENT),
        pending: counted(PENDING),
        completed: state("completed"),
        partial: state("partial"),
        refunded: state("refunded"),
        failed: state("failed"),
        users: raw<number>`(count(distinct ${deposits.userAddress}) filter (where ${SENT}))::int`,
      })
      .from(deposits)
      .where(and(of(span), FIRST_STEP)),
  );
  return rows[0] ?? null;
}

/**
 * Counts a partner's withdrawals by outcome, as `countPartnerDeposits` does, but neither `verified` ones nor users;
 * `failed` includes rejected ones. Never null. Throws `store_unavailable`.
 */
export async function countPartnerWithdrawals(db: Database, span: PartnerSpan) {
  const counted = (condition: ReturnType<typeof raw>) =>
    raw<number>`(count(*) filter (where ${condition}))::int`;
  const state = (name: string) => counted(raw`${deposits.state} = ${name}`);
  const rows = await db.run((sql) =>
    sql
      .select({
        built: raw<number>`count(*)::int`,
        sent: counted(SENT),
        pending: counted(PENDING),
        completed: state("completed"),
        partial: state("partial"),
        refunded: state("refunded"),
        cancelled: state("cancelled"),
        failed: counted(raw`${deposits.state} in ('failed', 'rejected')`),
      })
      .from(deposits)
      .where(of(span, "withdrawal")),
  );
  return rows[0] ?? null;
}

/**
 * Sums the payments of a partner's completed deposits (those that `countPartnerDeposits` counts) by source chain and
 * lowercase token, as decimal text in the token's smallest unit. At most `limit` sums, those of most deposits first.
 * Throws `store_unavailable`.
 */
export function sumPartnerVolumes(db: Database, span: PartnerSpan & { limit: number }) {
  return db.run((sql) =>
    sql
      .select({
        chainId: deposits.fromChainId,
        token: deposits.fromToken,
        deposits: raw<number>`count(*)::int`,
        users: raw<number>`count(distinct ${deposits.userAddress})::int`,
        amount: raw<string>`sum(${deposits.fromAmount})::text`,
      })
      .from(deposits)
      .where(and(of(span), eq(deposits.state, "completed"), FIRST_STEP))
      .groupBy(deposits.fromChainId, deposits.fromToken)
      .orderBy(raw`count(*) desc`, deposits.fromChainId, deposits.fromToken)
      .limit(span.limit),
  );
}

/**
 * Sums what vaults paid for a partner's completed withdrawals (those that `countPartnerWithdrawals` counts) by the
 * vault's chain and lowercase token, as decimal text in the token's smallest unit; `unknown` withdrawals have no known
 * amount. At most `limit` sums, those of most withdrawals first. Throws `store_unavailable`.
 */
export function sumPartnerWithdrawn(db: Database, span: PartnerSpan & { limit: number }) {
  return db.run((sql) =>
    sql
      .select({
        chainId: deposits.vaultChainId,
        token: raw<string>`${deposits.exitToken}`,
        withdrawals: raw<number>`count(*)::int`,
        users: raw<number>`count(distinct ${deposits.userAddress})::int`,
        amount: raw<string>`coalesce(sum(${deposits.assets}), 0)::text`,
        unknown: raw<number>`(count(*) filter (where ${deposits.assets} is null))::int`,
      })
      .from(deposits)
      .where(and(of(span, "withdrawal"), eq(deposits.state, "completed")))
      .groupBy(deposits.vaultChainId, deposits.exitToken)
      .orderBy(raw`count(*) desc`, deposits.vaultChainId, deposits.exitToken)
      .limit(span.limit),
  );
}

/**
 * Counts a partner's sent deposits, as `countPartnerDeposits` does, and withdrawals by the UTC day of their build
 * (`YYYY-MM-DD`); `completed` counts deposits only. Returns the newest `limit` days that have any, oldest first. Throws
 * `store_unavailable`.
 */
export async function countPartnerDays(db: Database, span: PartnerSpan & { limit: number }) {
  const date = raw<string>`to_char(${deposits.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`;
  const counted = (condition: ReturnType<typeof raw>) =>
    raw<number>`(count(*) filter (where ${condition}))::int`;
  const rows = await db.run((sql) =>
    sql
      .select({
        date,
        deposits: counted(raw`${deposits.direction} = 'deposit'`),
        completed: counted(raw`${deposits.direction} = 'deposit' and ${deposits.state} = 'completed'`),
        withdrawals: counted(raw`${deposits.direction} = 'withdrawal'`),
      })
      .from(deposits)
      .where(and(of(span, null), SENT, FIRST_STEP))
      .groupBy(date)
      .orderBy(desc(date))
      .limit(span.limit),
  );
  return rows.reverse();
}

/**
 * Selects one page of a partner's deposits, withdrawals or, if `direction` is null, both, newest first. `before` is the
 * position of the last row of the previous page, or null for the first. Throws `store_unavailable`.
 */
export async function selectPartnerTransactions(
  db: Database,
  page: PartnerSpan & {
    limit: number;
    before: TimePosition | null;
    direction: Direction | null;
  },
): Promise<(DepositRow | WithdrawalRow)[]> {
  const older = olderThan(page.before, { at: deposits.createdAt, id: deposits.trackingId });
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(and(of(page, page.direction), older))
      .orderBy(desc(deposits.createdAt), desc(deposits.trackingId))
      .limit(page.limit),
  );
  return rows as (DepositRow | WithdrawalRow)[];
}
