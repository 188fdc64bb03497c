import type { Context } from "../context.ts";
import { type ControlEventRow, selectControlEvents } from "../db/queries/control-events.ts";
import type { StatusChange } from "../db/queries/signals.ts";
import { steps } from "../db/queries/snapshots.ts";
import {
  type FlowRecord,
  type PointRecord,
  selectLargestFlows,
  selectPoints,
  sumSpans,
} from "../db/queries/vault-facts.ts";
import { DAY_MS } from "../lib/durations.ts";
import { findControlEvent, membersOf } from "../vaults/control-events.ts";
import type { Vault } from "../vaults/vault.ts";
import { assetUnit } from "./asset-unit.ts";
import { type DayFlows, dayAgo, earlierDays, type ToldChange, type VaultFacts } from "./facts.ts";

/** A vault to judge, and when it came into the registry, seconds. */
export interface JudgedVault {
  vault: Vault;
  addedAt: number;
}

const keyOf = ({ chainId, vaultAddress }: { chainId: number; vaultAddress: string }): string =>
  `${chainId}:${vaultAddress}`;

function groupByVault<T extends { chainId: number; vaultAddress: string }>(
  records: readonly T[],
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const group = groups.get(keyOf(record));
    if (group === undefined) groups.set(keyOf(record), [record]);
    else group.push(record);
  }
  return groups;
}

/** Reads what rules decide on about some vaults, by vault id. Throws `store_unavailable`. */
export async function readFacts(
  ctx: Context,
  input: { vaults: readonly JudgedVault[]; changes: readonly StatusChange[] },
): Promise<ReadonlyMap<string, VaultFacts>> {
  const keys = input.vaults.map(({ vault }) => ({
    chainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
  }));
  const points = groupByVault(await selectPoints(ctx.db, { now: new Date(ctx.now()), vaults: keys }));
  const since = new Date(ctx.now() - DAY_MS);
  const told = groupByVault(await selectControlEvents(ctx.db, { since, vaults: keys }));
  const facts = new Map(
    input.vaults.map((judged) => {
      const { vaultId } = judged.vault;
      const changes = input.changes.filter(({ subject }) => subject === vaultId);
      const stored = { points: points.get(vaultId) ?? [], told: told.get(vaultId) ?? [], changes };
      return [vaultId, toFacts(judged, stored)] as const;
    }),
  );
  const spans = keys.flatMap((key) => {
    const own = facts.get(keyOf(key));
    const before = own === undefined ? null : dayAgo(own);
    return before === null ? [] : [{ ...key, afterBlock: before.blockNumber }];
  });
  const flows = groupByVault(await selectLargestFlows(ctx.db, spans));
  for (const span of spans) {
    const own = facts.get(keyOf(span));
    if (own !== undefined)
      facts.set(keyOf(span), { ...own, dayFlows: toDayFlows(flows.get(keyOf(span)) ?? []) });
  }
  await addFlowDays(ctx, facts);
  return facts;
}

/** Adds what flowed on the earlier days, of all vaults at once. */
async function addFlowDays(ctx: Context, facts: Map<string, VaultFacts>): Promise<void> {
  const days = [...facts].flatMap(([vaultId, own]) =>
    earlierDays(own).map(([before, after]) => ({ vaultId, before, after, ...parseKey(vaultId) })),
  );
  const spans = days.map(({ chainId, vaultAddress, before, after }) => ({
    chainId,
    vaultAddress,
    afterBlock: before.blockNumber,
    toBlock: after.blockNumber,
  }));
  for (const { index, ...flowed } of await sumSpans(ctx.db, spans)) {
    const day = days[index];
    const own = day === undefined ? undefined : facts.get(day.vaultId);
    if (day === undefined || own === undefined) continue;
    const { vaultId, before, after } = day;
    facts.set(vaultId, { ...own, flowDays: [...own.flowDays, { before, after, ...flowed }] });
  }
}

const parseKey = (vaultId: string): { chainId: number; vaultAddress: string } => {
  const [chainId = "", vaultAddress = ""] = vaultId.split(":");
  return { chainId: Number(chainId), vaultAddress };
};

function toFacts(
  { vault, addedAt }: JudgedVault,
  stored: {
    points: readonly PointRecord[];
    told: readonly ControlEventRow[];
    changes: readonly StatusChange[];
  },
): VaultFacts {
  const ofStep = (step: number) => stored.points.filter((point) => point.step === step);
  return {
    vaultName: vault.name,
    adapter: vault.adapter,
    assetSymbol: assetUnit(vault),
    assetDecimals: vault.asset.decimals,
    recent: ofStep(steps.fine),
    hours: ofStep(steps.hour),
    days: ofStep(steps.day),
    dayFlows: null,
    flowDays: [],
    addedAt,
    registryChanges: stored.changes.map(({ id, seconds, before, after, reason }) => ({
      id,
      seconds,
      from: before,
      to: after,
      reason,
    })),
    toldChanges: stored.told.flatMap((row) => toToldChange(vault, row) ?? []),
  };
}

/** Null: the vault is another one by now, of which such an event says nothing. */
function toToldChange(vault: Vault, row: ControlEventRow): ToldChange | null {
  const { txHash, blockNumber } = row;
  const what = findControlEvent(vault, { address: row.emitter, topic: row.topics[0] ?? "", links: null });
  if (what === undefined) return null;
  const seconds = row.blockTime.getTime() / 1000;
  const key = `${txHash}:${row.logIndex}`;
  return { key, txHash, blockNumber, seconds, what, members: membersOf(what, row) };
}

/** Null when not all of the day's flows are stored, or one of them did not tell its amount. */
function toDayFlows(records: readonly FlowRecord[]): DayFlows | null {
  const [first] = records;
  if (first === undefined || first.unknown > 0) return null;
  const largest = records.flatMap(({ txHash, logIndex, assets, user, blockNumber }) =>
    txHash === null || user === null || blockNumber === null
      ? []
      : [{ key: `${txHash}:${logIndex}`, txHash, assets, user, blockNumber }],
  );
  return { inflow: first.inflow, outflow: first.outflow, largest };
}
