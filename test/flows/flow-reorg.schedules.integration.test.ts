import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { databaseStore } from "../support/flows/database-store.ts";
import { playSchedule } from "../support/flows/schedule.ts";

/** More of them run under `npm run stress`. */
const SCHEDULES = Number(process.env["FLOW_DATABASE_SCHEDULES"] ?? "12");
const FIRST = Number(process.env["FLOW_SEED"] ?? "1");

let deployment: TestDeployment;
beforeAll(async () => {
  deployment = await startTestDeployment();
});
afterAll(() => deployment.close());

test(`indexing in Postgres survives ${SCHEDULES} random schedules of reorgs, crashes and bad nodes`, {
  timeout: 3_600_000,
}, async () => {
  let rows = 0;
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) {
    const tally = await playSchedule(seed, await databaseStore(deployment.context().db)).catch(
      (error: unknown) => {
        throw new Error(`schedule ${seed}: ${error instanceof Error ? error.stack : String(error)}`, {
          cause: error,
        });
      },
    );
    rows += tally.rows;
  }
  expect(rows).toBeGreaterThan(SCHEDULES * 50);
});
