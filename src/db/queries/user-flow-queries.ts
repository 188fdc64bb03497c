import { sql as raw, type SQL } from "drizzle-orm";
import * as z from "zod";
import { builtForSource, knownSince } from "../conditions/equal-order-conditions.ts";
import type { Database } from "../database-client.ts";
import { deposits, underWay } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints } from "../tables/deposit-tracking-tables.ts";
import { flowCoverage, flows, flowTips } from "../tables/flow-tables.ts";
import { vaults } from "../tables/vault-tables.ts";
import { completeFrom } from "./flow-queries.ts";

/** A user's net deposits on one chain, and the block range that they cover. */
export interface ChainFlows {
  chainId: number;
  /**
   * Block from which the flow histories of all vaults of the chain that are known to users (`isKnownToUsers`) are
   * stored without a gap. Null if one of them is not indexed, or the chain has no such vaults.
   */
  indexedFrom: number | null;
  /**
   * Number of the head block of the last index run. Null if there was none, or none since a rewind. `headTime` is the
   * block's timestamp.
   */
  indexedTo: number | null;
  headTime: Date | null;
  /**
   * Deposits minus withdrawals by lowercase vault address, in the asset's smallest unit, without flows of redemption
   * requests; null if unknown. Only vaults known to users (`isKnownToUsers`) with flows of the user are present.
   */
  sums: Readonly<Record<string, string | null>>;
  /**
   * Shares received minus shares redeemed in the stored flows whose shares are known, by the keys of `sums`, in the
   * share token's smallest unit, without flows of redemption requests.
   */
  shares: Readonly<Record<string, string>>;
  /**
   * Assets of the deposits (`in`) and withdrawals (`out`) whose shares are unknown, without flows of redemption
   * requests, in the asset's smallest unit; null if unknown. Only vaults with such flows are present.
   */
  shareless: Readonly<Record<string, { in: string | null; out: string | null }>>;
  /** Lowercase addresses of vaults with a deposit or withdrawal of the user that the index may not include yet. */
  unindexed: readonly string[];
}

/**
 * A deposit to or withdrawal from a vault that belongs to a redemption request, whose settlement or cancellation may
 * change its amount. `ChainFlows.sums` leaves it out. Addresses are lowercase.
 */
export interface UserRequestFlow {
  chainId: number;
  vaultAddress: string;
  kind: "deposit" | "withdrawal";
  requestId: string;
  /** Amount in the asset's smallest unit, never negative, or null if unknown. */
  assets: bigint | null;
  /** Amount in the share token's smallest unit, never negative, or null if unknown. */
  shares: bigint | null;
}

/** An open request to an asynchronous vault. Addresses are lowercase. */
export interface OpenRequest {
  /** Tracking id, or null for a request that is known only from the vault's events. */
  trackingId: string | null;
  direction: "deposit" | "withdrawal";
  chainId: number;
  vaultAddress: string;
  requestId: string;
  /**
   * Shares that the request of a redemption takes at most, fees included, in the share token's smallest unit. Null if
   * unknown or a deposit.
   */
  shares: bigint | null;
}

/** A user's net deposits by chain, and the user's open requests to asynchronous vaults. */
export interface UserFlows {
  chains: ChainFlows[];
  /**
   * Open requests that have a request id, at most 500, those that were built last. Of rows with the same transaction and
   * call, which anyone can build, the likeliest own one of the user counts (`builtForSource`).
   */
  requests: OpenRequest[];
  /**
   * Flows of redemption requests, including ended ones, at most 500: vaults with the fewest flows first, and the newest
   * flows of a vault first.
   */
  requestFlows: UserRequestFlow[];
  /** Ids of the vaults of which `requestFlows` lacks a flow, or `requests` a request, because of these limits. */
  unlisted: string[];
}

// The parts are shared, because every schema takes time at the start of an isolate.
const Text = z.string();
const Count = z.number();
const Amount = Text.nullable();
const Kind = z.enum(["deposit", "withdrawal"]);
const Time = Text.transform((text) => new Date(text));
const Amounts = z.record(Text, Amount);
const Chain = z
  .object({
    chain_id: Count,
    indexed_from: Count.nullable(),
    head_block: Count.nullable(),
    head_time: Time.nullable(),
    sums: Amounts,
    shares: z.record(Text, Text),
    shareless: z.record(Text, z.object({ in: Amount, out: Amount })),
    unindexed: z.array(Text),
  })
  .transform(
    ({ chain_id, indexed_from, head_block, head_time, ...rest }): ChainFlows => ({
      chainId: chain_id,
      indexedFrom: indexed_from,
      indexedTo: head_block,
      headTime: head_time,
      ...rest,
    }),
  );
const Request = z
  .object({
    tracking_id: Text,
    direction: Kind,
    chain_id: Count,
    vault_address: Text,
    request_id: Text,
    shares: Amount,
  })
  .transform(
    ({ tracking_id, direction, chain_id, vault_address, request_id, shares }): OpenRequest => ({
      trackingId: tracking_id,
      direction,
      chainId: chain_id,
      vaultAddress: vault_address,
      requestId: request_id,
      shares: shares === null ? null : BigInt(shares),
    }),
  );
/** An amount without its sign. */
const Size = Amount.transform((text) => (text === null ? null : BigInt(text.replace(/^-/, ""))));
const RequestFlow = z
  .object({
    chain_id: Count,
    vault_address: Text,
    kind: Kind,
    request_id: Text,
    ...{ assets: Size, shares: Size },
  })
  .transform(({ chain_id, vault_address, kind, request_id, ...sizes }): UserRequestFlow => {
    return { chainId: chain_id, vaultAddress: vault_address, kind, requestId: request_id, ...sizes };
  });
const Records = z
  .array(
    z.object({
      ...{ chains: z.array(Chain), requests: z.array(Request), asked: z.array(RequestFlow) },
      unlisted: z.array(Text),
    }),
  )
  .length(1);

/** The user, as an address in any letter case, and the chains whose flows are selected. */
export interface UserQuery {
  user: string;
  chainIds: readonly number[];
}

/**
 * Selects a user's net deposits and requests; `chains` lacks chains without a flow index. A sum of assets is null if an
 * amount is unknown, the vault's flow history is incomplete, or `unlisted` contains the vault. Throws
 * `store_unavailable`.
 */
export async function selectUserFlows(db: Database, query: UserQuery): Promise<UserFlows> {
  const { rows } = await db.run((sql) => sql.execute(userFlowsStatement(query)));
  const [record] = Records.parse(rows);
  if (record === undefined) return { chains: [], requests: [], requestFlows: [], unlisted: [] };
  const { chains, requests, asked, unlisted } = record;
  return { chains, requests, requestFlows: asked, unlisted };
}

/** Maximum number of open requests that are read; the sum of a vault of which one is left out is unknown. */
const OPEN_REQUESTS = 500;
/** Maximum number of flows of redemption requests that are read; the sum of a vault that lacks one is unknown. */
const REQUEST_FLOWS = 500;

/**
 * SQL condition of the rows (`d`) that may have changed shares above the head of the chain's index (`t`). Anyone can
 * report, so reports do not count. Blocks and the service's own clock are compared, never a chain's clock.
 */
const seenAboveTip = raw`
  d.updated_at > now() - interval '1 hour' and (
    d.state = 'submitted' and d.from_chain_id = d.vault_chain_id
    or exists (select from ${depositEvidence} e where e.tracking_id = d.tracking_id
      and e.chain_id = d.vault_chain_id and e.block_number > t.head_block and e.block_hash <> ''))
  or ${underWay({ state: raw`d.state` })} and exists (select from ${depositHints} h
    where h.tracking_id = d.tracking_id and h.chain_id = d.vault_chain_id and h.origin <> 'report'
      and h.dropped_at is null and h.noted_at > t.moved_at)`;

/**
 * SQL columns that sum up flows: their number, those with known assets and their sum, the sum of known shares, and of
 * flows with unknown shares the number, those with unknown assets, and the assets of deposits and of withdrawals. The
 * sign tells these apart, because the index of a user's flows has amounts only.
 */
const sumColumns = raw`count(*) as n, count(assets) as known, coalesce(sum(assets), 0) as assets,
  coalesce(sum(shares), 0) as shares, count(*) filter (where shares is null) as shareless,
  count(*) filter (where shares is null and assets is null) as blind,
  coalesce(sum(assets) filter (where shares is null and assets > 0), 0) as put_in,
  coalesce(sum(assets) filter (where shares is null and assets < 0), 0) as taken`;

/**
 * Returns the common table expressions of a user's open requests, each once and numbered by `place` from the last built
 * one on. `chains` is the SQL array of the chains.
 */
function openRequests(user: string, chains: SQL): SQL {
  const isOpen = raw`user_address = ${user} and state in ('submitted', 'requested', 'cooling', 'claimable')
    and request_id is not null and vault_chain_id = any(${chains})`;
  return raw`sources as materialized (
        select hash, ${knownSince(raw`hash`)} as since
        from (select distinct source_tx_hash as hash from ${deposits} where ${isOpen}) as sent
      ), open as (
        select *, row_number() over (order by created_at desc, tracking_id desc) as place from (
          select distinct on (vault_chain_id, vault_address, direction, request_id, coalesce(source_tx_hash, tracking_id),
              source_to, source_data_hash) tracking_id, direction, vault_chain_id as chain_id, vault_address, request_id,
            case when direction = 'withdrawal' then greatest(from_amount, estimated_shares, shares) end as shares,
            created_at
          from ${deposits} left join sources on sources.hash = source_tx_hash
          where ${isOpen}
          order by vault_chain_id, vault_address, direction, request_id, coalesce(source_tx_hash, tracking_id),
            source_to, source_data_hash, ${builtForSource(raw`${deposits}`, raw`since`)} desc nulls last,
            created_at, tracking_id
        ) as first
      )`;
}

/** Returns the SQL of `selectUserFlows`, so that tests can check its query plan. */
export function userFlowsStatement(query: UserQuery): SQL {
  const user = query.user.toLowerCase();
  const chains = raw`array(select jsonb_array_elements_text(${JSON.stringify(query.chainIds)}::jsonb)::int4)`;
  return raw`
      with asked as (
        select chain_id, vault_address, kind, request_id, assets, shares, block_number, log_index from ${flows}
        where user_address = ${user} and chain_id = any(${chains}) and request_id is not null
      ), settling as (
        select chain_id, vault_address, ${sumColumns} from asked group by chain_id, vault_address
      ), listed as (
        select chain_id, vault_address, kind, request_id, asked.assets::text, asked.shares::text
        from asked join settling s using (chain_id, vault_address)
        order by s.n, chain_id, vault_address, block_number desc, log_index desc limit ${REQUEST_FLOWS}
      ), shown as (
        select chain_id, vault_address, count(*) as n from listed group by chain_id, vault_address
      ), ${openRequests(user, chains)}, requests as (
        select tracking_id, direction, chain_id, vault_address, request_id, shares::text from open
        where place <= ${OPEN_REQUESTS} order by place
      ), unlisted as (
        select chain_id, vault_address from settling s left join shown using (chain_id, vault_address)
        where s.n > coalesce(shown.n, 0)
        union select chain_id, vault_address from open where place > ${OPEN_REQUESTS}
      ), everything as (
        select chain_id, vault_address, ${sumColumns}
        from ${flows} where user_address = ${user} and chain_id = any(${chains})
        group by chain_id, vault_address
      ), own as (
        select e.chain_id, e.vault_address,
          case when e.known - coalesce(s.known, 0) = e.n - coalesce(s.n, 0) and u.chain_id is null
            then e.assets - coalesce(s.assets, 0) end as assets,
          e.shares - coalesce(s.shares, 0) as shares,
          case when e.shareless > coalesce(s.shareless, 0) then jsonb_build_object(
            'in', case when e.blind = coalesce(s.blind, 0) then (e.put_in - coalesce(s.put_in, 0))::text end,
            'out', case when e.blind = coalesce(s.blind, 0) then (coalesce(s.taken, 0) - e.taken)::text end
          ) end as shareless
        from everything e left join settling s using (chain_id, vault_address)
        left join unlisted u using (chain_id, vault_address)
      ), reached as (
        select v.chain_id, v.address as vault_address, c.start_block, c.followed_from is null as unseen,
          ${completeFrom} as whole_from
        from ${vaults} v left join ${flowCoverage} c on c.chain_id = v.chain_id and c.vault_address = v.address
        where v.chain_id = any(${chains}) and (v.status in ('active', 'paused') or v.was_active)
      ), unindexed as (
        select distinct d.vault_chain_id as chain_id, d.vault_address
        from ${deposits} as d join ${flowTips} t on t.chain_id = d.vault_chain_id
        where d.user_address = ${user} and d.vault_chain_id = any(${chains}) and (${seenAboveTip})
      ), chains as (
        select t.chain_id, t.head_block, t.head_time, r.indexed_from, coalesce(s.sums, '{}') as sums,
          coalesce(s.shares, '{}') as shares, coalesce(s.shareless, '{}') as shareless,
          coalesce((select jsonb_agg(u.vault_address) from unindexed u where u.chain_id = t.chain_id), '[]')
            as unindexed
        from ${flowTips} t
        left join (select chain_id, case when bool_or(unseen) then null
            when bool_and(whole_from = start_block) then min(start_block) else max(whole_from) end as indexed_from
          from reached group by chain_id) r on r.chain_id = t.chain_id
        left join (select own.chain_id, jsonb_object_agg(own.vault_address,
            case when not unseen and whole_from = start_block then own.assets::text end) as sums,
            jsonb_object_agg(own.vault_address, own.shares::text) as shares,
            jsonb_object_agg(own.vault_address, own.shareless) filter (where own.shareless is not null) as shareless
          from own join reached using (chain_id, vault_address) group by own.chain_id) s on s.chain_id = t.chain_id
        where t.chain_id = any(${chains})
      )
      select coalesce((select jsonb_agg(to_jsonb(chains)) from chains), '[]') as chains,
        coalesce((select jsonb_agg(to_jsonb(requests)) from requests), '[]') as requests,
        coalesce((select jsonb_agg(to_jsonb(listed)) from listed), '[]') as asked,
        coalesce((select jsonb_agg(chain_id || ':' || vault_address) from unlisted), '[]') as unlisted`;
}
