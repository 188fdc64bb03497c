import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrate } from "../../scripts/db/migrate.ts";
import { readSeedFile } from "../../scripts/db/seed.ts";
import { connectionString, openDriver, startHub, type TestHub } from "../stack/harness.ts";
import { type Plan, runStep, startApis, stepOf } from "./outside.ts";

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

const UP = stepOf("preview.yml", /PULL_REQUEST"$/);
const DOWN = stepOf("preview.yml", /--remove$/);

function run(command: string, change: { plan?: Plan; env?: Record<string, string> } = {}) {
  const env = {
    PULL_REQUEST: "1",
    GITHUB_TOKEN: "github-t0ken",
    GITHUB_API_URL: apis.url,
    GITHUB_REPOSITORY: "owner/causeway",
    NEON_API_URL: apis.url,
    NEON_API_KEY: "neon-k3y",
    NEON_PROJECT_ID: "p",
    PREVIEW_URL: api,
    DATABASE_HTTP_URL: `${hub.neon}/sql`,
    UPSTASH_REDIS_REST_URL: "https://redis.example",
    UPSTASH_REDIS_REST_TOKEN: "redis-t0ken",
    PARTNER_PEPPERS: JSON.stringify({ 1: "p".repeat(32) }),
    ADMIN_TOKEN: "",
    ...change.env,
  };
  const plan = { "preview --name": { stdout: { preview: { urls: [api] } } }, ...change.plan };
  return runStep({ command: `${command} --patience-ms 0`, env, plan });
}
/** As a copy without rows is: nothing says what was applied. */
const forget = () => openDriver(hub)`DELETE FROM drizzle.__drizzle_migrations`;
const countVaults = async () =>
  (await openDriver(hub)`SELECT count(*)::int AS count FROM vaults`)[0]?.["count"];

test("makes database, Worker and comment of a pull request, and none of it twice", async () => {
  await forget();
  const { code, said, calls } = await run(UP);
  expect(code, said).toBe(0);
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
        UPSTASH_REDIS_REST_URL: "https://redis.example",
        UPSTASH_REDIS_REST_TOKEN: "redis-t0ken",
        PARTNER_PEPPERS: JSON.stringify({ 1: "p".repeat(32) }),
        DATABASE_URL: connectionString(hub),
      },
      sees: [],
    },
  ]);
  expect(await countVaults()).toBe(readSeedFile().length);
  expect(said).not.toMatch(/k3y|t0ken|pppp|postgresql:/);
  expect((await run(UP)).code).toBe(0);
  expect(apis.branches).toHaveLength(2);
  expect(apis.comments.map(({ body }) => body)).toEqual([
    "Looks good",
    `<!-- causeway preview -->\nPreview: ${api}, sound by its smoke test.`,
  ]);
});

test("clears no database that holds a row", async () => {
  const before = await countVaults();
  await forget();
  const { code, said, calls } = await run(UP);
  expect([code, calls]).toEqual([1, []]);
  expect(said).toContain("the table vaults has rows: this is no empty copy");
  expect(await countVaults()).toBe(before);
  expect(apis.comments.at(-1)?.body).toContain("could not be made");
  await openDriver(hub)`TRUNCATE vaults CASCADE`;
  expect((await run(UP)).code).toBe(0);
});

test.each<[string, Parameters<typeof run>[1], RegExp]>([
  [
    "another address",
    { plan: { "preview --name": { stdout: { preview: { urls: ["https://other.example"] } } } } },
    /not at the address that PREVIEW_URL says/,
  ],
  [
    "a preview that fails",
    { plan: { "preview --name": { code: 3 } } },
    /wrangler preview --name ended with 3/,
  ],
  ["a missing pepper", { env: { PARTNER_PEPPERS: "" } }, /PARTNER_PEPPERS is not set/],
  ["no number", { env: { PULL_REQUEST: "1; id" } }, /--pull-request is no number/],
])("ends at %s with a line", async (_what, change, line) => {
  const { code, said } = await run(UP, change);
  expect(code).toBe(1);
  expect(said).toMatch(line);
});

test("takes the database away although the Worker cannot be, and no other one", async () => {
  const failed = await run(DOWN, { plan: { "preview delete": { code: 4 } } });
  expect([failed.code, apis.branches.map(({ name }) => name)]).toEqual([1, ["preview/pr-12"]]);
  const { code, calls } = await run(DOWN);
  expect(code).toBe(0);
  expect(calls.map(({ args }) => args)).toEqual([
    ["preview", "delete", "--name", "pr-1", "--skip-confirmation"],
  ]);
  expect(apis.comments.at(-1)?.body).toContain("was removed");
});

test("says what it would do, and does nothing", async () => {
  const { length } = apis.asked;
  const { code, said, calls } = await run(`${UP} --dry-run`);
  expect([code, calls, apis.asked.length]).toEqual([0, [], length]);
  expect(said).toContain("makes the Worker pr-1 and the database branch preview/pr-1");
});
