import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createDatabase, databasePolicy } from "../../src/db/database-client.ts";
import { openDrizzle } from "../../src/db/open-drizzle.ts";
import { Breakers } from "../../src/lib/circuit-breaker.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { holdTimeouts, realFetch, serve } from "../support/local-server.ts";
import { stoppedClock } from "../support/stopped-clock.ts";

/** A database whose statements, or whose every request, can hang; what hangs meets its deadline at once. */
async function isolate() {
  const deadlines = holdTimeouts();
  const clock = stoppedClock();
  const mode = { hangs: "nothing" as "nothing" | "slow statements" | "everything" };
  const { url, requests } = await serve(({ body }, response) => {
    if (mode.hangs === "everything" || (mode.hangs === "slow statements" && body.includes("slow")))
      return clock.skip(deadlines.expire());
    const fields = [{ name: "one", dataTypeID: 25 }];
    response.end(JSON.stringify({ command: "SELECT", rowCount: 1, fields, rows: [["1"]] }));
  });
  const now = clock.now;
  const breaker = new Breakers(now).of("database", databasePolicy);
  const databaseUrl = "postgresql://user:secret@ep-one.example/main";
  const drizzle = openDrizzle({ databaseUrl, httpUrl: `${url}/sql`, fetch: realFetch, breaker });
  const run = (statement: string) =>
    createDatabase(async () => drizzle, new Timing(now))
      .run((db) => db.execute(sql.raw(statement)))
      .then(
        () => "answered",
        (error: { code?: string }) => error.code,
      );
  return { mode, requests, breaker, run, clock };
}

test("a database that hangs costs one request its timeout, and others nothing", async () => {
  const { mode, requests, breaker, run, clock } = await isolate();
  expect(await run("select 1")).toBe("answered");
  mode.hangs = "everything";
  expect(await run("select 2")).toBe("store_unavailable");
  expect(await run("select 3")).toBe("store_unavailable");
  const sent = requests.length;
  for (let request = 0; request < 30; request += 1) expect(await run("x")).toBe("store_unavailable");
  expect([requests.length, breaker.report().state]).toEqual([sent, "open"]);
  mode.hangs = "nothing";
  clock.skip(3_000);
  expect([await run("select 4"), breaker.report().state]).toEqual(["answered", "closed"]);
});

test("slow statements of one caller do not turn the database off for others", async () => {
  const { mode, breaker, run } = await isolate();
  mode.hangs = "slow statements";
  for (let round = 0; round < 4; round += 1) {
    expect(await run("select slow")).toBe("store_unavailable");
    expect(await run("select 1")).toBe("answered");
  }
  expect(breaker.report().state).toBe("closed");
});
