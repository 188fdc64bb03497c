import { expect, test } from "vitest";
import { MemoryFlows } from "../support/flows/memory-store.ts";
import { playSchedule, type Tally } from "../support/flows/schedule.ts";

/** More of them run under `npm run stress`. */
const SCHEDULES = Number(process.env["FLOW_SCHEDULES"] ?? "100");
const FIRST = Number(process.env["FLOW_SEED"] ?? "1");

test(`indexing survives ${SCHEDULES} random schedules of reorgs, crashes and bad nodes`, {
  timeout: 10_800_000,
}, async () => {
  const sum: Tally = { steps: 0, applied: 0, late: 0, killed: 0, failed: 0, reorgs: 0, rows: 0 };
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) {
    const memory = new MemoryFlows();
    const tally = await playSchedule(seed, {
      store: memory,
      rows: async () => [...memory.rows.values()],
      setVaults: async (rows) => {
        memory.vaults = rows.map((row) => ({ ...row }));
      },
    }).catch((error: unknown) => {
      throw new Error(`schedule ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
    });
    for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name];
  }
  console.log(JSON.stringify(sum));
  // Schedules in which nothing happens would prove nothing.
  for (const name of ["applied", "late", "killed", "failed", "reorgs", "rows"] as const)
    expect(sum[name], name).toBeGreaterThan(SCHEDULES / 10);
});
