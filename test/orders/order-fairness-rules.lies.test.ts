import { expect, test } from "vitest";
import { runLies } from "../support/economics/run-lies.ts";

/** More lies under `npm run stress -- --only economic-lies`. */
const COUNT = Number(process.env["LIES"] ?? "300");
const SEED = Number(process.env["LIE_SEED"] ?? "20261");

test(`no lie of several fields takes more than is allowed, ${COUNT} times, seed ${SEED}`, {
  timeout: 3_600_000,
}, async () => {
  const run = await runLies({ count: COUNT, seed: SEED });
  expect(run.unjust).toEqual([]);
  expect(run.tried).toBe(COUNT);
  for (const share of Object.values(run.liars)) expect(share).toBeGreaterThan(COUNT * 0.04);
  // The test would prove nothing if everything were refused, or nothing.
  expect(run.refused).toBeGreaterThan(COUNT * 0.5);
  expect(run.fair).toBeGreaterThan(COUNT * 0.03);
});
