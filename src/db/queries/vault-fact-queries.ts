import { sql as raw, type SQL } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../database-client.ts";
import { flowCoverage, flowTips } from "../tables/flow-tables.ts";
import { snapshots } from "../tables/snapshot-tables.ts";
import { snapshotSteps, vaultFlows } from "./snapshot-queries.ts";

const amount = z
  .string()
  .nullable()
  .transform((text) => (text === null ? null : BigInt(text)));
const PointShape = z
  .object({
    chain_id: z.coerce.number(),
    vault_address: z.string(),
    step: z.coerce.number(),
    block_number: z.coerce.number(),
    seconds: z.coerce.number(),
    total_assets: amount,
    total_supply: amount,
    share_price: amount,
    max_deposit: amount,
    paused: z.boolean(),
    liquidity: amount,
    controls: z.record(z.string(), z.string()),
  })
  .transform((row) => ({
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    step: row.step,
    blockNumber: row.block_number,
    seconds: row.seconds,
    totalAssets: row.total_assets,
    totalSupply: row.total_supply,
    sharePrice: row.share_price,
    maxDeposit: row.max_deposit,
    paused: row.paused,
    liquidity: row.liquidity,
    controls: row.controls,
  }));
/**
 * A vault snapshot as the signal rules receive it, with the vault's lowercase address, and units and nulls as in the
 * table `snapshots`. `step` is the interval's length in seconds, `seconds` the block's UNIX timestamp.
 */
export type PointRecord = z.output<typeof PointShape>;

const FlowRecordShape = z
  .object({
    chain_id: z.coerce.number(),
    vault_address: z.string(),
    tx_hash: z.string().nullable(),
    log_index: z.number().nullable(),
    assets: z.string().transform(BigInt),
    user_address: z.string().nullable(),
    block_number: z.coerce.number().nullable(),
    inflow: z.string().transform(BigInt),
    outflow: z.string().transform(BigInt),
    unknown: z.coerce.number(),
  })
  .transform((row) => ({
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    /** Amount in the asset's smallest unit; negative for a withdrawal. */
    assets: row.assets,
    user: row.user_address,
    blockNumber: row.block_number,
    inflow: row.inflow,
    outflow: row.outflow,
    unknown: row.unknown,
  }));
/**
 * One of a vault's largest flows after a block, with the sums `inflow` and `outflow` of all since, unsigned in the
 * asset's smallest unit. `unknown` counts flows without an amount, whose `assets` are 0. Transaction, user and block
 * are null if there is no flow.
 */
export type FlowRecord = z.output<typeof FlowRecordShape>;

/** A vault (lowercase address) and the block after which its flows count. */
export interface VaultSpan {
  chainId: number;
  vaultAddress: string;
  afterBlock: number;
}

/** How far back snapshots are read, in seconds, by interval length. */
const BACK = { fine: 2 * 3_600, hour: 7 * 86_400, day: 90 * 86_400 } as const;
const back = raw.raw(
  `case step when ${snapshotSteps.fine} then ${BACK.fine} when ${snapshotSteps.hour} then ${BACK.hour} else ${BACK.day} end`,
);
/** Maximum number of largest deposits, and of largest withdrawals, returned per vault. */
const LARGEST = 5;

/**
 * Selects the snapshots of vaults (lowercase addresses), sorted by vault, interval length and time: five-minute ones of
 * the two hours before `now`, hourly ones of seven days and daily ones of 90 days. Throws `store_unavailable`.
 */
export async function selectPoints(
  db: Database,
  query: { now: Date; vaults: readonly { chainId: number; vaultAddress: string }[] },
): Promise<PointRecord[]> {
  const now = raw`${query.now.toISOString()}::timestamptz`;
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select s.chain_id, s.vault_address, step, block_number,
        extract(epoch from block_time)::int8 as seconds, total_assets::text, total_supply::text,
        share_price::text, max_deposit::text,
        paused, liquidity::text, controls
      from jsonb_to_recordset(${JSON.stringify(query.vaults)}::jsonb) as v("chainId" int4, "vaultAddress" text)
      join ${snapshots} s on s.chain_id = v."chainId" and s.vault_address = v."vaultAddress"
      where at <= ${now} and at > ${now} - interval '1 second' * ${back}
      order by s.chain_id, s.vault_address, step, at`),
  );
  return z.array(PointShape).parse(rows);
}

/**
 * SQL condition of coverage `c` that all flows of a vault after the block of `v` are stored, up to the tip. What the tip
 * covers already leaves an empty range; one whose bounds are swapped would be an error.
 */
const isCovered = raw.raw(`c.followed_from is not null and c.done @> int8range(
        greatest(v."afterBlock" + 1, c.start_block),
        greatest(v."afterBlock" + 1, c.start_block, c.followed_from))`);

/**
 * SQL of the five largest deposits and the five largest withdrawals of each vault, each with the sums of all flows of
 * its vault. They are counted apart, so that several deposits do not hide a large withdrawal.
 */
const largestFlows = (vaults: readonly VaultSpan[]): SQL => raw`select * from (
    select c.chain_id, c.vault_address, f.tx_hash, f.log_index, coalesce(f.assets, 0)::text as assets,
      f.user_address, f.block_number, row_number() over (
        partition by c.chain_id, c.vault_address, sign(coalesce(f.assets, 0))
        order by abs(coalesce(f.assets, 0)) desc, f.tx_hash) as n,
      coalesce(sum(f.assets) filter (where f.assets > 0) over w, 0)::text as inflow,
      coalesce(-sum(f.assets) filter (where f.assets < 0) over w, 0)::text as outflow,
      count(f.tx_hash) filter (where f.assets is null) over w as unknown
    from jsonb_to_recordset(${JSON.stringify(vaults)}::jsonb)
      as v("chainId" int4, "vaultAddress" text, "afterBlock" int8)
    join ${flowTips} t on t.chain_id = v."chainId"
    join ${flowCoverage} c on c.chain_id = v."chainId" and c.vault_address = v."vaultAddress" and ${isCovered}
    left join ${vaultFlows} on f.chain_id = v."chainId" and f.vault_address = v."vaultAddress"
      and f.block_number > v."afterBlock"
    window w as (partition by c.chain_id, c.vault_address)
  ) as ranked where n <= ${LARGEST} order by chain_id, vault_address, abs(assets::numeric) desc, tx_hash`;

const sum = z.string().transform(BigInt);
const SpanFlowsShape = z
  .object({ n: z.coerce.number(), inflow: sum, outflow: sum, deposit: sum, withdrawal: sum })
  .transform(({ n, inflow, outflow, deposit, withdrawal }) => ({
    index: n,
    inflow,
    outflow,
    largestDeposit: deposit,
    largestWithdrawal: withdrawal,
  }));
/**
 * Sums and largest values of a vault's flows in one requested block range, unsigned and in the asset's smallest unit;
 * `index` is the position of the range in the request.
 */
export type SpanFlows = z.output<typeof SpanFlowsShape>;

/**
 * SQL of the sums of vaults' flows after `afterBlock` up to and including `toBlock`, for the ranges whose flows are all
 * stored with their amounts.
 */
const spanSums = (spans: readonly (VaultSpan & { toBlock: number })[]): SQL => {
  const asked = JSON.stringify(spans.map((span, n) => ({ ...span, n })));
  return raw`select v.n, s.inflow::text, s.outflow::text, s.deposit::text, s.withdrawal::text
    from jsonb_to_recordset(${asked}::jsonb)
      as v(n int4, "chainId" int4, "vaultAddress" text, "afterBlock" int8, "toBlock" int8)
    join ${flowTips} t on t.chain_id = v."chainId" and t.head_block >= v."toBlock"
    join ${flowCoverage} c on c.chain_id = v."chainId" and c.vault_address = v."vaultAddress" and ${isCovered}
    cross join lateral (select count(*) filter (where f.assets is null) as unknown,
        coalesce(sum(f.assets) filter (where f.assets > 0), 0) as inflow,
        coalesce(-sum(f.assets) filter (where f.assets < 0), 0) as outflow,
        greatest(coalesce(max(f.assets), 0), 0) as deposit, greatest(coalesce(-min(f.assets), 0), 0) as withdrawal
      from ${vaultFlows} where f.chain_id = v."chainId" and f.vault_address = v."vaultAddress"
        and f.block_number > v."afterBlock" and f.block_number <= v."toBlock") s
    where s.unknown = 0 order by v.n`;
};

/**
 * Selects the largest flows of `vaults` (`largest`: at most five deposits, five withdrawals, and five of 0 or without
 * an amount) and the flow sums of `spans`, `toBlock` included. Only `vaultFlows` count. Vaults and
 * spans with missing flows, and spans with an unknown amount, are left out. Throws `store_unavailable`.
 */
export async function selectFlowFacts(
  db: Database,
  of: { vaults: readonly VaultSpan[]; spans: readonly (VaultSpan & { toBlock: number })[] },
): Promise<{ largest: FlowRecord[]; sums: SpanFlows[] }> {
  if (of.vaults.length === 0 && of.spans.length === 0) return { largest: [], sums: [] };
  const [largest, sums] = await db.run((sql) =>
    sql.batch([sql.execute(largestFlows(of.vaults)), sql.execute(spanSums(of.spans))]),
  );
  return {
    largest: z.array(FlowRecordShape).parse(largest.rows),
    sums: z.array(SpanFlowsShape).parse(sums.rows),
  };
}
