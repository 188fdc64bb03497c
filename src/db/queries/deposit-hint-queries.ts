import { and, asc, eq, inArray, isNull, ne, sql as raw, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import * as z from "zod";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints, depositSteps } from "../tables/deposit-tracking-tables.ts";
import type { NewDeposit } from "./deposit-queries.ts";

/** A row of the table `deposit_hints`: a transaction that may belong to a deposit or withdrawal. */
export type DepositHint = typeof depositHints.$inferSelect;

/** Maximum number of unread reports that are kept per deposit or withdrawal; older ones are deleted. */
const MAX_REPORTS = 16;

/**
 * Stores a reported transaction as a hint of a deposit or withdrawal, or restores the hint if it was dropped. In any
 * case, makes the deposit or withdrawal due for tracking. Of its hints that are only reported, the 16 newest are kept.
 * Throws `store_unavailable`.
 */
export async function addReportedHint(
  db: Database,
  hint: { trackingId: string; chainId: number; txHash: Hex; now: Date },
): Promise<void> {
  const { trackingId, chainId, txHash, now } = hint;
  const ofDeposit = and(eq(depositHints.trackingId, trackingId), eq(depositHints.origin, "report"));
  await db.run((sql) =>
    sql.batch([
      sql
        .insert(depositHints)
        .values({ trackingId, chainId, txHash, origin: "report", notedAt: now })
        .onConflictDoUpdate({
          target: [depositHints.trackingId, depositHints.chainId, depositHints.txHash],
          // A reorg may have moved a transaction that was dropped.
          set: { origin: "both", droppedAt: null },
          setWhere: ne(depositHints.origin, "report"),
        }),
      sql
        .delete(depositHints)
        .where(
          and(
            ofDeposit,
            raw`${depositHints.txHash} not in (select tx_hash from ${depositHints} as newest where ${and(
              raw`newest.tracking_id = ${trackingId}`,
              raw`newest.origin = 'report'`,
            )} order by newest.noted_at desc, newest.tx_hash limit ${MAX_REPORTS})`,
          ),
        ),
      sql.update(deposits).set({ nextCheckAt: now, checks: 0 }).where(eq(deposits.trackingId, trackingId)),
    ]),
  );
}

/** Selects the hints of deposits and withdrawals, except dropped ones, oldest first. Throws `store_unavailable`. */
export async function selectHints(db: Database, trackingIds: readonly string[]): Promise<DepositHint[]> {
  if (trackingIds.length === 0) return [];
  return db.run((sql) =>
    sql
      .select()
      .from(depositHints)
      .where(and(inArray(depositHints.trackingId, [...trackingIds]), isNull(depositHints.droppedAt)))
      .orderBy(asc(depositHints.notedAt), asc(depositHints.txHash)),
  );
}

/**
 * Marks the hints `txHashes` of a row as dropped, and deletes those that are only reported. Those in `carrying` get the
 * origin `both` before, so that they are kept: they may prove the row after a reorg. Throws `store_unavailable`.
 */
export async function dropHints(
  db: Database,
  dropped: { trackingId: string; txHashes: readonly string[]; carrying: readonly string[]; now: Date },
): Promise<void> {
  const { trackingId, txHashes, carrying, now } = dropped;
  if (txHashes.length === 0) return;
  const own = eq(depositHints.trackingId, trackingId);
  const listed = and(own, inArray(depositHints.txHash, [...txHashes]));
  const carry = and(own, inArray(depositHints.txHash, [...carrying]));
  await db.run((sql) =>
    sql.batch([
      sql
        .update(depositHints)
        .set({ origin: "both" })
        .where(carrying.length === 0 ? raw`false` : carry),
      sql.delete(depositHints).where(and(listed, eq(depositHints.origin, "report"))),
      sql
        .update(depositHints)
        .set({ droppedAt: now })
        .where(and(listed, ne(depositHints.origin, "report"))),
    ]),
  );
}

/**
 * Restores the dropped hints of a deposit or withdrawal after a reorg, and adds the transactions that its row contained
 * (`named`) as hints, because one whose report was deleted may not be found in any other way. Throws
 * `store_unavailable`.
 */
export async function restoreHints(
  db: Database,
  restored: {
    trackingId: string;
    named: readonly Pick<DepositHint, "chainId" | "txHash">[];
    now: Date;
  },
): Promise<void> {
  const { trackingId, named, now } = restored;
  const listed = named.map(({ chainId, txHash }) => ({ chainId, txHash }));
  await db.run((sql) =>
    sql.batch([
      sql
        .update(depositHints)
        .set({ droppedAt: null })
        .where(and(eq(depositHints.trackingId, trackingId), ne(depositHints.origin, "report"))),
      sql.execute(raw`insert into ${depositHints} (tracking_id, chain_id, tx_hash, origin, noted_at)
        select ${trackingId}::text, "chainId", "txHash", 'logs', ${now}::timestamptz
        from ${given(listed, '"chainId" int4, "txHash" text')} on conflict do nothing`),
    ]),
  );
}

/**
 * Data from the logs of a chain that may belong to deposits and withdrawals. Addresses and hashes are lowercase;
 * amounts are decimal strings in the token's smallest unit.
 */
export interface Sightings {
  /** Events of the Router: the reference of a deposit or withdrawal, with the receiver and the token received. */
  references: readonly { ref: string; txHash: string; receiver: string; shareToken: string }[];
  /** Token transfers; `user` is the sender, who may be paying for a deposit or withdrawal. */
  payments: readonly { user: string; token: string; to: string; amount: string; txHash: string }[];
  /** Events that contain the address of a possible user; `target` is the contract, or null if it is a bridge's. */
  mentions: readonly { user: string; target: string | null; txHash: string }[];
  /**
   * Transactions with a transfer to or from a user of a deposit or withdrawal in progress, or with an event of a
   * bridge's delivery or of a vault with open requests that names the user. `contract` is that vault, unless its event
   * is a usual one.
   */
  moves: readonly { user: string; txHash: string; contract?: string }[];
  /** Contracts with events that may have settled redemption requests of users whom they do not name. */
  touched: readonly string[];
}

/**
 * A transaction that may be the source of a user's deposit or withdrawal, because a log mentions the user. Address and
 * hash are lowercase.
 */
export interface Candidate {
  user: string;
  txHash: string;
}

const Candidates = z.array(z.object({ user_address: z.string(), tx_hash: z.string() }));

const given = (rows: readonly object[], shape: string) =>
  raw`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(${raw.raw(shape)})`;
/**
 * SQL condition of the deposits whose source transaction is not proven, has failed, or may still be replaced by a
 * reorg: another transaction with the same calldata may then become their source.
 */
const openOn = (chainId: number): SQL =>
  raw`d.from_chain_id = ${chainId}::int4 and (not d.source_proven or d.state = 'failed' or exists (
    select from ${depositEvidence} as e where e.tracking_id = d.tracking_id and e.chain_id = ${chainId}::int4
    and not e.final))`;

/**
 * Selects transactions that may be the source of a user's row: the user paid its token, in its amount or to the
 * contract that it calls, or an event of that contract or of a bridge names the user. Throws `store_unavailable`.
 */
export async function selectCandidates(
  db: Database,
  { chainId, payments, mentions }: Pick<Sightings, "payments" | "mentions"> & { chainId: number },
): Promise<Candidate[]> {
  if (payments.length + mentions.length === 0) return [];
  const some = (where: SQL) => raw`exists (select from ${deposits} as d where d.user_address = g."user"
    and ${openOn(chainId)} and ${where})`;
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select g."user" as user_address, g."txHash" as tx_hash
      from ${given(payments, '"user" text, token text, "to" text, amount numeric, "txHash" text')}
      where ${some(raw`d.from_token = g.token and (d.from_amount = g.amount or d.source_to = g."to")`)}
      union select g."user", g."txHash" from ${given(mentions, '"user" text, target text, "txHash" text')}
      where ${some(raw`(d.source_to = g.target or g.target is null and d.provider is not null)`)}`),
  );
  return Candidates.parse(rows).map(({ user_address: user, tx_hash: txHash }) => ({ user, txHash }));
}

/**
 * Numbers of a row's hints from logs, unread ones and all, from which on a round adds no more: `MAX_UNNAMED` for
 * transactions that only concern the user, which anyone can make; `MAX_FOUND` for those that show the row.
 */
const MAX_UNNAMED = { unread: 32, all: 512 } as const;
const MAX_FOUND = { unread: 64, all: 1_024 } as const;
/**
 * Maximum number of equal deposits that get a hint from one transaction, plus one for each equal transaction of the
 * same round. Deposits without a proven source come first, then newer ones.
 */
const MAX_EQUAL = 24;
/**
 * Maximum number of old redemption requests that one vault makes due in a round, as many as one message holds: it may
 * have hundreds that never end. Old ones have no scheduled check, or were built before this time, in milliseconds.
 */
const MAX_WOKEN = 8;
const OLD_REQUEST_MS = 30 * DAY_MS;
/** Maximum number of equal transactions of one round that raise the limit `MAX_EQUAL`. */
const MAX_EQUAL_SENT = 100;

/** Results of one round (a reading of a chain's logs for deposits and withdrawals), for `addFindings`. */
export interface Findings extends Pick<Sightings, "references" | "payments" | "moves" | "touched"> {
  /** Transactions of users, one entry for each hash of their calldata and of the calls in it. */
  sources: readonly (Candidate & { dataHash: string })[];
  /** Transactions of users whose calldata was not read. */
  unread: readonly Candidate[];
}

/**
 * Stores a round's results as hints, within limits per row, and makes rows due for tracking: those with a new hint;
 * those with a repeated hint that is not dropped or whose transaction matches the row (a dropped one is restored);
 * those of users in `moves` that were sent and have not ended; and open redemption requests that a contract in
 * `touched` may have settled, except for claimable ones without a scheduled check. Old ones of these are due in a minute:
 * up to eight per vault, those checked longest ago. A transaction matches by its Router event, its calldata or the
 * payment of a second step.
 * Throws `store_unavailable`.
 */
export async function addFindings(
  db: Database,
  found: Findings & { chainId: number; now: Date },
): Promise<void> {
  const { chainId, references, sources, unread, payments, moves, touched, now } = found;
  const all = [references, sources, unread, payments, moves, touched];
  if (all.every((list) => list.length === 0)) return;
  const known = raw`(d.source_proven and d.source_tx_hash = g."txHash" or d.destination_tx_hash = g."txHash"
    or d.deposit_proven and d.deposit_tx_hash = g."txHash")`;
  const byReference = raw`select d.tracking_id, g."txHash" from
    ${given(references, 'ref text, "txHash" text, receiver text, "shareToken" text')}
    join ${deposits} as d on d.ref = g.ref where d.vault_chain_id = ${chainId}::int4
    and d.user_address = g.receiver and (d.share_token = g."shareToken" or d.direction = 'withdrawal')
    and ${known} is not true`;
  // A transaction that failed has no logs: if it is seen, a reorg has let it succeed.
  const fresh = raw`(d.state = 'failed' or ${known} is not true)`;
  const newest = (where: SQL, most: SQL) => raw`cross join lateral (select d.tracking_id from ${deposits} as d
    where d.user_address = g."user" and ${openOn(chainId)} and ${fresh} and ${where}
    order by d.source_proven, d.created_at desc limit ${MAX_EQUAL}::int4 + ${most}) as d`;
  const equal = raw`d.source_data_hash = g."dataHash"`;
  const bySource = raw`select d.tracking_id, g."txHash" from
    ${given(withEqual(sources), '"user" text, "txHash" text, "dataHash" text, equal int4')}
    ${newest(equal, raw`g.equal`)}`;
  const byUser = raw`select d.tracking_id, g."txHash" from
    ${given(unread, '"user" text, "txHash" text')} ${newest(raw`true`, raw`0`)}`;
  const moved = given(moves, '"user" text, "txHash" text, contract text');
  const byArrival = raw`select d.tracking_id, g."txHash" from ${moved}
    join ${deposits} as d on d.user_address = g."user"
    where coalesce(d.to_chain_id, d.vault_chain_id) = ${chainId}::int4 and d.state = 'bridging'
    or d.direction = 'withdrawal' and d.vault_chain_id = ${chainId}::int4
      and d.state in ('requested', 'cooling', 'claimable', 'awaiting_transfer')
    or d.direction = 'deposit' and d.vault_chain_id = ${chainId}::int4 and d.vault_address = g.contract
      and d.state in ('requested', 'claimable')`;
  // Only the user's own payments of the amount to deposit: anyone can send tokens to the user.
  const bySecondStep = raw`select d.tracking_id, g."txHash" from
    ${given(payments, '"user" text, token text, amount numeric, "txHash" text')}
    join ${deposits} as d on d.user_address = g."user"
    where d.vault_chain_id = ${chainId}::int4 and d.move_token = g.token
    and g.amount in (d.delivered_amount, d.move_min) and d.direction = 'deposit'
    and (d.state = 'awaiting_deposit' or d.state = 'partial' and d.shares is null)`;
  const at = (ms: number) => raw`${new Date(now.getTime() + ms)}::timestamptz`;
  // A vault in constant use makes its requests due once a minute at most, also those that have waited for so long that
  // they are not checked any more.
  const old = raw`(d.next_check_at is null or d.created_at < ${at(-OLD_REQUEST_MS)})`;
  const bySettlement = raw`select tracking_id, case when old then ${at(MINUTE_MS)} else ${at(0)} end as at
    from (select d.tracking_id, ${old} as old, row_number() over (partition by d.vault_address, ${old}
        order by d.checked_at nulls first, d.tracking_id) as place from ${deposits} as d
      where d.direction = 'withdrawal' and d.vault_chain_id = ${chainId}::int4
      and d.state in ('requested', 'cooling', 'claimable')
      and array[d.vault_address, d.source_to] && array(select jsonb_array_elements_text(${JSON.stringify(touched)}::jsonb))
      and (d.next_check_at > ${at(MINUTE_MS)} or d.next_check_at is null and d.state <> 'claimable')) as waiting
    where not old or place <= ${MAX_WOKEN}::int4`;
  const most = (of: typeof MAX_UNNAMED | typeof MAX_FOUND) => raw`count(*) < ${of.all}::int4
    and count(*) filter (where h.dropped_at is null) < ${of.unread}::int4`;
  const few = raw`(select case when found.named then ${most(MAX_FOUND)} else ${most(MAX_UNNAMED)} end
    from ${depositHints} as h where h.tracking_id = found.tracking_id and h.origin <> 'report')`;
  await db.run((sql) =>
    sql.execute(raw`with seen as (
        select *, true as named from (${byReference} union ${bySource} union ${bySecondStep}) as named
        union all select *, false from (${byArrival} union ${byUser}) as unnamed),
      found as (select tracking_id, "txHash", bool_or(named) as named from seen group by tracking_id, "txHash"),
      added as (insert into ${depositHints} (tracking_id, chain_id, tx_hash, origin, noted_at)
        select tracking_id, ${chainId}::int4, "txHash", 'logs', ${now}::timestamptz from found where ${few}
        on conflict do nothing returning tracking_id),
      again as (update ${depositHints} as h set dropped_at = null from found where h.tracking_id = found.tracking_id
        and h.tx_hash = found."txHash" and h.chain_id = ${chainId}::int4 and (h.dropped_at is null or found.named)
        returning h.tracking_id),
      moved as (select d.tracking_id from ${moved} join ${deposits} as d on d.user_address = g."user"
        where ${chainId}::int4 in (d.vault_chain_id, d.from_chain_id, d.to_chain_id) and d.state in
        ('submitted', 'bridging', 'awaiting_deposit', 'requested', 'claimable', 'cooling', 'awaiting_transfer'))
      update ${deposits} as d set next_check_at = due.at, checks = 0
      from (select tracking_id, min(at) as at from (select tracking_id, ${at(0)} as at from (select tracking_id from added
          union select tracking_id from again union select tracking_id from moved) as named
        union all ${bySettlement}) as named_or_settled group by tracking_id) as due
      where d.tracking_id = due.tracking_id`),
  );
}

/** Adds to each transaction the number (at most 100) of the user's transactions with its calldata in this round. */
function withEqual(sources: Findings["sources"]): (Findings["sources"][number] & { equal: number })[] {
  const counts = new Map<string, number>();
  const keyOf = ({ user, dataHash }: Findings["sources"][number]): string => `${user} ${dataHash}`;
  for (const source of sources) counts.set(keyOf(source), (counts.get(keyOf(source)) ?? 0) + 1);
  return sources.map((source) => ({
    ...source,
    equal: Math.min(counts.get(keyOf(source)) ?? 1, MAX_EQUAL_SENT),
  }));
}

/**
 * Inserts a built deposit and its planned steps in one transaction. Throws `store_unavailable`, and the driver's error
 * if the tracking id or the deposit reference exists.
 */
export async function insertDepositWithPlan(
  db: Database,
  { row, plan }: { row: NewDeposit; plan: object },
): Promise<void> {
  await db.run((sql) =>
    sql.batch([
      sql.insert(deposits).values(row),
      sql.insert(depositSteps).values({ trackingId: row.trackingId, plan }),
    ]),
  );
}

/**
 * Selects the planned steps of a deposit or withdrawal, in the format of the code version that built it, or returns
 * null if none are stored. Throws `store_unavailable`.
 */
export async function selectStepPlan(db: Database, trackingId: string): Promise<unknown> {
  const rows = await db.run((sql) =>
    sql
      .select({ plan: depositSteps.plan })
      .from(depositSteps)
      .where(eq(depositSteps.trackingId, trackingId))
      .limit(1),
  );
  return rows[0]?.plan ?? null;
}
