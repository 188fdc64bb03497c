import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { audit } from "../../src/db/tables/partner-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { runCommand } from "../command.ts";
import { readPublishedRows } from "../registry/vault-list.ts";
import { connect, type DatabaseTarget, targetFromEnvironment } from "./connect.ts";
import { type SeedRow, SeedRows } from "./seed-row.ts";

/** Path of the reviewed registry rows of the repository. */
export const seedFile = join(import.meta.dirname, "../../drizzle/seed/vaults.json");
/** Reason of the file's candidates whose contracts are known, so that only their proof is missing. */
export const UNPROVEN = "not proven yet";
/** Rows per statement: well below Postgres' limit of 65,535 parameters. */
const CHUNK = 500;

/**
 * Reads the reviewed registry rows; an absent file has none. Throws naming the first invalid field, or for invalid
 * JSON.
 */
export function readSeedFile(file = seedFile): SeedRow[] {
  if (!existsSync(file)) return [];
  const parsed = SeedRows.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${file}: ${issue?.path.join(".")}: ${issue?.message}`);
}

/**
 * Writes registry rows. Existing rows get the file's texts and limits, except texts that an administrator changed. Their
 * addresses and other critical fields are kept if they were changed at run time (an audit row exists), if a proof that
 * passed found them on chain, or if the stored row is open (`active` or `paused`) and the file's is not; only `caller`
 * may become `user`, as whom deposits always work. Their status is kept too, unless they are not open and have no audit
 * row. Proofs and the lists that name a vault are kept; a proof becomes due if more than texts and limits change. A row
 * that changes nothing is left as it is. `withStatus` overwrites everything, except that a vault which was active stays
 * known as such. Returns the number of the file's rows.
 */
export async function seed(
  target: DatabaseTarget & { rows: readonly SeedRow[]; withStatus?: boolean },
): Promise<number> {
  const db = drizzle({ client: connect(target) });
  const changes = updates(target.withStatus === true);
  const rows = target.rows.map((row) => ({ ...row, ...originOf(row), wasActive: row.status === "active" }));
  for (let start = 0; start < target.rows.length; start += CHUNK) {
    await db
      .insert(vaults)
      .values(rows.slice(start, start + CHUNK))
      .onConflictDoUpdate({ target: [vaults.chainId, vaults.address], ...changes });
  }
  return target.rows.length;
}

/** Returns who decides the status of a row of the file: what it closes stays closed, all else is left to the proofs. */
const originOf = ({ status }: SeedRow) => {
  const isClosed = status === "paused" || status === "unsupported";
  return { statusBy: isClosed ? ("admin" as const) : ("proof" as const) };
};

/**
 * Adds the vaults of public lists, of each all, as candidates. A known vault only records the list; one that its list no
 * longer names loses the list's name, with an audit row, and its proof becomes due. Returns the number of rows.
 */
export async function seedList(
  target: DatabaseTarget,
  rows: readonly (typeof vaults.$inferInsert & { namedBy: string[] })[],
): Promise<number> {
  const db = drizzle({ client: connect(target) });
  for (let start = 0; start < rows.length; start += CHUNK) {
    const named = sql`excluded.named_by`;
    await db
      .insert(vaults)
      .values(rows.slice(start, start + CHUNK))
      .onConflictDoUpdate({
        target: [vaults.chainId, vaults.address],
        set: { namedBy: sql`${vaults.namedBy} || ${named}` },
        setWhere: sql`not ${vaults.namedBy} @> ${named}`,
      });
  }
  for (const source of new Set(rows.flatMap(({ namedBy }) => namedBy))) {
    const named = rows.filter(({ namedBy }) => namedBy.includes(source));
    const ids = JSON.stringify(named.map(({ chainId, address }) => `${chainId}:${address}`));
    await db.execute(sql`with gone as (
        update vaults set named_by = named_by - ${source}::text, proof_due_at = now()
        where named_by @> ${JSON.stringify([source])}::jsonb
          and not chain_id || ':' || address = any(array(select jsonb_array_elements_text(${ids}::jsonb)))
        returning chain_id || ':' || address as subject)
      insert into audit (id, at, actor, action, subject, note, before, after, request_id)
        select 'aud_' || gen_random_uuid(), now(), 'seed', 'vault.unlist', subject, '',
          jsonb_build_object('list', ${source}::text), jsonb_build_object('list', null), '' from gone`);
  }
  return rows.length;
}

const KEY: ReadonlySet<string> = new Set(["chainId", "address", "createdAt"]);
const STATUS: ReadonlySet<string> = new Set(["status", "statusReason", "statusBy"]);
/** Texts and limits that no chain provides: the file is authoritative. */
const TEXTS: ReadonlySet<string> = new Set(["name", "curator", "minDeposit", "noMinimum", "startBlock"]);
/** What proofs and registers found at run time: the file says nothing of it. */
const RUN_TIME: ReadonlySet<string> = new Set(["namedBy", "proof", "proofRefusals", "wasActive"]);
/** What a passed proof found on chain. */
const DERIVED: ReadonlySet<string> = new Set([
  ...[
    "type",
    "adapter",
    "params",
    "assetAddress",
    "assetSymbol",
    "assetDecimals",
    "shareToken",
    "shareDecimals",
  ],
  ...["entryPoint", "spender", "pricer", "acceptedAssets", "caller"],
]);
/** Texts that an administrator can change, by the name under which the audit row of the change has them. */
const DECIDED: ReadonlySet<string> = new Set(["name", "curator"]);
/** Times of a row that is changed. */
const TIMES: ReadonlySet<string> = new Set(["updatedAt", "proofDueAt"]);

/** SQL condition of a status that shows a vault in lists. */
const isOpen = (status: SQL | typeof vaults.status): SQL => sql`${status} in ('active', 'paused')`;

/** Returns what a row of the file changes in a stored row (`set`), and the condition that it changes something. */
function updates(withStatus: boolean): { set: Record<string, SQL>; setWhere?: SQL } {
  const ofRow = sql`${audit.subject} = ${vaults.chainId} || ':' || ${vaults.address}`;
  const touched = sql`exists (select 1 from ${audit} where ${ofRow})`;
  const decided = (name: string) =>
    sql`exists (select 1 from ${audit} where ${ofRow} and ${audit.after} ? ${name}::text)`;
  // A later refusal keeps the code of the proof that passed.
  const found = sql`(coalesce(${vaults.proof} ->> 'ok' = 'true', false) or ${vaults.proof} ->> 'code' is not null)`;
  const raised = sql`not ${isOpen(vaults.status)} and not ${touched}`;
  const lowers = sql`not ${isOpen(sql`excluded.status`)} and ${isOpen(vaults.status)}`;
  const columns = Object.entries(getTableColumns(vaults)).filter(([name]) => !KEY.has(name));
  const fromFile = (column: { name: string }): SQL => sql`excluded.${sql.identifier(column.name)}`;
  // Users may still hold shares of a vault that was active.
  const becomes = withStatus ? sql`true` : raised;
  const wasActive = sql`${vaults.wasActive} or ${vaults.status} = 'active' or (${fromFile(vaults.wasActive)} and ${becomes})`;
  const keeps = (name: string, given: SQL): SQL => {
    if (STATUS.has(name)) return sql`not (${raised})`;
    if (TEXTS.has(name)) return DECIDED.has(name) ? decided(name) : sql`false`;
    const kept = sql`${touched} or (${lowers})`;
    if (!DERIVED.has(name)) return kept;
    return sql`${kept} or (${found}${name === "caller" ? sql` and ${given} <> 'user'` : sql``})`;
  };
  if (withStatus) {
    const all = columns.map(([name, column]) => [name, fromFile(column)]);
    return { set: { ...Object.fromEntries(all), wasActive } };
  }
  const changes = columns
    .filter(([name]) => !RUN_TIME.has(name) && !TIMES.has(name))
    .map(([name, column]) => {
      const kept = keeps(name, fromFile(column));
      const value = sql`case when ${kept} then ${column} else ${fromFile(column)} end`;
      return { name, value, differs: sql`${value} is distinct from ${column}` };
    });
  const differ = (some: typeof changes): SQL =>
    sql`(${sql.join(
      some.map(({ differs }) => differs),
      sql` or `,
    )})`;
  changes.push({ name: "wasActive", value: wasActive, differs: sql`(${wasActive}) <> ${vaults.wasActive}` });
  // Texts need no proof.
  const proven = differ(changes.filter(({ name }) => !TEXTS.has(name) && name !== "wasActive"));
  return {
    set: {
      ...Object.fromEntries(changes.map(({ name, value }) => [name, value])),
      proofDueAt: sql`case when ${proven} then ${fromFile(vaults.proofDueAt)} else ${vaults.proofDueAt} end`,
      updatedAt: fromFile(vaults.updatedAt),
    },
    setWhere: differ(changes),
  };
}

await runCommand(import.meta.filename, {
  help: `Writes the registry rows of drizzle/seed/vaults.json into the database, and those of the public list
drizzle/seed/published-vaults.json as candidates, which open only through the admission gate.

  node scripts/db/seed.ts [--dry-run] [--with-status]

  --dry-run      only validate the file and count its rows
  --with-status  also overwrite the status and run-time changes of existing rows
  --help         show this text

Environment: DATABASE_URL, and DATABASE_HTTP_URL when Neon's endpoint differs from the host's.`,
  switches: ["dry-run", "with-status"],
  run: async (given) => {
    const [rows, listed] = [readSeedFile(), readPublishedRows()];
    const write = async () => {
      const target = targetFromEnvironment();
      await seed({ ...target, rows, withStatus: given.has("with-status") });
      await seedList(target, listed);
    };
    if (!given.has("dry-run")) await write();
    console.log(`${rows.length} vaults ${given.has("dry-run") ? "to write" : "written"}`);
    console.log(
      `${listed.length} vaults of a public list ${given.has("dry-run") ? "to add" : "added or known"}`,
    );
  },
});
