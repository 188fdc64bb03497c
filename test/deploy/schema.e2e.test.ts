import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../scripts/db/migrate.ts";
import { Api } from "../support/e2e/api.ts";
import { chainOf, newUser, vaultNamed } from "../support/e2e/chain.ts";
import { query } from "../support/e2e/database.ts";
import { amounts, bodyFor, depositAndCheck } from "../support/e2e/deposit.ts";
import { type SecondWorker, startWorker } from "../support/e2e/worker.ts";
import { connectionString, openDriver, startHub, type TestHub } from "../support/stack/harness.ts";

const root = join(import.meta.dirname, "../..");
const vault = vaultNamed("Plain USDC");
let hub: TestHub;
let worker: SecondWorker;
const target = () => ({ databaseUrl: connectionString(hub), endpoint: `${hub.neon}/sql` });

/** Applies all migrations but the newest: the previous release's schema. */
async function migrateButNewest(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "causeway-schema-"));
  try {
    cpSync(join(root, "drizzle"), folder, { recursive: true });
    const file = join(folder, "meta/_journal.json");
    const journal = JSON.parse(readFileSync(file, "utf8")) as { entries: unknown[] };
    writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, -1) }));
    await migrate({ ...target(), folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

beforeAll(async () => {
  hub = await startHub();
  // The embedded database may start with its schema.
  for (const schema of ["public", "drizzle"])
    await openDriver(hub).query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await openDriver(hub)`CREATE SCHEMA public`;
  await migrateButNewest();
  const rows = JSON.stringify(await query("SELECT * FROM vaults"));
  await openDriver(
    hub,
  )`INSERT INTO vaults SELECT * FROM json_populate_recordset(null::vaults, ${rows}::json)`;
  const { databaseUrl, endpoint } = target();
  const variables = { DATABASE_URL: databaseUrl, DATABASE_HTTP_URL: endpoint };
  worker = await startWorker({ redisPrefix: "schema", variables });
});
afterAll(async () => {
  await worker?.close();
  await hub?.close();
});

/** Makes a deposit from quote to completion and reads it, all on this file's Worker. */
async function depositAndRead(): Promise<void> {
  const api = new Api(worker.origin);
  expect((await api.vaults("?limit=500")).map(({ vault_id }) => vault_id)).toContain(vault.vault_id);
  expect((await api.vault(vault.vault_id)).stale).toBe(false);
  const user = await newUser(chainOf(vault.chain_id), { USDC: amounts.USDC });
  const body = bodyFor(vault, { user: user.address });
  const { built, hash, minted } = await depositAndCheck(api, { vault, user, style: "calls", body });
  expect((await api.report(built.tracking_id, { tx_hash: hash })).status).toBe(200);
  expect(await api.status(hash, vault.chain_id)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  const [position, ...others] = (await api.positions(user.address)).positions;
  expect([position?.share_balance, others]).toEqual([minted.toString(), []]);
}

test("this version works before, during and after the newest migration", async () => {
  await depositAndRead();
  const [{ applied }] = await Promise.all([migrate(target()), depositAndRead()]);
  expect(applied).toHaveLength(1);
  await depositAndRead();
});
