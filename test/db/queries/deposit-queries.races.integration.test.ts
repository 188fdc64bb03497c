import { join } from "node:path";
import { sql as raw } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Hex } from "viem";
import { expect, test } from "vitest";
import { withRealPostgres } from "../../../scripts/db/real-postgres.ts";
import { neonEmulator } from "../../../scripts/stack/emulators/neon/endpoint.ts";
import { openPostgres } from "../../../scripts/stack/emulators/neon/postgres.ts";
import { createDatabase, type Database } from "../../../src/db/database-client.ts";
import { openDrizzle } from "../../../src/db/open-drizzle.ts";
import { updateDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import { row } from "../../support/deposits/fixtures.ts";

/** PGlite has one session, in which no two writers can meet: this runs on a server. */
const root = join(import.meta.dirname, "../../..");
const TWINS = 16;
const ROUNDS = 40;

/** Calls `work` with a migrated database on a real server, as the program reaches it. */
async function onServer(work: (db: Database) => Promise<void>): Promise<void> {
  await withRealPostgres(async (url) => {
    const backend = await openPostgres(url);
    try {
      const files = readMigrationFiles({ migrationsFolder: join(root, "drizzle") });
      for (const statement of files.flatMap(({ sql }) => sql))
        if (statement.trim() !== "") await backend.session((run) => run({ query: statement, params: [] }));
      const credentials = { user: "causeway", password: "causeway", database: "causeway" };
      const emulator = neonEmulator(Promise.resolve(backend), credentials);
      const drizzle = openDrizzle({
        databaseUrl: "postgresql://causeway:causeway@db.invalid/causeway",
        httpUrl: "http://db.invalid/sql",
        fetch: async (_url, init) => {
          const headers = Object.fromEntries(new Headers(init?.headers));
          const body = Buffer.from(String(init?.body ?? ""));
          const answer = await emulator.handle({ method: "POST", path: "/sql", headers, body });
          return new Response(answer.body, { status: answer.status });
        },
      });
      await work(createDatabase(async () => drizzle, new Timing(Date.now)));
    } finally {
      await backend.close();
    }
  });
}

const twin = (round: number, number: number) => ({
  ...row,
  trackingId: `trk_${round}_${number}`,
  ref: `0x${round}_${number}`,
  sourceDataHash: `0x${round}`,
});

test(`of ${TWINS} equal deposits, one is bound to a transaction when all writers come at once`, async () => {
  await onServer(async (db) => {
    await db.run((sql) => sql.execute(raw`select 1`));
    for (let round = 0; round < ROUNDS; round += 1) {
      const twins = Array.from({ length: TWINS }, (_, number) => twin(round, number));
      await db.run((sql) => sql.insert(deposits).values(twins));
      const hash: Hex = `0x${round.toString(16).padStart(64, "0")}`;
      const change = { state: "bridging", sourceTxHash: hash, sourceProven: true } as const;
      const bound = await Promise.all(
        twins.map(({ trackingId }) => updateDeposit(db, { trackingId, from: "built", change })),
      );
      expect(bound.filter((one) => one !== null)).toHaveLength(1);
    }
  });
});
