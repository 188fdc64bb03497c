import type { Context } from "../context.ts";
import { selectControlEvents } from "../db/queries/governance-event-queries.ts";
import {
  type SignalRow,
  selectIncidents,
  selectStatusChanges,
  writeIncidents,
} from "../db/queries/signal-queries.ts";
import { selectVaults } from "../db/queries/vault-queries.ts";
import { DAY_MS } from "../lib/durations.ts";
import { parseRowOrSkip } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { signalRules } from "./list-signal-rules.ts";
import {
  locateChanges,
  searchBudget,
  type VaultIncident,
  withoutTransaction,
} from "./locate-signal-transactions.ts";
import { type Incident, mergeFindings } from "./merge-signal-findings.ts";
import { groupByVault, readFacts, type SignalVault } from "./read-signal-facts.ts";
import type { VaultFacts } from "./signal-facts.ts";

/**
 * Age up to which all incidents of a vault are loaded, in milliseconds. Of older ones, only the last of each rule and
 * subject is.
 */
const KNOWN_MS = 90 * DAY_MS;
/** Maximum number of vaults per batch, so that their snapshots, and their incidents, fit into one database response. */
const BATCH_SIZE = 40;

/** The result of one run of the signal rules. */
export interface RaiseReport {
  /** Vaults to which the rules were applied. */
  vaults: number;
  /** New incidents of a single finding. */
  raised: number;
  /** The other new or extended incidents. */
  updated: number;
}

/**
 * Applies every signal rule to the vaults of `selectVaults` on served chains, except for unreadable entries. Stores new
 * and extended incidents, and transactions found later. Throws `store_unavailable`; batches stored before it remain.
 */
export async function raiseSignals(ctx: Context): Promise<RaiseReport> {
  const examined = (await selectVaults(ctx.db))
    .filter(({ chainId }) => ctx.chains.definitions.has(chainId))
    .flatMap((row): SignalVault[] => {
      const addedAt = Math.floor(row.createdAt.getTime() / 1000);
      return parseRowOrSkip(ctx, row).map((vault) => ({ vault, addedAt }));
    });
  const stored = await readOfAll(ctx, examined);
  const knownSince = new Date(ctx.now() - KNOWN_MS);
  const report = { vaults: examined.length, raised: 0, updated: 0 };
  const budget = searchBudget();
  for (let start = 0; start < examined.length; start += BATCH_SIZE) {
    const vaults = examined.slice(start, start + BATCH_SIZE);
    const facts = await readFacts(ctx, { ...stored, vaults });
    const rows = await selectIncidents(ctx.db, { since: knownSince, vaults: vaults.map(keyOf) });
    const knownIds = new Set(rows.map(({ signalId }) => signalId));
    const { changed, open } = applyRules(ctx, { vaults, facts, known: groupByVault(rows) });
    const found = await locateChanges(ctx, { found: changed, budget });
    const later = await locateChanges(ctx, { found: withoutTransaction(open, ctx.now()), budget });
    const written = [...found, ...later.filter(({ txHash }) => txHash !== null)];
    await writeIncidents(ctx.db, written);
    report.raised += found.filter(
      ({ signalId, updateCount }) => updateCount === 0 && !knownIds.has(signalId),
    ).length;
    report.updated += found.length;
    if (written.length > 0)
      ctx.purgeEdge([
        "signals",
        "vaults",
        ...written.map(({ chainId, vaultAddress }) => `vault:${chainId}:${vaultAddress}`),
      ]);
  }
  return { ...report, updated: report.updated - report.raised };
}

/**
 * Reads for all batches at once what is little for most vaults: the status changes of the last day, and the governance
 * events stored in it by vault id.
 */
async function readOfAll(ctx: Context, examined: readonly SignalVault[]) {
  const since = new Date(ctx.now() - DAY_MS);
  const changes = await selectStatusChanges(ctx.db, since);
  const events = groupByVault(await selectControlEvents(ctx.db, { since, vaults: examined.map(keyOf) }));
  return { changes, events };
}

const keyOf = ({ vault }: SignalVault) => ({
  chainId: vault.chainId,
  vaultAddress: vault.address.toLowerCase(),
});

/**
 * Applies all signal rules to a batch of vaults. Returns the new and extended incidents, and separately the unchanged
 * ones.
 */
function applyRules(
  ctx: Context,
  input: {
    vaults: readonly SignalVault[];
    facts: ReadonlyMap<string, VaultFacts>;
    known: ReadonlyMap<string, readonly SignalRow[]>;
  },
): { changed: VaultIncident[]; open: VaultIncident[] } {
  const { vaults, facts, known } = input;
  const now = Math.floor(ctx.now() / 1000);
  const knownOf = (vault: Vault): readonly SignalRow[] => known.get(vault.vaultId) ?? [];
  const changed = vaults.flatMap(({ vault }): VaultIncident[] => {
    const own = facts.get(vault.vaultId);
    const rowsOf = knownOf(vault);
    if (own === undefined) return [];
    return signalRules.flatMap((rule) => {
      const findings = rule.find(own, now);
      const incidents = mergeFindings(rule, { findings, known: rowsOf.map(toIncident) });
      return incidents.map((incident) => {
        const before = rowsOf.find(
          (row) =>
            row.ruleId === rule.rule_id &&
            row.subject === incident.subject &&
            row.sequence === incident.sequence,
        );
        return { vault, row: toRow(ctx, { incident, vault, before, dimension: rule.dimension }) };
      });
    });
  });
  const touched = new Set(changed.map(({ row }) => row.signalId));
  const open = vaults.flatMap(({ vault }) => knownOf(vault).map((row): VaultIncident => ({ vault, row })));
  return { changed, open: open.filter(({ row }) => !touched.has(row.signalId)) };
}

const toIncident = (row: SignalRow): Incident => ({
  ...row,
  firstSeen: row.firstSeen.getTime() / 1000,
  lastSeen: row.lastSeen.getTime() / 1000,
});

function toRow(
  ctx: Context,
  of: { incident: Incident; vault: Vault; before: SignalRow | undefined; dimension: SignalRow["dimension"] },
): SignalRow {
  const { incident, vault, before, dimension } = of;
  return {
    ...incident,
    signalId: before?.signalId ?? `sig_${ctx.randomId()}`,
    incidentId: before?.incidentId ?? `inc_${ctx.randomId()}`,
    chainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
    dimension,
    firstSeen: new Date(incident.firstSeen * 1000),
    lastSeen: new Date(incident.lastSeen * 1000),
  };
}
