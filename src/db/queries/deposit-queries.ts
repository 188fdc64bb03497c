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
  notInArray,
  or,
  sql as raw,
  type SQL,
} from "drizzle-orm";
import type { Hex } from "viem";
import type { TimePosition } from "../../lib/pagination.ts";
import type { VaultKey } from "../../lib/vault-id.ts";
import type { DepositState } from "../../schemas/deposit-schema.ts";
import type { WithdrawalState } from "../../schemas/withdrawal-schema.ts";
import { builtForSource, isFreeSource, knownSince } from "../conditions/equal-order-conditions.ts";
import { olderThan } from "../conditions/page-conditions.ts";
import { type Compared, lockKeys, madeNoOther } from "../conditions/same-transaction-conditions.ts";
import type { Database } from "../database-client.ts";
import { type Direction, deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints, withdrawalTransfers } from "../tables/deposit-tracking-tables.ts";

type StoredRow = typeof deposits.$inferSelect;
/** The columns whose type depends on the direction. */
type DirectedColumns = "direction" | "state" | "history";
/** The columns that only withdrawals have. */
type WithdrawalColumns = "mode" | "exitToken" | "estimatedAssets" | "minAssets" | "assets" | "toChainId";

/**
 * A row of the table `deposits` with a tracked deposit. Addresses and hashes are lowercase, amounts decimal strings in
 * the smallest unit of their token. `history` lists its states with their times (RFC 3339), oldest first.
 */
export interface DepositRow extends Omit<StoredRow, DirectedColumns | WithdrawalColumns> {
  direction: "deposit";
  state: DepositState;
  history: { state: DepositState; at: string }[];
}
/** A row of the table `deposits` with a tracked withdrawal, in the same formats as a `DepositRow`. */
export interface WithdrawalRow extends Omit<StoredRow, DirectedColumns | WithdrawalColumns> {
  direction: "withdrawal";
  state: WithdrawalState;
  history: { state: WithdrawalState; at: string }[];
  mode: "instant" | "request" | "cooldown";
  /** Token that the vault pays. */
  exitToken: string;
  /** Token that the user requested, on the chain `toChainId`. */
  moveToken: string;
  toChainId: number;
  /** Expected, minimum and paid amount of `exitToken`; null if there is none or it is unknown. */
  estimatedAssets: string | null;
  minAssets: string | null;
  assets: string | null;
}
/** A tracked deposit or withdrawal. */
export type TrackedRow = DepositRow | WithdrawalRow;

/** A deposit to insert into the table `deposits`. */
export type NewDeposit = Omit<typeof deposits.$inferInsert, DirectedColumns | WithdrawalColumns> &
  Pick<DepositRow, "state" | "history">;

/** The columns that tracking changes in both directions. */
type TrackedColumns =
  | "substatus"
  | "sourceTxHash"
  | "sourceProven"
  | "depositTxHash"
  | "depositProven"
  | "claimTxHash"
  | "destinationTxHash"
  | "refundTxHash"
  | "deliveredAmount"
  | "receivedAmount"
  | "routerExplorer"
  | "requestId"
  | "nextCheckAt"
  | "checks";
/** New values for columns of a tracked deposit; absent columns stay as they are. */
export type DepositChange = Partial<Pick<DepositRow, TrackedColumns | "state" | "history" | "shares">>;
/** New values for columns of a tracked withdrawal; absent columns stay as they are. */
export type WithdrawalChange = Partial<
  Pick<
    WithdrawalRow,
    TrackedColumns | "state" | "history" | "shares" | "assets" | "provider" | "bridge" | "tool"
  >
>;

const ofDirection = (direction: Direction): SQL => eq(deposits.direction, direction);

/** Selects the deposit with a tracking id, or returns null if there is none. Throws `store_unavailable`. */
export async function selectDeposit(db: Database, trackingId: string): Promise<DepositRow | null> {
  const row = await firstRow(db, and(eq(deposits.trackingId, trackingId), ofDirection("deposit")));
  return row as DepositRow | null;
}

/**
 * Selects the deposit or withdrawal with a tracking id, or returns null if there is none. Throws `store_unavailable`.
 */
export async function selectTracked(db: Database, trackingId: string): Promise<TrackedRow | null> {
  return (await firstRow(db, eq(deposits.trackingId, trackingId))) as TrackedRow | null;
}

/** Maximum number of rows that a search by transaction hash returns. */
const MAX_SAME_TRANSACTION = 20;

/**
 * Selects at most 20 rows that a transaction may belong to: first those whose reference it emits or that a proven
 * record connects with it, then those with its calldata, then those that a hint, an unproven record or a second step
 * connects with it; of one call, withdrawals with a second step, then by `builtForSource`. Throws `store_unavailable`.
 */
export async function selectDepositsByTransaction(
  db: Database,
  tx: { hash: Hex; chainId: number; dataHashes: readonly Hex[]; refs: readonly Hex[] },
): Promise<TrackedRow[]> {
  const onSource = eq(deposits.fromChainId, tx.chainId);
  const { dataHashes, hash } = tx;
  const source = and(eq(deposits.sourceTxHash, hash), onSource);
  const [deposit, claim] = [eq(deposits.depositTxHash, hash), eq(deposits.claimTxHash, hash)];
  const ended = or(eq(deposits.destinationTxHash, hash), eq(deposits.refundTxHash, hash));
  const named = tx.refs.length === 0 ? undefined : inArray(deposits.ref, [...tx.refs]);
  const same =
    dataHashes.length === 0 ? undefined : and(inArray(deposits.sourceDataHash, [...dataHashes]), onSource);
  const started = or(source, and(same ?? raw`false`, ofDirection("withdrawal")));
  // Of rows with one call, the account has sent its own one's second step.
  const continued = and(started, ofDirection("withdrawal"), isNotNull(deposits.depositTxHash));
  const ofTransfers =
    dataHashes.length === 0
      ? raw``
      : raw`union all select tracking_id from ${withdrawalTransfers}
          where ${inArray(withdrawalTransfers.dataHash, [...dataHashes])}`;
  const ofHints = raw`select tracking_id from ${depositHints} where tx_hash = ${tx.hash} and dropped_at is null`;
  const hinted = inArray(deposits.trackingId, raw`(${ofHints})`);
  // A union, because Postgres reads the whole table for a subquery that is one of several alternatives.
  const ofRows = raw`select tracking_id from ${deposits} where ${or(named, ended, source, deposit, claim, same)}`;
  const found = inArray(deposits.trackingId, raw`(${ofRows} union all ${ofHints} ${ofTransfers})`);
  const gaveShares = or(isNotNull(deposits.shares), isNotNull(deposits.assets));
  const shown = or(
    named,
    ended,
    and(source, deposits.sourceProven),
    and(deposit, or(deposits.depositProven, gaveShares, inArray(deposits.state, ["requested", "claimable"]))),
    and(claim, or(gaveShares, eq(deposits.state, "completed"))),
  );
  // Reports are unauthenticated: however many there are, they must not crowd out deposits shown by on-chain data.
  const rank = raw`case when ${shown} then 0 when ${same ?? raw`false`} then 1 else 2 end`;
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(found)
      .orderBy(
        rank,
        desc(raw`(${or(source, hinted)}) is true`),
        desc(raw`(${continued}) is true`),
        raw`case when ${started} then ${builtForSource(raw`${deposits}`, knownSince(raw`${hash}`))} end desc nulls last`,
        asc(deposits.createdAt),
        asc(deposits.trackingId),
      )
      .limit(MAX_SAME_TRANSACTION),
  );
  return rows as TrackedRow[];
}

/** States of a deposit without a transaction on a chain. */
const unseenStates: ("built" | "expired" | "abandoned")[] = ["built", "expired", "abandoned"];

/** Filter of a user's list of deposits or withdrawals. A row must meet all conditions. */
export interface TrackedFilter<Row extends TrackedRow> {
  /**
   * States to list at the time `now` (none if empty), or null for all that count as sent. A built deposit or withdrawal
   * is `expired` once its quote has expired.
   */
  states: readonly Row["state"][] | null;
  now: Date;
  /** The vault, or null for all. */
  vault: VaultKey | null;
  /** Earliest build time, or null for no limit. */
  from: Date | null;
  /** Time before which it was built, or null for no limit. */
  to: Date | null;
}

/**
 * One page of the list of a user (an address in any letter case). `before` is the position of the last row of the
 * previous page, or null for the first page.
 */
interface UserPage<Row extends TrackedRow> {
  user: string;
  limit: number;
  before: TimePosition | null;
  filter: TrackedFilter<Row>;
}

/**
 * Selects one page of a user's deposits that match a filter, newest first and at most `limit`. Throws
 * `store_unavailable`.
 */
export async function selectDepositsByUser(db: Database, page: UserPage<DepositRow>): Promise<DepositRow[]> {
  return (await selectByUser(db, { ...page, direction: "deposit" })) as DepositRow[];
}

/** Selects one page of a user's withdrawals, like `selectDepositsByUser`. Throws `store_unavailable`. */
export async function selectWithdrawalsByUser(
  db: Database,
  page: UserPage<WithdrawalRow>,
): Promise<WithdrawalRow[]> {
  return (await selectByUser(db, { ...page, direction: "withdrawal" })) as WithdrawalRow[];
}

function selectByUser(
  db: Database,
  page: UserPage<TrackedRow> & { direction: Direction },
): Promise<StoredRow[]> {
  const own = and(eq(deposits.userAddress, page.user.toLowerCase()), ofDirection(page.direction));
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

function filterConditions({ states, now, vault, from, to }: TrackedFilter<TrackedRow>): (SQL | undefined)[] {
  const since = from === null ? undefined : gte(deposits.createdAt, from);
  const until = to === null ? undefined : lt(deposits.createdAt, to);
  const shown = states === null ? notInArray(deposits.state, unseenStates) : inStates(states, now);
  if (vault === null) return [shown, since, until];
  const address = eq(deposits.vaultAddress, vault.address.toLowerCase());
  return [shown, since, until, eq(deposits.vaultChainId, vault.chainId), address];
}

function inStates(states: readonly TrackedRow["state"][], now: Date): SQL | undefined {
  if (states.length === 0) return raw`false`;
  const stored = states.filter((state) => state !== "built");
  const built = eq(deposits.state, "built");
  return or(
    stored.length === 0 ? undefined : inArray(deposits.state, stored),
    states.includes("built") ? and(built, gt(deposits.expiresAt, now)) : undefined,
    states.includes("expired") ? and(built, lte(deposits.expiresAt, now)) : undefined,
  );
}

/**
 * The block in which a transaction was read. Hashes are lowercase; an empty block hash marks evidence that counts as
 * lost, as after a reorg.
 */
export type EvidenceBlock = Pick<
  typeof depositEvidence.$inferSelect,
  "chainId" | "txHash" | "blockNumber" | "blockHash"
>;

/** A change of a row that is in the state `from`, with the blocks that prove it, if any. */
interface TrackedUpdate<Row extends TrackedRow, Change> {
  trackingId: string;
  from: Row["state"];
  change: Change;
  evidence?: readonly EvidenceBlock[];
  /** What the transactions of `change` were compared with; null or absent if with nothing. */
  compared?: Compared | null;
  /** Time at which its parent becomes due to take over what it shows; null or absent if the parent is left alone. */
  parentDueAt?: Date | null;
}

/**
 * Updates a deposit in the state `from` and returns the new row. Returns null if it is not in that state, or if the
 * source transaction that `change` proves is bound to another row of the user (`isFreeSource`), or if its deposit
 * transaction has come to prove a row that it was not `compared` with. Also then, stores `evidence` and, with
 * `parentDueAt`, marks the parent's evidence of this deposit's transactions as lost and makes the parent due if it awaits a
 * deposit, is partial or completed, or failed with shares. Throws `store_unavailable`, and the driver's error with code
 * 23505 if its deposit transaction already proves another row.
 */
export async function updateDeposit(
  db: Database,
  update: TrackedUpdate<DepositRow, DepositChange>,
): Promise<DepositRow | null> {
  return (await updateTracked(db, update)) as DepositRow | null;
}

/**
 * Updates a withdrawal like `updateDeposit`, with the same cases of null and the same errors; the deposit transaction
 * is that of its second step.
 */
export async function updateWithdrawal(
  db: Database,
  update: TrackedUpdate<WithdrawalRow, WithdrawalChange>,
): Promise<WithdrawalRow | null> {
  return (await updateTracked(db, update)) as WithdrawalRow | null;
}

async function updateTracked(
  db: Database,
  update: TrackedUpdate<TrackedRow, DepositChange | WithdrawalChange>,
): Promise<StoredRow | null> {
  const { trackingId, from, change, evidence = [], parentDueAt = null, compared = null } = update;
  const own = and(eq(deposits.trackingId, trackingId), eq(deposits.state, from));
  const values = { ...change, updatedAt: raw`now()` };
  const hash = change.sourceProven === true ? (change.sourceTxHash ?? null) : null;
  const made = compared === null ? null : (change.depositTxHash ?? null);
  if (hash === null && made === null && evidence.length === 0 && parentDueAt === null) {
    const rows = await db.run((sql) => sql.update(deposits).set(values).where(own).returning());
    return rows[0] ?? null;
  }
  const free = and(own, isFreeSource(trackingId, { hash, compared }), madeNoOther(compared, made));
  const done = await db.run((sql) => {
    // Before and after the update: the parent may have been proven by the transactions that the row had, or has.
    const due = parentDueAt === null ? [] : [sql.execute(parentDue(trackingId, parentDueAt))];
    return sql.batch([
      sql.execute(lockKeys([trackingId, hash, made])),
      ...due,
      sql.execute(raw`insert into ${depositEvidence} (tracking_id, chain_id, tx_hash, block_number, block_hash)
        select ${trackingId}::text, "chainId", "txHash", "blockNumber", "blockHash"
        from jsonb_to_recordset(${JSON.stringify(evidence)}::jsonb)
          as given("chainId" int4, "txHash" text, "blockNumber" int8, "blockHash" text)
        on conflict do nothing`),
      sql.update(deposits).set(values).where(free).returning(),
      ...due,
    ]);
  });
  return (done[parentDueAt === null ? 2 : 3] as StoredRow[])[0] ?? null;
}

/** Returns the statement that makes a deposit's parent due. An empty hash makes tracking derive its state again. */
const parentDue = (trackingId: string, at: Date): SQL => raw`
  with stale as (update ${depositEvidence} as e set block_hash = '', checked = false, final = false
    from ${deposits} as child, ${deposits} as named where child.tracking_id = ${trackingId}
    and named.tracking_id = child.parent_tracking_id and named.direction = 'deposit'
    and e.tracking_id = named.tracking_id
    and e.tx_hash in (child.source_tx_hash, child.deposit_tx_hash, child.claim_tx_hash, child.refund_tx_hash))
  update ${deposits} as parent set next_check_at = ${at.toISOString()}::timestamptz, checks = 0
  from ${deposits} as child where child.tracking_id = ${trackingId}
    and parent.tracking_id = child.parent_tracking_id and parent.direction = 'deposit'
    and (parent.state in ('awaiting_deposit', 'partial', 'completed')
      or parent.state = 'failed' and parent.shares is not null)`;

/**
 * Selects any one row of the table `deposits` that meets a condition, or returns null if none does. Throws
 * `store_unavailable`.
 */
export async function firstRow(db: Database, where: SQL | undefined): Promise<StoredRow | null> {
  const rows = await db.run((sql) => sql.select().from(deposits).where(where).limit(1));
  return rows[0] ?? null;
}
