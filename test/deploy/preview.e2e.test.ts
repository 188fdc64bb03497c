import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { migrate } from "../../scripts/db/migrate.ts";
import { readSeedFile } from "../../scripts/db/seed.ts";
import { createRedis } from "../../src/redis/redis-client.ts";
import { startApis } from "../support/deploy/fake-apis.ts";
import { type Plan, runWorkflow } from "../support/deploy/runner.ts";
import { connectionString, openDriver, startHub, type TestHub } from "../support/stack/harness.ts";

const { api } = inject("stack");
let hub: TestHub;
let apis: Awaited<ReturnType<typeof startApis>>;
const target = () => ({ databaseUrl: connectionString(hub), endpoint: `${hub.neon}/sql` });
beforeAll(async () => {
  hub = await startHub();
  apis = await startApis(connectionString(hub));
  await migrate(target());
});
afterAll(async () => {
  apis?.close();
  await hub?.close();
});

const PEPPERS = JSON.stringify({ 1: "p".repeat(32) });

/** Runs the preview workflow for a pull request event. */
function on(
  action: "opened" | "closed",
  change: { number?: string; plan?: Plan; secrets?: Record<string, string>; more?: string } = {},
) {
  const repository = "owner/causeway";
  const pullRequest = { number: change.number ?? 1, head: { repo: { full_name: repository } } };
  return runWorkflow({
    workflow: "preview.yml",
    github: { repository, token: "github-t0ken", event: { action, pull_request: pullRequest } },
    secrets: {
      NEON_API_KEY: "neon-k3y",
      NEON_PROJECT_ID: "p",
      PREVIEW_URL: api,
      UPSTASH_REDIS_REST_URL: hub.upstash,
      UPSTASH_REDIS_REST_TOKEN: hub.token,
      PARTNER_PEPPERS: PEPPERS,
      ...change.secrets,
    },
    env: { GITHUB_API_URL: apis.url, NEON_API_URL: apis.url, DATABASE_HTTP_URL: `${hub.neon}/sql` },
    plan: { "preview --name": { stdout: { preview: { urls: [api] } } }, ...change.plan },
    // As in production: a preview that just starts may be slow to reach its stores.
    more: change.more ?? "--patience-ms 60000",
  });
}
/** Empties the migration record, as a copy without rows has it. */
const forget = () => openDriver(hub)`DELETE FROM drizzle.__drizzle_migrations`;
const countVaults = async () =>
  (await openDriver(hub)`SELECT count(*)::int AS count FROM vaults`)[0]?.["count"];

test("deploy:preview creates database, Worker and comment of a pull request, each once", async () => {
  await forget();
  const { jobs, steps, npm, said, calls } = await on("opened");
  expect(jobs, said).toEqual({ up: "success", down: "skipped" });
  expect(steps).toEqual(["npm ci", 'npm run deploy:preview -- --pull-request "$PULL_REQUEST"']);
  expect(npm).toEqual(["npm ci", "npm run"]);
  expect(apis.branches.map(({ name }) => name)).toEqual(["preview/pr-12", "preview/pr-1"]);
  const made = apis.asked.find(({ method, path }) => method === "POST" && path === "/projects/p/branches");
  expect(made).toMatchObject({
    authorization: "Bearer neon-k3y",
    body: {
      branch: { init_source: "schema-only", expires_at: expect.stringMatching(/^\d{4}-.+:\d\dZ$/) },
      endpoints: [{ type: "read_write" }],
    },
  });
  expect(calls).toEqual([
    {
      args: ["preview", "--name", "pr-1", "--var", "REDIS_KEY_PREFIX:cw-pr-1", "--json"],
      secrets: {
        PUBLIC_URL: api,
        UPSTASH_REDIS_REST_URL: hub.upstash,
        UPSTASH_REDIS_REST_TOKEN: hub.token,
        PARTNER_PEPPERS: PEPPERS,
        DATABASE_URL: connectionString(hub),
      },
      sees: [],
    },
  ]);
  expect(await countVaults()).toBe(readSeedFile().length);
  expect(said).not.toMatch(/k3y|t0ken|pppp|postgresql:/);
  expect(said).not.toContain(hub.token);
  expect((await on("opened")).jobs["up"]).toBe("success");
  expect(apis.branches).toHaveLength(2);
  expect(apis.comments.map(({ body }) => body)).toEqual([
    "Looks good",
    `<!-- causeway preview -->\nPreview: ${api}, passed its smoke test.`,
  ]);
});

test.each<[string, Parameters<typeof on>[1], RegExp]>([
  [
    "another address",
    { plan: { "preview --name": { stdout: { preview: { urls: ["https://other.example"] } } } } },
    /the preview's address differs from PREVIEW_URL/,
  ],
  [
    "a preview that fails",
    { plan: { "preview --name": { code: 3 } } },
    /wrangler preview --name ended with 3/,
  ],
  ["a missing pepper", { secrets: { PARTNER_PEPPERS: "" } }, /PARTNER_PEPPERS is not set/],
  ["no number", { number: "1; id" }, /--pull-request is not a number/],
])("deploy:preview stops at %s with a message", async (_what, change, line) => {
  const { jobs, said } = await on("opened", change);
  expect(jobs["up"]).toBe("failure");
  expect(said).toMatch(line);
});

test("deploy:preview never clears a database with rows", async () => {
  const before = await countVaults();
  await forget();
  const { jobs, said, calls } = await on("opened");
  expect([jobs["up"], calls]).toEqual(["failure", []]);
  expect(said).toContain("the table vaults has rows: this is no empty copy");
  expect(await countVaults()).toBe(before);
  expect(apis.comments.at(-1)?.body).toContain("could not be created");
});

describe("deploy:preview for a closed pull request", () => {
  const redis = () => createRedis({ url: hub.upstash, token: hub.token, timeoutMs: 10_000 });
  const others = ["cw-pr-12:limit", "cw-pr-1", "cw:registry", "xcw-pr-1:limit"];
  const fill = async (count: number) => {
    const names = [...Array.from({ length: count }, (_, index) => `cw-pr-1:key:${index}`), ...others];
    await redis().mset(Object.fromEntries(names.map((name) => [name, "1"])));
  };
  const branch = () => {
    const names = ["preview/pr-12", "preview/pr-1"];
    const branches = names.map((name) => ({ id: `br-${name.length}`, name, current_state: "ready" }));
    apis.branches.splice(0, apis.branches.length, ...branches);
  };
  const left = async () => (await redis().keys("*")).sort();

  test("removes its Worker, database and keys, and no others", async () => {
    await fill(700);
    branch();
    const { jobs, said, calls } = await on("closed");
    expect(jobs, said).toEqual({ up: "skipped", down: "success" });
    expect(calls).toEqual([
      {
        args: ["preview", "delete", "--name", "pr-1", "--skip-confirmation"],
        secrets: null,
        sees: [],
      },
    ]);
    expect(apis.branches.map(({ name }) => name)).toEqual(["preview/pr-12"]);
    expect(await left()).toEqual([...others].sort());
    expect(apis.comments.at(-1)?.body).toContain("was removed");
  });

  test("removes database and keys even when the Worker's removal fails", async () => {
    await fill(3);
    branch();
    const { jobs, said } = await on("closed", { plan: { "preview delete": { code: 4 } } });
    expect(jobs["down"]).toBe("failure");
    expect(said).toContain("wrangler preview delete ended with 4");
    expect(apis.branches.map(({ name }) => name)).toEqual(["preview/pr-12"]);
    expect(await left()).toEqual([...others].sort());
  });

  test("removes the Worker even when the Redis settings are missing", async () => {
    const { jobs, said, calls } = await on("closed", { secrets: { UPSTASH_REDIS_REST_URL: "" } });
    expect([jobs["down"], calls.length]).toEqual(["failure", 1]);
    expect(said).toContain("UPSTASH_REDIS_REST_URL is not set");
  });
});

test("deploy:preview --dry-run only prints its plan", async () => {
  const { length } = apis.asked;
  const { jobs, said, calls } = await on("opened", { more: "--dry-run" });
  expect([jobs["up"], calls, apis.asked.length]).toEqual(["success", [], length]);
  expect(said).toContain(
    "would create the Worker pr-1, the database branch preview/pr-1 and the keys cw-pr-1:…",
  );
});
