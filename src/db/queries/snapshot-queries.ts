import { and, asc, eq, gte, lt, lte, sql as raw } from "drizzle-orm";
import * as z from "zod";
import { DEPOSIT_REQUEST } from "../../lib/deposit-request-id.ts";
import type { Database } from "../database-client.ts";
import { flows } from "../tables/flow-tables.ts";
import { snapshots, vaultFigures } from "../tables/snapshot-tables.ts";

/** A row of the table `snapshots`: the last state of a vault in one interval. */
export type SnapshotRow = typeof snapshots.$inferSelect;
/**
 * A vault snapshot to store. The time at which it was read determines the intervals for which it is stored. `paused` is
 * null if unknown.
 */
export type NewSnapshot = Omit<SnapshotRow, "step" | "at" | "paused"> & { paused: boolean | null };

/** Lengths of the intervals for which snapshots are stored, in seconds. */
export const snapshotSteps = { fine: 300, hour: 3_600, day: 86_400 } as const;

/**
 * Stores each vault snapshot for the five minutes, the hour and the day that contain `readAt`. Of several for one
 * interval, the one of the highest block is kept, the last written of equal ones. If `paused` is unknown, that of the
 * vault's newest five-minute snapshot is repeated, or false is stored. Throws `store_unavailable`.
 */
export async function writeSnapshots(
  db: Database,
  taken: { readAt: Date; readings: readonly NewSnapshot[] },
): Promise<void> {
  const { readAt, readings } = taken;
  const columns = ["block_number", "block_time", "total_assets", "total_supply", "share_price"] as const;
  const set = [...columns, "max_deposit", "paused", "liquidity", "controls"]
    .map((name) => `${name} = excluded.${name}`)
    .join(", ");
  await db.run((sql) =>
    sql.execute(raw`insert into ${snapshots} (chain_id, vault_address, step, at, block_number, block_time, total_assets,
        total_supply, share_price, max_deposit, paused, liquidity, controls)
      select given."chainId", given."vaultAddress", step,
        to_timestamp(floor(extract(epoch from ${readAt.toISOString()}::timestamptz) / step) * step),
        given."blockNumber", given."blockTime", given."totalAssets", given."totalSupply", given."sharePrice",
        given."maxDeposit", coalesce(given.paused, (select last.paused from ${snapshots} last
          where last.chain_id = given."chainId" and last.vault_address = given."vaultAddress"
            and last.step = ${snapshotSteps.fine}::int4
          order by last.at desc limit 1), false), given.liquidity, given.controls
      from jsonb_to_recordset(${JSON.stringify(readings)}::jsonb) as given("chainId" int4, "vaultAddress" text,
        "blockNumber" int8, "blockTime" timestamptz, "totalAssets" numeric, "totalSupply" numeric,
        "sharePrice" numeric, "maxDeposit" numeric, paused bool, liquidity numeric, controls jsonb),
        unnest(array[${raw.raw(Object.values(snapshotSteps).join(", "))}]) as step
      on conflict (chain_id, vault_address, step, at) do update set ${raw.raw(set)}
        where excluded.block_number >= ${snapshots.blockNumber}`),
  );
}

/**
 * A row of the table `vault_figures`: what lists show of a vault, as last stored with a snapshot. The address is
 * lowercase; units and null are those of the table.
 */
export type FiguresRow = typeof vaultFigures.$inferSelect;

/**
 * Stores the values of vaults that lists show. A vault's stored values from a higher block are kept. Throws
 * `store_unavailable`.
 */
export async function writeFigures(db: Database, rows: readonly FiguresRow[]): Promise<void> {
  const named = [
    "block_number",
    "block_time",
    "paused",
    "min_deposit",
    "max_deposit",
    "share_price",
    "tvl_usd",
  ];
  const set = [...named, "exit_fee", "apy_1d", "apy_7d", "apy_30d", "router_deployed"]
    .map((name) => `${name} = excluded.${name}`)
    .join(", ");
  await db.run((sql) =>
    sql.execute(raw`insert into ${vaultFigures} (chain_id, vault_address, block_number, block_time, paused,
        min_deposit, max_deposit, share_price, tvl_usd, exit_fee, apy_1d, apy_7d, apy_30d, router_deployed)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given("chainId" int4, "vaultAddress" text,
        "blockNumber" int8, "blockTime" timestamptz, paused bool, "minDeposit" numeric, "maxDeposit" numeric,
        "sharePrice" numeric, "tvlUsd" text, "exitFee" float8, "apy1d" float8, "apy7d" float8, "apy30d" float8,
        "routerDeployed" bool)
      on conflict (chain_id, vault_address) do update set ${raw.raw(set)}
        where excluded.block_number >= ${vaultFigures.blockNumber}`),
  );
}

/**
 * Deletes the snapshots of five-minute and hourly intervals that began before the given times; daily snapshots are
 * kept. Throws `store_unavailable`.
 */
export async function pruneSnapshots(db: Database, before: { fine: Date; hour: Date }): Promise<void> {
  const older = (step: number, than: Date) => and(eq(snapshots.step, step), lt(snapshots.at, than));
  await db.run((sql) =>
    sql.batch([
      sql.delete(snapshots).where(older(snapshotSteps.fine, before.fine)),
      sql.delete(snapshots).where(older(snapshotSteps.hour, before.hour)),
    ]),
  );
}

/**
 * Selects a vault's snapshots of one interval length (`step`, in seconds) whose intervals begin between two times,
 * inclusive, oldest first. Throws `store_unavailable`.
 */
export function selectSnapshots(
  db: Database,
  query: { chainId: number; vaultAddress: string; step: number; from: Date; to: Date },
): Promise<SnapshotRow[]> {
  return db.run((sql) =>
    sql
      .select()
      .from(snapshots)
      .where(
        and(
          eq(snapshots.chainId, query.chainId),
          eq(snapshots.vaultAddress, query.vaultAddress.toLowerCase()),
          eq(snapshots.step, query.step),
          gte(snapshots.at, query.from),
          lte(snapshots.at, query.to),
        ),
      )
      .orderBy(asc(snapshots.at)),
  );
}

const PricePoints = z.array(
  z.object({
    chain_id: z.coerce.number(),
    vault_address: z.string(),
    age: z.coerce.number(),
    share_price: z.string(),
    seconds: z.coerce.number(),
  }),
);
/** A vault's share price at one of the requested ages. The vault's address is lowercase. */
export interface PricePoint {
  chainId: number;
  vaultAddress: string;
  /** The requested age, in seconds before now. */
  age: number;
  /** Whole assets per whole share, times 10^18. */
  sharePrice: bigint;
  /** Block timestamp, in seconds since the epoch. */
  seconds: number;
}

/**
 * Selects the share prices of all vaults at each age in seconds, by vault and age, from the newest hourly snapshot with
 * a price whose hour began at least that long ago, but less than 1.25 times as long or two hours, whichever is longer.
 * A vault without such a snapshot is absent. Throws `store_unavailable`.
 */
export async function selectPricePoints(
  db: Database,
  query: { now: Date; ages: readonly number[] },
): Promise<PricePoint[]> {
  const ages = raw.raw(query.ages.map((age) => Math.floor(age)).join(", "));
  const now = raw`${query.now.toISOString()}::timestamptz`;
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select distinct on (chain_id, vault_address, age) chain_id, vault_address, age, share_price::text,
        extract(epoch from block_time)::int8 as seconds
      from unnest(array[${ages}]) as age join ${snapshots} on step = ${snapshotSteps.hour} and share_price is not null
        and at <= ${now} - age * interval '1 second'
        and at > ${now} - greatest(age * 1.25, 7200) * interval '1 second'
      order by chain_id, vault_address, age, at desc`),
  );
  return PricePoints.parse(rows).map((row) => ({
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    age: row.age,
    sharePrice: BigInt(row.share_price),
    seconds: row.seconds,
  }));
}

/**
 * SQL of the rows `f` of the table `flows` that count for a vault as a whole. Flows with a request id do not count, except
 * two kinds that make a sum unknown: withdrawals without an amount, and deposit requests, because when and whether they
 * are approved is not stored.
 */
export const vaultFlows = raw`(select chain_id, vault_address, tx_hash, log_index, user_address, block_number,
    case when request_id is null then assets end as assets
  from ${flows} where request_id is null or (kind = 'withdrawal' and assets is null)
    or starts_with(request_id, ${DEPOSIT_REQUEST})) as f`;

/**
 * Sums a vault's deposits minus withdrawals between neighbouring blocks of an ascending list, the later one included:
 * one sum per pair, in the asset's smallest unit, or null if an amount is unknown. Only `vaultFlows`
 * count; gaps in the index are not noticed. Throws `store_unavailable`.
 */
export async function sumNetFlows(
  db: Database,
  query: { chainId: number; vaultAddress: string; blocks: readonly number[] },
): Promise<(string | null)[]> {
  const edges = JSON.stringify(query.blocks);
  const { rows } = await db.run((sql) =>
    sql.execute(raw`with edges as (
        select ordinality as n, value::int8 as upto, lag(value::int8) over (order by ordinality) as after
        from jsonb_array_elements_text(${edges}::jsonb) with ordinality
      )
      select n, case when count(f.assets) = count(f.tx_hash) then coalesce(sum(f.assets), 0)::text end as net
      from edges left join ${vaultFlows} on f.chain_id = ${query.chainId}
        and f.vault_address = ${query.vaultAddress.toLowerCase()}
        and f.block_number > edges.after and f.block_number <= edges.upto
      where edges.after is not null group by n order by n`),
  );
  return z
    .array(z.object({ net: z.string().nullable() }))
    .parse(rows)
    .map(({ net }) => net);
}
