import { NeonDbError } from "@neondatabase/serverless";
import { DrizzleQueryError, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import {
  bigint,
  boolean,
  integer,
  jsonb,
  numeric,
  pgTable,
  serial,
  text,
  timestamp,
  unique,
} from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionString, openDriver, startHub, type TestHub } from "../support/stack/harness.ts";

const samples = pgTable(
  "samples",
  {
    id: serial("id").primaryKey(),
    name: text("name").notNull(),
    big: bigint("big", { mode: "bigint" }),
    amount: numeric("amount", { precision: 78, scale: 0 }),
    flag: boolean("flag"),
    data: jsonb("data"),
    words: text("words").array(),
    numbers: integer("numbers").array(),
    at: timestamp("at", { withTimezone: true, mode: "date", precision: 3 }),
  },
  (table) => [unique("samples_name").on(table.name)],
);

let hub: TestHub;
const open = () => drizzle({ client: openDriver(hub) });
const failureOf = async (work: PromiseLike<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

beforeAll(async () => {
  hub = await startHub();
  const sql = openDriver(hub);
  await sql`DROP TABLE IF EXISTS samples`;
  await sql`CREATE TABLE samples (id serial PRIMARY KEY, name text NOT NULL CONSTRAINT samples_name UNIQUE,
    big bigint, amount numeric(78,0), flag boolean, data jsonb, words text[], numbers int[], at timestamptz(3))`;
});
afterAll(() => hub.close());

describe("Neon emulator with the production driver", () => {
  test("returns every type without loss of digits", async () => {
    const row = {
      name: "types",
      big: 2n ** 62n + 1n,
      amount: (2n ** 256n - 1n).toString(),
      flag: true,
      data: { nested: ["a", 1, null], text: 'quoted "and" ünïcode' },
      words: ['say "hi"', "a,b", "{}", "NULL", "back\\slash"],
      numbers: [1, -2, 3],
      at: new Date("2026-01-02T03:04:05.678Z"),
    };
    await open().insert(samples).values(row);
    const [read] = await open().select().from(samples).where(eq(samples.name, "types"));
    expect(read).toMatchObject(row);
  });

  test("returns nulls and the number of affected rows", async () => {
    const inserted = await open().insert(samples).values({ name: "nulls" }).returning({ big: samples.big });
    expect(inserted).toEqual([{ big: null }]);
    const updated = await open().update(samples).set({ flag: false }).where(eq(samples.name, "nulls"));
    expect(updated.rowCount).toBe(1);
  });

  test("reports the violated constraint, for a query and for a batch", async () => {
    await open().insert(samples).values({ name: "once" });
    const single = await failureOf(open().insert(samples).values({ name: "once" }));
    expect(single).toBeInstanceOf(DrizzleQueryError);
    const { cause } = single as DrizzleQueryError;
    expect(cause).toBeInstanceOf(NeonDbError);
    expect(cause).toMatchObject({ code: "23505", constraint: "samples_name", table: "samples" });
    const db = open();
    const batch = await failureOf(db.batch([db.insert(samples).values({ name: "once" })]));
    expect(batch).toBeInstanceOf(NeonDbError);
    expect(batch).toMatchObject({ code: "23505", constraint: "samples_name" });
  });

  test("rolls back a whole batch when one statement fails", async () => {
    const db = open();
    await failureOf(
      db.batch([
        db.insert(samples).values({ name: "first of two" }),
        db.insert(samples).values({ name: "first of two" }),
      ]),
    );
    expect(await db.select().from(samples).where(eq(samples.name, "first of two"))).toEqual([]);
    await db.batch([
      db.insert(samples).values({ name: "left" }),
      db.insert(samples).values({ name: "right" }),
    ]);
    expect(await db.$count(samples, eq(samples.name, "right"))).toBe(1);
  });

  test("applies the transaction options", async () => {
    const sql = openDriver(hub);
    const write = sql.transaction([sql`DELETE FROM samples`], { readOnly: true });
    expect(await failureOf(write)).toMatchObject({ code: "25006" });
    const [level] = await sql.transaction([sql`SHOW transaction_isolation`], {
      isolationLevel: "Serializable",
    });
    expect(level).toEqual([{ transaction_isolation: "serializable" }]);
  });
});

describe("Neon emulator: sessions", () => {
  test("are reset between requests: transactions, settings, locks and temporary tables", async () => {
    const sql = openDriver(hub);
    await sql`BEGIN`;
    await sql`INSERT INTO samples (name) VALUES ('after a stray BEGIN')`;
    await sql`ROLLBACK`;
    expect(await sql`SELECT name FROM samples WHERE name = 'after a stray BEGIN'`).toHaveLength(1);
    await sql`SET statement_timeout = '7s'`;
    expect(await sql`SHOW statement_timeout`).toEqual([{ statement_timeout: "0" }]);
    await sql`CREATE TEMPORARY TABLE mine (id int)`;
    expect(await failureOf(sql`SELECT * FROM mine`)).toMatchObject({ code: "42P01" });
    await sql`SELECT pg_advisory_lock(42)`;
    const locks = sql`SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory'`;
    expect(await locks).toEqual([{ held: 0 }]);
  });
});

describe("Neon emulator: rejected requests", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${hub.neon}/sql`, {
      method: "POST",
      body,
      headers: { "neon-connection-string": connectionString(hub), ...headers },
    });

  test("rejects several statements in one query, and COPY", async () => {
    const sql = openDriver(hub);
    expect(await failureOf(sql.query("SELECT 1; SELECT 2"))).toMatchObject({ code: "42601" });
    expect(await failureOf(sql.query("COPY samples FROM STDIN"))).toBeInstanceOf(NeonDbError);
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  test("rejects wrong credentials, a missing connection string and an unknown database", async () => {
    const wrong = await failureOf(openDriver(hub, "causeway:guess").query("SELECT 1"));
    expect(wrong).toMatchObject({ message: expect.stringContaining("password authentication failed") });
    const query = JSON.stringify({ query: "SELECT 1", params: [] });
    const host = new URL(hub.neon).host;
    const connections = [
      `postgresql://causeway@${host}/causeway`,
      `postgresql://causeway:causeway@${host}/x`,
    ];
    const [bare, unknown] = await Promise.all(
      connections.map(async (text) => {
        const response = await post(query, { "neon-connection-string": text });
        return { status: response.status, body: await response.json() };
      }),
    );
    expect(bare).toMatchObject({ status: 400, body: { code: null } });
    expect(unknown).toMatchObject({ status: 400, body: { code: "3D000" } });
    const none = await fetch(`${hub.neon}/sql`, { method: "POST", body: query });
    expect(none.status).toBe(400);
  });

  test("rejects invalid and oversized bodies, and other paths", async () => {
    expect((await post(`"${"x".repeat(64 * 1024 * 1024)}"`)).status).toBe(413);
    expect((await post("nonsense")).status).toBe(400);
    expect((await post(JSON.stringify({ queries: "no list" }))).status).toBe(400);
    const level = { "neon-batch-isolation-level": "Chaos" };
    expect((await post(JSON.stringify({ queries: [] }), level)).status).toBe(400);
    expect((await fetch(`${hub.neon}/v2`)).status).toBe(400);
  });

  test("converts values unless raw text output is requested", async () => {
    const query = `SELECT 7 AS number, true AS yes, '{"a":1}'::jsonb AS json, ARRAY[1,NULL] AS list,
      ARRAY[['a"b','c,d']] AS nested, 9007199254740993 AS big, 'NaN'::float8 AS nan`;
    const response = await post(JSON.stringify({ query, params: [] }));
    expect(await response.json()).toMatchObject({
      rowAsArray: false,
      rows: [
        {
          number: 7,
          yes: true,
          json: { a: 1 },
          list: [1, null],
          nested: [['a"b', "c,d"]],
          big: "9007199254740993",
          nan: "NaN",
        },
      ],
    });
  });
});
