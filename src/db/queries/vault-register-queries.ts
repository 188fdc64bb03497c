import { and, eq, getTableColumns, inArray, sql as raw } from "drizzle-orm";
import { once } from "../../lib/once.ts";
import type { Database } from "../database-client.ts";
import { vaultRegisterTips, vaults } from "../tables/vault-tables.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";
import type { NewVault } from "./vault-queries.ts";

/**
 * A row of the table `vault_register_tips`: how far one register (a contract that lists a protocol's vaults, such as a
 * factory) has been read.
 */
export type RegisterTip = typeof vaultRegisterTips.$inferSelect;

/**
 * Selects how far the registers (contracts that list a protocol's vaults) on the given chains have been read, in no
 * particular order; registers that no run has tried to read are absent. Throws `store_unavailable`.
 */
export function selectRegisterTips(db: Database, chainIds: readonly number[]): Promise<RegisterTip[]> {
  return db.run((sql) =>
    sql
      .select()
      .from(vaultRegisterTips)
      .where(inArray(vaultRegisterTips.chainId, [...chainIds])),
  );
}

/** Maximum number of candidates per statement, well below PostgreSQL's limit of parameters. */
const CHUNK = 200;

/**
 * The vaults that one read of a register (a contract that lists a protocol's vaults) returned, and the new reading
 * progress (`tip`).
 */
export interface RegisterReport {
  tip: RegisterTip;
  /** The register in the form in which registry entries name it, `register:<address>`. */
  source: string;
  candidates: readonly NewVault[];
  /** True if the whole register was read, so that missing vaults count as removed from it. */
  complete: boolean;
}

/**
 * Stores what was read from a register: new vaults, and its name in `namedBy` of the known ones. A complete read
 * removes its name from vaults that it no longer lists, whose proofs become due. A failure may leave a part stored.
 * Throws `store_unavailable`.
 */
export async function writeRegisterReport(db: Database, report: RegisterReport): Promise<void> {
  const { tip, source, candidates } = report;
  for (let start = 0; start < candidates.length; start += CHUNK) {
    const rows = candidates.slice(start, start + CHUNK).map((row) => ({ ...row, namedBy: [source] }));
    const named = JSON.stringify([source]);
    await db.run((sql) =>
      sql
        .insert(vaults)
        .values(rows)
        .onConflictDoUpdate({
          target: [vaults.chainId, vaults.address],
          set: { namedBy: raw`${vaults.namedBy} || ${named}::jsonb` },
          setWhere: raw`not ${vaults.namedBy} @> ${named}::jsonb`,
        }),
    );
  }
  if (report.complete) await forgetOthers(db, report);
  const { chainId, address, ...columns } = tip;
  await db.run((sql) =>
    sql
      .insert(vaultRegisterTips)
      .values(tip)
      .onConflictDoUpdate({ target: [vaultRegisterTips.chainId, vaultRegisterTips.address], set: columns }),
  );
}

async function forgetOthers(db: Database, { tip, source, candidates }: RegisterReport): Promise<void> {
  const kept = JSON.stringify(candidates.map(({ address }) => address));
  await db.run((sql) =>
    sql
      .update(vaults)
      .set({ namedBy: raw`${vaults.namedBy} - ${source}::text`, proofDueAt: raw`now()` })
      .where(
        and(
          eq(vaults.chainId, tip.chainId),
          raw`${vaults.namedBy} @> ${JSON.stringify([source])}::jsonb`,
          raw`not ${vaults.address} = any(array(select jsonb_array_elements_text(${kept}::jsonb)))`,
        ),
      ),
  );
}

/** Returns true for an entry that an operator's claim takes over: found by others, and never opened or decided. */
export const isUnclaimed = ({
  status,
  statusBy,
  wasActive,
  provenance,
}: Pick<typeof vaults.$inferSelect, "status" | "statusBy" | "wasActive" | "provenance">): boolean =>
  (status === "candidate" || status === "refused") &&
  statusBy === "proof" &&
  !wasActive &&
  (provenance.source === "list" || provenance.source === "factory");

/** SQL condition that `isUnclaimed`. */
const unclaimed = raw`${vaults.status} in ('candidate', 'refused') and ${vaults.statusBy} = 'proof'
  and not ${vaults.wasActive} and ${vaults.provenance} ->> 'source' in ('list', 'factory')`;

/** Columns of such an entry that an operator's claim keeps. */
const KEPT: ReadonlySet<string> = new Set([
  ...["chainId", "address", "createdAt", "namedBy", "proof", "wasActive"],
  ...["minDeposit", "noMinimum", "startBlock"],
]);

/** Values of the columns that an operator's claim replaces. */
const replaced = once(() =>
  Object.fromEntries(
    Object.entries(getTableColumns(vaults)).flatMap(([name, column]) =>
      KEPT.has(name) ? [] : [[name, raw`excluded.${raw.identifier(column.name)}`]],
    ),
  ),
);

/**
 * Inserts claimed vaults that are not in the registry, each with an audit row, and returns their keys. Adds the public
 * list `source` (`list:<name>`) to `namedBy` of new and known ones; if it is null, the claims are an operator's, which
 * also replace entries that are `isUnclaimed`, and return their keys. Throws `store_unavailable`.
 */
export async function insertClaims(
  db: Database,
  of: { rows: readonly NewVault[]; source: string | null; note: AuditNote },
): Promise<{ chainId: number; address: string }[]> {
  const { source, note } = of;
  if (of.rows.length === 0) return [];
  const rows = of.rows.map((row) => ({ ...row, namedBy: source === null ? [] : [source] }));
  const named = JSON.stringify(source === null ? [] : [source]);
  const known =
    source === null
      ? { set: replaced(), setWhere: unclaimed }
      : {
          set: { namedBy: raw`${vaults.namedBy} || ${named}::jsonb` },
          setWhere: raw`not ${vaults.namedBy} @> ${named}::jsonb`,
        };
  return db.run(async (sql) => {
    const given = sql.$with("given").as(
      sql
        .insert(vaults)
        .values(rows)
        .onConflictDoUpdate({
          target: [vaults.chainId, vaults.address],
          ...known,
        })
        .returning({
          chainId: vaults.chainId,
          address: vaults.address,
          adapter: vaults.adapter,
          // Only a row that this statement inserted was never locked or updated.
          added: raw<boolean>`(${source === null}::bool or xmax = 0)`.as("added"),
        }),
    );
    const noted = auditInsert(note, {
      subject: raw`chain_id || ':' || address`,
      before: raw`null::jsonb`,
      after: raw`jsonb_build_object('status', 'candidate', 'adapter', adapter)`,
      from: raw`given where added`,
      many: true,
    });
    return sql
      .with(given, sql.$with("noted", {}).as(raw`${noted}`))
      .select({ chainId: given.chainId, address: given.address })
      .from(given)
      .where(eq(given.added, true));
  });
}

/**
 * Removes the public list `source` (`list:<name>`) from `namedBy` of the given vaults (chain id and lowercase address),
 * each with an audit row, and makes their proofs due. Vaults that the list does not name are left as they are. Returns
 * the number of vaults that changed. Throws `store_unavailable`.
 */
export async function forgetListed(
  db: Database,
  of: { keys: readonly { chainId: number; address: string }[]; source: string; note: AuditNote },
): Promise<number> {
  const { source, note } = of;
  if (of.keys.length === 0) return 0;
  const ids = JSON.stringify(of.keys.map(({ chainId, address }) => `${chainId}:${address}`));
  const id = raw`${vaults.chainId} || ':' || ${vaults.address}`;
  const rows = await db.run((sql) => {
    const gone = sql.$with("gone").as(
      sql
        .update(vaults)
        .set({ namedBy: raw`${vaults.namedBy} - ${source}::text`, proofDueAt: raw`now()` })
        .where(
          and(
            raw`${vaults.namedBy} @> ${JSON.stringify([source])}::jsonb`,
            raw`${id} = any(array(select jsonb_array_elements_text(${ids}::jsonb)))`,
          ),
        )
        .returning({ chainId: vaults.chainId, address: vaults.address }),
    );
    const noted = auditInsert(note, {
      subject: raw`chain_id || ':' || address`,
      before: raw`jsonb_build_object('list', ${source}::text)`,
      after: raw`jsonb_build_object('list', null)`,
      from: raw`gone`,
      many: true,
    });
    return sql
      .with(gone, sql.$with("noted", {}).as(raw`${noted}`))
      .select({ chainId: gone.chainId })
      .from(gone);
  });
  return rows.length;
}
