import { join } from "node:path";
import { sql as raw, type SQL } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/neon-http";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import type { Backend } from "../../../scripts/stack/emulators/neon/backend.ts";
import { neonEmulator } from "../../../scripts/stack/emulators/neon/endpoint.ts";
import { openPglite } from "../../../scripts/stack/emulators/neon/pglite.ts";
import { snapshotFile } from "../../../scripts/stack/emulators/neon/snapshot.ts";
import { neonClient } from "../../../src/db/neon-client.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import type { Fetch } from "../../../src/lib/bounded-fetch.ts";
import { HOME, OWN_VAULT, ROUTED_VAULT, USDC } from "./contracts.ts";
import { openSingleSession } from "./single-session.ts";

const root = join(import.meta.dirname, "../../..");
/** Connection string of the database. */
export const DATABASE = "postgresql://causeway:causeway@db.invalid/causeway";
export const ENDPOINT = "http://db.invalid/sql";

/** A Postgres database that speaks Neon's protocol without a network. */
export interface EmbeddedDatabase {
  fetch: Fetch;
  /** Returns the number of statements and batches so far. */
  requests(): number;
  /** Empties every table and writes the registry of vaults, by default of the chain HOME. */
  reset(chainIds?: readonly number[]): Promise<void>;
  /** Runs a statement and returns its rows, whose values are texts. */
  execute(statement: string | SQL): Promise<readonly Record<string, unknown>[]>;
  /** Runs statements in one session and returns the rows of the last, as text. */
  inspect(statements: readonly { query: string; params: unknown[] }[]): Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens a database with the schema applied: the embedded one, or an empty database of a real server, which needs a
 * third of the processor time.
 */
export async function openEmbeddedDatabase(serverUrl: string | null = null): Promise<EmbeddedDatabase> {
  const embedded = serverUrl === null ? await openPglite(snapshotFile(root)) : null;
  const backend: Backend = embedded ?? (await openSingleSession(serverUrl ?? ""));
  if (embedded?.restored !== true) {
    const files = readMigrationFiles({ migrationsFolder: join(root, "drizzle") });
    for (const statement of files.flatMap(({ sql }) => sql))
      if (statement.trim() !== "") await backend.session((run) => run({ query: statement, params: [] }));
  }
  const credentials = { user: "causeway", password: "causeway", database: "causeway" };
  const emulator = neonEmulator(Promise.resolve(backend), credentials);
  let requests = 0;
  const fetch: Fetch = async (_url, init) => {
    requests += 1;
    const headers = Object.fromEntries(new Headers(init?.headers));
    const body = Buffer.from(String(init?.body ?? ""));
    const { status, body: text } = await emulator.handle({ method: "POST", path: "/sql", headers, body });
    return new Response(text, { status });
  };
  const db = drizzle({ client: neonClient({ databaseUrl: DATABASE, httpUrl: ENDPOINT, fetch }) });
  const empty = await emptyingStatement(backend);
  return {
    fetch,
    requests: () => requests,
    async reset(chainIds = [HOME]) {
      await db.execute(raw.raw(empty));
      const rows = chainIds.flatMap((chainId) => [
        registryRow(1, { chainId, caller: "router" }),
        registryRow(2, { chainId, caller: "user" }),
      ]);
      await db.insert(vaults).values(rows);
    },
    execute: async (statement) =>
      (await db.execute(typeof statement === "string" ? raw.raw(statement) : statement)).rows,
    inspect: (statements) =>
      backend.session(async (run) => {
        let text = "";
        for (const statement of [BEGIN, ...statements, ROLLBACK]) {
          const { rows } = await run(statement);
          if (statement !== ROLLBACK) text = rows.map((row) => row.join(" ")).join("\n");
        }
        return text;
      }),
    close: () => backend.close(),
  };
}

/**
 * Returns a statement that empties only the tables with rows, because truncating all tables takes longer than a
 * schedule.
 */
async function emptyingStatement(backend: Backend): Promise<string> {
  const { rows } = await backend.session((run) =>
    run({
      query: "select quote_ident(tablename) from pg_tables where schemaname = 'public' order by tablename",
      params: [],
    }),
  );
  const tables = rows.map(([name]) => name ?? "");
  // Rows of the audit cannot be deleted.
  const emptying = (name: string): string => (name === "audit" ? `truncate ${name}` : `delete from ${name}`);
  const deletions = tables.map((name) => `if exists (select from ${name}) then ${emptying(name)}; end if;`);
  return `do $$ begin ${deletions.join(" ")} end $$`;
}

const BEGIN = { query: "begin", params: [] };
const ROLLBACK = { query: "rollback", params: [] };

function registryRow(number: 1 | 2, { chainId, caller }: { chainId: number; caller: "router" | "user" }) {
  const vault = (number === 1 ? ROUTED_VAULT : OWN_VAULT).toLowerCase();
  const asset = (USDC[chainId] ?? "").toLowerCase();
  return {
    ...vaultRow({ number, address: vault as `0x${string}`, chainId }),
    ...{ assetAddress: asset, caller, acceptedAssets: [] },
  };
}
