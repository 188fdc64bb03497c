import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Plan, runWorkflow } from "../support/deploy/runner.ts";
import { connectionString, openDriver, startHub, type TestHub } from "../support/stack/harness.ts";

const { api } = inject("stack");
const NOWHERE = "http://127.0.0.1:9";
let hub: TestHub;
beforeAll(async () => {
  hub = await startHub();
  // The embedded database may start with its schema.
  for (const schema of ["public", "drizzle"])
    await openDriver(hub).query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await openDriver(hub)`CREATE SCHEMA public`;
});
afterAll(() => hub?.close());

/**
 * How long a smoke test may keep failing, in milliseconds. As in production, a version that just starts may be slow to
 * reach its stores; what is not there is not waited for as long.
 */
function patienceMs({ version, url }: { version?: string; url?: string }): number {
  if (version === NOWHERE) return 0;
  return url === NOWHERE ? 5_000 : 60_000;
}

const deployed = (...versions: [string, number][]) => ({
  versions: versions.map(([version_id, percentage]) => ({ version_id, percentage })),
});

/** Runs the workflow `deploy`, started by hand on `main`. */
async function release(
  change: {
    version?: string;
    url?: string;
    sha?: string;
    plan?: Plan;
    secrets?: Record<string, string>;
  } = {},
) {
  const record = { type: "version-upload", version_id: "v2", preview_url: change.version ?? api };
  const ran = await runWorkflow({
    workflow: "deploy.yml",
    github: {
      ref: "refs/heads/main",
      repository: "owner/causeway",
      sha: change.sha ?? "0123456789abcdef0123456789abcdef01234567",
    },
    secrets: { DATABASE_URL: connectionString(hub), PUBLIC_URL: change.url ?? api, ...change.secrets },
    env: { DATABASE_HTTP_URL: `${hub.neon}/sql` },
    more: `--patience-ms ${patienceMs(change)}`,
    plan: {
      "deployments status": { stdout: deployed(["v1", 100]) },
      "versions upload": { record },
      ...change.plan,
    },
  });
  expect(ran.jobs["test"]).toBe("success");
  return { ...ran, released: ran.jobs["release"] };
}
const words = (calls: { args: string[] }[]) => calls.map(({ args }) => args.slice(0, 3).join(" "));

test("deploy changes nothing while another release is under way", async () => {
  const shared = { "deployments status": { stdout: deployed(["v1", 90], ["v0", 10]) } };
  const { released, said, calls } = await release({ plan: shared });
  expect([released, words(calls)]).toEqual(["failure", ["deployments status --json"]]);
  expect(said).toContain("traffic is shared");
  expect(await openDriver(hub)`SELECT to_regclass('vaults') AS name`).toEqual([{ name: null }]);
});

test("deploy migrates, uploads, tests and releases, and passes wrangler no other secrets", async () => {
  const { released, steps, npm, said, calls } = await release();
  expect(released, said).toBe("success");
  expect(steps).toEqual([".ci/run", "npm ci", `npm run deploy -- --tag "\${GITHUB_SHA:0:12}"`]);
  expect(npm).toEqual(["npm ci", "npm test", "npm ci", "npm run"]);
  expect(words(calls)).toEqual([
    "deployments status --json",
    "versions upload --tag",
    "versions deploy v2@100",
    "triggers deploy",
  ]);
  expect(calls[1]?.args[3]).toBe("0123456789ab");
  expect(calls.flatMap(({ sees }) => sees)).toEqual([]);
  expect(await openDriver(hub)`SELECT to_regclass('vaults')::text AS name`).toEqual([{ name: "vaults" }]);
});

test("deploy releases no version that fails its smoke test", async () => {
  const { released, said, calls } = await release({ version: NOWHERE });
  expect([released, words(calls)]).toEqual([
    "failure",
    ["deployments status --json", "versions upload --tag"],
  ]);
  expect(said).toContain("the smoke test fails");
});

test.each<[string, Parameters<typeof release>[0], string[], string]>([
  ["production fails its test", { url: NOWHERE }, [], "the smoke test fails"],
  [
    "the traffic cannot be moved",
    { plan: { "versions deploy v2@100": { code: 7 } } },
    [],
    "versions deploy ended with 7",
  ],
  [
    "crons and queues cannot be deployed",
    { plan: { "triggers deploy": { code: 7 } } },
    ["triggers deploy"],
    "triggers deploy ended with 7",
  ],
])("deploy rolls back when %s", async (_what, change, between, line) => {
  const { released, said, calls } = await release(change);
  expect(released).toBe("failure");
  expect(words(calls).slice(2)).toEqual(["versions deploy v2@100", ...between, "versions deploy v1@100"]);
  expect(said).toContain("rolled back: version v1");
  expect(said).toContain(line);
});

test("deploy names both failures when the rollback fails as well", async () => {
  const plan = { "versions deploy v1@100": { code: 7 } };
  const { released, said } = await release({ url: NOWHERE, plan });
  expect(released).toBe("failure");
  expect(said).toMatch(
    /the rollback to version v1 failed: .*versions deploy ended with 7; before that: the smoke test fails/,
  );
  expect(said).not.toContain("rolled back");
});

test.each<[string, Parameters<typeof release>[0], RegExp]>([
  ["no database", { secrets: { DATABASE_URL: "" } }, /DATABASE_URL is not set/],
  ["no address", { secrets: { PUBLIC_URL: "" } }, /PUBLIC_URL is not set/],
  ["a tag that is none", { sha: "$(id);" }, /--tag is missing/],
  ["a failing upload", { plan: { "versions upload": { code: 7 } } }, /versions upload ended with 7/],
  ["an upload without address", { plan: { "versions upload": {} } }, /named no version/],
])("deploy stops at %s with a message", async (_what, change, line) => {
  const { released, said, calls } = await release(change);
  expect(released).toBe("failure");
  expect(said).toMatch(line);
  expect(words(calls).filter((call) => call.startsWith("versions deploy"))).toEqual([]);
});
