import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../scripts/db/migrate.ts";
import { readSeedFile, seed, seedList } from "../../scripts/db/seed.ts";
import { SeedRow } from "../../scripts/db/seed-row.ts";
import { NO_CLAIMS, toClaimRow } from "../../src/registry/import-registry-claims.ts";
import { connectionString, openDriver, startHub, type TestHub } from "../support/stack/harness.ts";

const folder = mkdtempSync(join(tmpdir(), "causeway-migrations-"));
let hub: TestHub;
const target = () => ({ databaseUrl: connectionString(hub), endpoint: `${hub.neon}/sql` });

/** Writes migrations in drizzle-kit's format: a journal and one file each, newest last. */
function writeMigrations(files: Record<string, string>): void {
  mkdirSync(join(folder, "meta"), { recursive: true });
  const entries = Object.keys(files).map((tag, idx) => ({ idx, when: 4_000_000_000_000 + idx, tag }));
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ entries }));
  for (const [tag, text] of Object.entries(files)) writeFileSync(join(folder, `${tag}.sql`), text);
}

const tables = async (name: string) => {
  const sql = openDriver(hub);
  return (await sql`SELECT tablename FROM pg_tables WHERE tablename = ${name}`).length;
};

beforeAll(async () => {
  hub = await startHub();
  await migrate(target());
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await hub.close();
});

describe("migrate()", () => {
  test("creates the project's schema, and changes nothing the second time", async () => {
    expect(await tables("vaults")).toBe(1);
    expect((await migrate(target())).applied).toEqual([]);
  });

  test("changes nothing in a dry run", async () => {
    writeMigrations({ "0000_dry": "CREATE TABLE dry (id int)" });
    const { applied } = await migrate({ ...target(), folder, dryRun: true });
    expect(applied).toEqual([4_000_000_000_000]);
    expect(await tables("dry")).toBe(0);
  });

  test("rolls back a failing migration and keeps the earlier ones", async () => {
    const broken = "CREATE TABLE half (id int);--> statement-breakpoint\nCREATE TABLE half (id int);";
    writeMigrations({ "0000_good": "CREATE TABLE good (id int)", "0001_bad": broken });
    await expect(migrate({ ...target(), folder })).rejects.toMatchObject({ code: "42P07" });
    expect([await tables("good"), await tables("half")]).toEqual([1, 0]);
    writeMigrations({ "0000_good": "CREATE TABLE good (id int)", "0001_bad": "CREATE TABLE half (id int)" });
    expect((await migrate({ ...target(), folder })).applied).toEqual([4_000_000_000_001]);
    expect(await tables("half")).toBe(1);
  });

  test("rejects a migration that was changed after it had been applied", async () => {
    writeMigrations({ "0000_good": "CREATE TABLE other (id int)" });
    await expect(migrate({ ...target(), folder })).rejects.toThrow("was changed after");
  });

  test("applies a migration once when several migrators run concurrently", async () => {
    writeMigrations({
      "0000_good": "CREATE TABLE good (id int)",
      "0001_bad": "CREATE TABLE half (id int)",
      // Slow enough that the migrators overlap.
      "0002_race": "SELECT pg_sleep(0.3);--> statement-breakpoint\nINSERT INTO good VALUES (1)",
    });
    await Promise.all(Array.from({ length: 3 }, () => migrate({ ...target(), folder })));
    expect(await openDriver(hub)`SELECT * FROM good`).toHaveLength(1);
  });
});

describe("seed()", () => {
  const address = "0x00000000000000000000000000000000000000aa";
  const row = SeedRow.parse({
    chainId: 99,
    address,
    type: "custom",
    adapter: "erc4626",
    name: "First",
    assetAddress: address,
    assetSymbol: "T",
    assetDecimals: 6,
    shareToken: address,
    shareDecimals: 18,
    entryPoint: address,
    spender: address,
    pricer: address,
    acceptedAssets: [{ address, symbol: "T", decimals: 6 }],
    status: "active",
  });
  const stored = async () => {
    const sql = openDriver(hub);
    return (await sql`SELECT name, status, params, accepted_assets FROM vaults WHERE chain_id = 99`)[0];
  };

  test("inserts and updates rows, and keeps a status set by the operator", async () => {
    await seed({ ...target(), rows: [row] });
    expect(await stored()).toEqual({
      name: "First",
      status: "active",
      params: {},
      accepted_assets: [{ address, symbol: "T", decimals: 6 }],
    });
    await openDriver(hub)`UPDATE vaults SET status = 'paused' WHERE chain_id = 99`;
    await seed({ ...target(), rows: [{ ...row, name: "Second" }] });
    expect(await stored()).toMatchObject({ name: "Second", status: "paused" });
    await seed({ ...target(), rows: [row], withStatus: true });
    expect(await stored()).toMatchObject({ name: "First", status: "active" });
  });

  test("keeps in mind that a vault was active, whatever its status becomes", async () => {
    const sql = openDriver(hub);
    const wasActive = async () =>
      (await sql`SELECT was_active FROM vaults WHERE chain_id = 96`).map((found) => found["was_active"]);
    const own = { ...row, chainId: 96 };
    await seed({ ...target(), rows: [{ ...own, status: "candidate" }] });
    expect(await wasActive()).toEqual([false]);
    await seed({ ...target(), rows: [own] });
    expect(await wasActive()).toEqual([true]);
    await seed({ ...target(), rows: [{ ...own, status: "unsupported" }], withStatus: true });
    expect(await wasActive()).toEqual([true]);
    await sql`UPDATE vaults SET status = 'refused', was_active = false WHERE chain_id = 96`;
    await sql`INSERT INTO audit (id, at, actor, action, subject, request_id)
      VALUES ('aud_kept', now(), 'proof', 'vault.prove', ${`96:${address}`}, 'r')`;
    await seed({ ...target(), rows: [own] });
    expect(await wasActive()).toEqual([false]);
  });

  test("leaves an open row open that a later file has as a candidate", async () => {
    const sql = openDriver(hub);
    const now = async () =>
      (await sql`SELECT status, status_by, was_active FROM vaults WHERE chain_id = 93`)[0];
    const own = { ...row, chainId: 93 };
    const candidate = { ...own, status: "candidate", statusReason: "not proven yet" } as const;
    await seed({ ...target(), rows: [own] });
    expect(await now()).toEqual({ status: "active", status_by: "proof", was_active: true });
    // An earlier release seeded open rows as an administrator's.
    await sql`UPDATE vaults SET status_by = 'admin' WHERE chain_id = 93`;
    await seed({ ...target(), rows: [candidate] });
    expect(await now()).toEqual({ status: "active", status_by: "admin", was_active: true });
    await sql`DELETE FROM vaults WHERE chain_id = 93`;
    await seed({ ...target(), rows: [candidate] });
    expect(await now()).toEqual({ status: "candidate", status_by: "proof", was_active: false });
    await seed({ ...target(), rows: [{ ...own, status: "unsupported" }], withStatus: true });
    expect(await now()).toMatchObject({ status: "unsupported", status_by: "admin" });
  });

  describe("seed() on a row that was changed at run time", () => {
    const other = "0x00000000000000000000000000000000000000bb";
    const run = { ...row, chainId: 98, address: other };
    const sql = () => openDriver(hub);
    const now = async () => {
      const [found] = await sql()`SELECT name, status, spender, params FROM vaults WHERE chain_id = 98`;
      return found;
    };
    const touch = () => sql()`INSERT INTO audit (id, at, actor, action, subject, request_id)
      VALUES ('aud_seed', now(), 'admin', 'vault.change', ${`98:${other}`}, 'r')`;

    test("activates an unsupported row without an audit row, and never disables one", async () => {
      await seed({ ...target(), rows: [{ ...run, status: "unsupported", statusReason: "not reviewed" }] });
      await seed({ ...target(), rows: [run] });
      expect(await now()).toMatchObject({ status: "active", spender: address });
      const less = { ...run, status: "unsupported", spender: other, name: "Renamed" } as const;
      await seed({ ...target(), rows: [less] });
      expect(await now()).toMatchObject({ status: "active", spender: address, name: "Renamed" });
    });

    test("keeps the row's status and derived columns", async () => {
      await touch();
      await sql()`UPDATE vaults SET status = 'unsupported', spender = ${other}, params = '{"teller":"d"}' WHERE chain_id = 98`;
      await seed({ ...target(), rows: [run] });
      expect(await now()).toEqual({
        name: "First",
        status: "unsupported",
        spender: other,
        params: { teller: "d" },
      });
      await seed({ ...target(), rows: [run], withStatus: true });
      expect(await now()).toMatchObject({ status: "active", spender: address, params: {} });
    });
  });

  test("leaves what proofs and registers found of a row, and the whole of one that the file does not change", async () => {
    const third = "0x00000000000000000000000000000000000000cc";
    const proven = { ...row, chainId: 97, address: third };
    const sql = openDriver(hub);
    const now = async (): Promise<Record<string, unknown>> => ({
      ...(await sql`SELECT * FROM vaults WHERE chain_id = 97`)[0],
    });
    await seed({ ...target(), rows: [proven] });
    await sql`UPDATE vaults SET proof = '{"ok":false,"reason":"full"}', proof_refusals = 2, was_active = true,
      proof_due_at = '2030-01-01', updated_at = '2020-01-01', named_by = '["list:x"]', status_by = 'proof'
      WHERE chain_id = 97`;
    const before = await now();
    expect(before).toMatchObject({ proof: { ok: false }, was_active: true });
    await seed({ ...target(), rows: [proven] });
    expect(await now()).toEqual(before);
    const { updated_at: _, ...kept }: Record<string, unknown> = { ...before, name: "Renamed" };
    await seed({ ...target(), rows: [{ ...proven, name: "Renamed" }] });
    const renamed = await now();
    expect(renamed).toMatchObject(kept);
    expect(renamed["updated_at"]).not.toEqual(before["updated_at"]);
    await seed({ ...target(), rows: [{ ...proven, name: "Renamed", spender: third }] });
    const {
      proof_due_at: due,
      updated_at: __,
      ...rest
    } = { ...kept, spender: third } as Record<string, unknown>;
    const changed = await now();
    expect(changed).toMatchObject(rest);
    expect(changed["proof_due_at"]).not.toEqual(due);
  });

  describe("seed() on a row with a passed proof", () => {
    const fourth = "0x00000000000000000000000000000000000000dd";
    const given = { ...row, chainId: 95, address: fourth };
    const now = async () =>
      (await openDriver(hub)`SELECT caller, spender, params, name FROM vaults WHERE chain_id = 95`)[0];
    const find = (proof: object, caller: string) => openDriver(hub)`UPDATE vaults
      SET proof = ${JSON.stringify(proof)}, caller = ${caller}, spender = ${fourth}, params = '{"teller":"d"}'
      WHERE chain_id = 95`;
    const found = { caller: "user", spender: fourth, params: { teller: "d" } };

    test("keeps what the proof found, also after a refusal, and takes the texts", async () => {
      await seed({ ...target(), rows: [given] });
      await find({ ok: true }, "user");
      await seed({ ...target(), rows: [{ ...given, name: "Renamed" }] });
      expect(await now()).toEqual({ ...found, name: "Renamed" });
      await find({ ok: false, code: "0x01" }, "user");
      await seed({ ...target(), rows: [given] });
      expect(await now()).toEqual({ ...found, name: "First" });
    });

    test("takes a caller with whom deposits always work", async () => {
      await find({ ok: true }, "router");
      await seed({ ...target(), rows: [{ ...given, caller: "user" }] });
      expect(await now()).toMatchObject(found);
    });
  });

  test("seed() keeps the texts that an administrator changed, and no others", async () => {
    const fifth = "0x00000000000000000000000000000000000000ee";
    const given = { ...row, chainId: 94, address: fifth };
    const sql = openDriver(hub);
    await seed({ ...target(), rows: [given] });
    await sql`UPDATE vaults SET name = 'Decided', curator = 'Stored' WHERE chain_id = 94`;
    await sql`INSERT INTO audit (id, at, actor, action, subject, request_id, after)
      VALUES ('aud_text', now(), 'admin', 'vault.change', ${`94:${fifth}`}, 'r', '{"status":"active","name":"Decided"}')`;
    await seed({ ...target(), rows: [{ ...given, curator: "Told" }] });
    const [found] = await sql`SELECT name, curator FROM vaults WHERE chain_id = 94`;
    expect(found).toEqual({ name: "Decided", curator: "Told" });
  });

  test("accepts the repository's rows", () => {
    expect(readSeedFile()).toBeInstanceOf(Array);
    expect(readSeedFile(join(folder, "absent.json"))).toEqual([]);
  });

  test("names the invalid field of a row", () => {
    const file = join(folder, "wrong.json");
    writeFileSync(file, JSON.stringify([{ ...row, spender: "0xNo" }]));
    expect(() => readSeedFile(file)).toThrow(/0\.spender: a lower-case address/);
  });
});

test("seedList() takes a list's name from vaults that its new edition lacks, with an audit row", async () => {
  const provenance = { source: "list", detail: "mine" } as const;
  const addresses = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`] as const;
  const rows = addresses.map((address) => ({
    ...toClaimRow({ ...NO_CLAIMS, chainId: 31337, address }, { provenance, now: 0 }),
    namedBy: ["list:mine"],
  }));
  await seedList(target(), rows);
  await seedList(target(), rows.slice(0, 1));
  const sql = openDriver(hub);
  const stored = await sql`select address, named_by, proof_due_at > '2000-01-01' as again from vaults
    where provenance ->> 'detail' = 'mine' order by address`;
  expect(stored).toEqual([
    { address: addresses[0], named_by: ["list:mine"], again: false },
    { address: addresses[1], named_by: [], again: true },
  ]);
  const noted = await sql`select actor, action, subject, before from audit where action = 'vault.unlist'`;
  expect(noted).toEqual([
    {
      ...{ actor: "seed", action: "vault.unlist", subject: `31337:${addresses[1]}` },
      before: { list: "list:mine" },
    },
  ]);
});
