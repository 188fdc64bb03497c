import type { Context } from "../context.ts";
import { type SignalRow, selectSignal, selectSignals } from "../db/queries/signal-queries.ts";
import { failure } from "../errors.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { Dimension, Metric, ShownMetric, Signal, SignalDetail, Tier } from "../schemas/signal-schema.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { assetUnit } from "./read-signal-facts.ts";

/**
 * Filters for signals, and the page to return. Selects incidents last seen at or after `since`, of the given tiers and
 * of one dimension (null: all). `offset` is the number of signals before the page.
 */
export interface SignalQuery {
  since: Date;
  tiers: readonly Tier[];
  dimension: Dimension | null;
  /** Id of the only vault whose signals are returned, if given. */
  vaultId?: string | undefined;
  limit: number;
  offset: number;
}

/**
 * Returns a page of the signals of the vaults in `listRegistry`, one per incident, the most recently seen first, and
 * the total number of signals that match. Throws `store_unavailable`.
 */
export async function listSignals(
  ctx: Context,
  query: SignalQuery,
): Promise<{ signals: Signal[]; total: number }> {
  const { byId } = await listRegistry(ctx);
  const { vaultId, ...rest } = query;
  const listed = [...byId.keys()];
  const vaultIds = vaultId === undefined ? listed : listed.filter((id) => id === vaultId);
  const { rows, total } = await selectSignals(ctx.db, { ...rest, vaultIds });
  return { signals: rows.flatMap((row) => toSignal(ctx, { row, vault: vaultOf(row, byId) }) ?? []), total };
}

/**
 * Returns one signal with its evidence and at most the last 50 stages of its incident, oldest first. Throws
 * `signal_not_found`, also if `listRegistry` lacks the signal's vault, or `store_unavailable`.
 */
export async function getSignal(ctx: Context, signalId: string): Promise<SignalDetail> {
  const row = await selectSignal(ctx.db, signalId);
  const vault = row === null ? undefined : vaultOf(row, (await listRegistry(ctx)).byId);
  const signal = row === null ? null : toSignal(ctx, { row, vault });
  if (row === null || signal === null || vault === undefined)
    throw failure("signal_not_found", `there is no signal ${signalId}: GET /v1/intel/feed lists the signals`);
  return { ...signal, evidence: row.evidence, evolution: stagesOf({ row, vault }) };
}

const vaultOf = (row: SignalRow, byId: ReadonlyMap<string, Vault>): Vault | undefined =>
  byId.get(formatVaultId({ chainId: row.chainId, address: row.vaultAddress }));

function toSignal(ctx: Context, of: { row: SignalRow; vault: Vault | undefined }): Signal | null {
  const { row, vault } = of;
  const chain = ctx.chains.definitions.get(row.chainId);
  if (vault === undefined || chain === undefined) return null;
  return {
    signal_id: row.signalId,
    rule_id: row.ruleId,
    incident_id: row.incidentId,
    tier: row.tier,
    dimension: row.dimension,
    title: row.title,
    summary: row.summary,
    vault_id: vault.vaultId,
    vault_name: vault.name,
    chain_id: vault.chainId,
    chain_name: chain.name,
    asset_symbol: vault.asset.symbol,
    metrics: withDecimals(row.metrics, vault),
    first_seen: row.firstSeen.toISOString(),
    last_seen: row.lastSeen.toISOString(),
    update_count: row.updateCount,
    tx_hash: row.txHash,
    block_number: row.blockNumber,
  };
}

const stagesOf = ({ row, vault }: { row: SignalRow; vault: Vault }): SignalDetail["evolution"] =>
  row.evolution.map((stage) => ({ ...stage, metrics: withDecimals(stage.metrics, vault) }));

const withDecimals = (metrics: readonly Metric[], vault: Vault): ShownMetric[] =>
  metrics.map((metric) => ({ ...metric, decimals: decimalsOf(metric, vault) }));

/** Returns the decimals of a figure, or null for an amount of another token than the vault's present asset. */
function decimalsOf({ unit }: Metric, { chainId, asset }: Vault): number | null {
  if (unit === "fraction" || unit === "seconds") return 0;
  if (unit === "1e18") return 18;
  return unit === assetUnit({ chainId, asset }) ? asset.decimals : null;
}
