import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import { followedChains } from "../../src/db/tables/deposit-tracking-tables.ts";
import { failure } from "../../src/errors.ts";
import { jobNames } from "../../src/health/job-runs.ts";
import { runJobs } from "../../src/jobs.ts";
import { depositStates } from "../../src/schemas/deposit-schema.ts";
import { HealthDetails } from "../../src/schemas/health-schema.ts";
import { row } from "../support/deposits/fixtures.ts";

const CHAIN = 31337;
const HASH = `0x${"11".repeat(32)}`;
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment({ chainIds: [CHAIN] });
});
afterAll(() => causeway?.close());

const details = async (): Promise<HealthDetails> => {
  const isolate = causeway.isolate({ REDIS_KEY_PREFIX: `details-${crypto.randomUUID().slice(0, 8)}` });
  const answer = await isolate.send("/health/details");
  expect(answer.status).toBe(200);
  return HealthDetails.parse(await answer.json());
};

test("GET /health/details shows nulls while nothing has run, and hides nodes and hosts", async () => {
  const shown = await details();
  expect(shown).toMatchObject({
    chains: [{ chain_id: CHAIN, head: null, nodes: 1, deposits: null }],
    deposits: { under_way: 0, due: 0, oldest_due_s: null },
  });
  expect(shown.jobs).toEqual(
    jobNames.map((name) => ({ name, started_at: null, ended_at: null, ok: null, code: null })),
  );
  expect(JSON.stringify(shown)).not.toMatch(/127\.0\.0\.1|https?:/);
});

test("GET /health/details shows the breakers of what was asked, by place and never by URL", async () => {
  const { breakers } = await details();
  const closed = (name: string) => ({ name, state: "closed", hangs: 0, until: null });
  expect(breakers).toEqual(expect.arrayContaining(["database", "prices"].map(closed)));
  for (const { name } of breakers)
    expect(name).toMatch(/^(?:database|redis|sign_in_store|prices|chain:\d+:node:\d)$/);
});

test("GET /health/details counts the deposits that wait and what is missing of a chain", async () => {
  const now = Date.now();
  await causeway.db.insert(deposits).values(
    depositStates.map((state, index) => ({
      ...{ ...row, trackingId: `trk_${index}`, ref: `0x${index}`, state },
      nextCheckAt: state === "bridging" ? new Date(now - 90_000) : null,
    })),
  );
  await causeway.db.insert(followedChains).values({
    ...{ chainId: CHAIN, startBlock: 100, finalBlock: 199, finalHash: HASH, headBlock: 210, headHash: HASH },
    ...{
      covered: [
        { from: 100, to: 119 },
        { from: 130, to: 199 },
      ],
      headTime: new Date(now - 30_000),
    },
    ...{ span: 1_000, roundAt: new Date(now - 20_000), error: "upstream_timeout" },
  });
  const shown = await details();
  expect(shown.deposits).toMatchObject({ under_way: 5, due: 1 });
  expect(shown.deposits?.oldest_due_s).toBeGreaterThanOrEqual(90);
  const [chain] = shown.chains;
  expect(chain?.deposits).toMatchObject({
    ...{ block: 210, missing_blocks: 10, code: "upstream_timeout" },
    round_at: new Date(now - 20_000).toISOString(),
  });
  expect(chain?.deposits?.lag_s).toBeGreaterThanOrEqual(30);
});

test("GET /health/details shows each job's last run with its own code", async () => {
  const isolate = causeway.isolate({ REDIS_KEY_PREFIX: "runs" });
  const works = { name: "index_flows", run: async () => ({}) } as const;
  const lost = async () => {
    throw failure("store_unavailable", "the database did not answer");
  };
  const wrong = async () => {
    throw new TypeError("a fault");
  };
  const jobs = [works, { name: "note_snapshots", run: lost }, { name: "judge_vaults", run: wrong }] as const;
  await runJobs([jobs], () => isolate.context()).catch(() => undefined);
  const answer = await isolate.send("/health/details");
  const shown = HealthDetails.parse(await answer.json());
  const runs = Object.fromEntries(shown.jobs.map(({ name, ok, code }) => [name, [ok, code]]));
  expect(runs).toMatchObject({
    index_flows: [true, null],
    note_snapshots: [false, "store_unavailable"],
    judge_vaults: [false, "internal"],
    forget_answers: [null, null],
  });
});
