/** `npm run deploy:preview`: creates a pull request's own Worker, database and address, or removes them. */
import { z } from "zod";
import { runCommand } from "../command.ts";
import { migrate } from "../db/migrate.ts";
import { readSeedFile, seed, UNPROVEN } from "../db/seed.ts";
import type { SeedRow } from "../db/seed-row.ts";
import { awaitSmokeTest } from "./await-smoke-test.ts";
import { type Project, provideBranch, removeBranch } from "./database-branch.ts";
import { deleteKeys } from "./delete-keys.ts";
import { patienceMsOf, presentVariables, requiredVariable } from "./environment.ts";
import { writeComment } from "./pull-request-comment.ts";
import { resetSchemaCopy } from "./reset-schema-copy.ts";
import { wrangler } from "./wrangler.ts";

const LIFE_MS = 14 * 86_400_000;
const Deployed = z.object({ preview: z.object({ urls: z.array(z.url()) }) });

/** Name of a pull request's preview, which its Worker, branch and key prefix share. */
const nameOf = (pullRequest: number): string => `pr-${pullRequest}`;
const branchOf = (pullRequest: number): string => `preview/${nameOf(pullRequest)}`;
const prefixOf = (pullRequest: number): string => `cw-${nameOf(pullRequest)}`;

/** Opens a row that only lacks its proof: a preview runs no jobs that would prove it. */
const openIfComplete = (row: SeedRow): SeedRow =>
  row.statusReason === UNPROVEN ? { ...row, status: "active", statusReason: "" } : row;

/** Creates or updates the preview and returns its address. Throws when the smoke test fails. */
async function provide(pullRequest: number, patienceMs: number): Promise<string> {
  const name = nameOf(pullRequest);
  const url = requiredVariable("PREVIEW_URL").replace("{name}", name).replace(/\/$/, "");
  const secrets = {
    PUBLIC_URL: url,
    ...Object.fromEntries(REQUIRED_SECRETS.map((secret) => [secret, requiredVariable(secret)])),
    ...presentVariables(OPTIONAL_SECRETS),
  };
  const expiresAt = new Date(Date.now() + LIFE_MS);
  const databaseUrl = await provideBranch(project(), { name: branchOf(pullRequest), expiresAt });
  const target = { databaseUrl, endpoint: presentVariables(["DATABASE_HTTP_URL"])["DATABASE_HTTP_URL"] };
  await resetSchemaCopy(target);
  await migrate(target);
  await seed({ ...target, rows: readSeedFile().map(openIfComplete) });
  const args = ["preview", "--name", name, "--var", `REDIS_KEY_PREFIX:${prefixOf(pullRequest)}`, "--json"];
  const { stdout } = await wrangler(args, { ...secrets, DATABASE_URL: databaseUrl });
  const { urls } = Deployed.parse(JSON.parse(stdout)).preview;
  // Wallet sign-in is bound to PUBLIC_URL and would fail at another address.
  if (!urls.some((one) => one.replace(/\/$/, "") === url))
    throw new Error("the preview's address differs from PREVIEW_URL");
  await awaitSmokeTest({ url, patienceMs });
  return url;
}

/** Removes the Worker, the database and the Redis keys; one failure does not stop the others. */
async function remove(pullRequest: number): Promise<void> {
  const worker = ["preview", "delete", "--name", nameOf(pullRequest), "--skip-confirmation"];
  const results: PromiseSettledResult<unknown>[] = await Promise.allSettled([
    wrangler(worker),
    (async () => removeBranch(project(), branchOf(pullRequest)))(),
  ]);
  // After the Worker's removal, because it would write new keys.
  const keys = (async () => deleteKeys(redis(), prefixOf(pullRequest)))();
  results.push(...(await Promise.allSettled([keys])));
  const failed = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  if (failed.length > 0) throw new Error(failed.join("; "));
}

const REQUIRED_SECRETS = ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN", "PARTNER_PEPPERS"];
const OPTIONAL_SECRETS = ["ADMIN_TOKEN", "CHAINS", "PROVIDERS", "RATE_LIMITS"];

function project(): Project {
  const given = presentVariables(["NEON_API_URL", "NEON_DATABASE", "NEON_ROLE"]);
  return {
    url: given["NEON_API_URL"] ?? "https://console.neon.tech/api/v2",
    token: requiredVariable("NEON_API_KEY"),
    projectId: requiredVariable("NEON_PROJECT_ID"),
    database: given["NEON_DATABASE"] ?? "neondb",
    role: given["NEON_ROLE"] ?? "neondb_owner",
  };
}

function redis(): { url: string; token: string } {
  return {
    url: requiredVariable("UPSTASH_REDIS_REST_URL"),
    token: requiredVariable("UPSTASH_REDIS_REST_TOKEN"),
  };
}

/** Prints a text and, when there is a token, writes it as the pull request's comment. */
async function writeResult(pullRequest: number, text: string): Promise<void> {
  console.log(text);
  const { GITHUB_TOKEN: token = "" } = process.env;
  if (token === "") return;
  const { GITHUB_API_URL: url = "https://api.github.com" } = process.env;
  await writeComment(
    { url, token, repository: requiredVariable("GITHUB_REPOSITORY") },
    { pullRequest, text },
  );
}

await runCommand(import.meta.filename, {
  help: `Creates or updates a pull request's own Worker, database (production's schema, the reviewed registry, none of
production's rows) and address, smoke-tests it and writes the result as one comment. Or removes all of it.

  npm run deploy:preview -- --pull-request N [--remove] [--dry-run] [--patience-ms 60000]

  --pull-request  number of the pull request
  --remove        delete the Worker, the database and its Redis keys
  --dry-run       only print what would be created or deleted
  --patience-ms   how long the smoke test of a new address may keep failing, in milliseconds
  --help          show this text

Environment: NEON_API_KEY, NEON_PROJECT_ID (NEON_DATABASE, NEON_ROLE), CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID,
PREVIEW_URL such as https://{name}-causeway.example.workers.dev, GITHUB_TOKEN and GITHUB_REPOSITORY for the comment;
the preview's own ${REQUIRED_SECRETS.join(", ")}, and optionally ${OPTIONAL_SECRETS.join(", ")}.`,
  switches: ["remove", "dry-run"],
  options: ["pull-request", "patience-ms"],
  run: async (given, values) => {
    const number = values.get("pull-request") ?? "";
    if (!/^[1-9][0-9]{0,8}$/.test(number)) throw new Error("--pull-request is not a number");
    const pullRequest = Number(number);
    const things = `the Worker ${nameOf(pullRequest)}, the database branch ${branchOf(pullRequest)} and the keys ${prefixOf(pullRequest)}:…`;
    if (given.has("dry-run"))
      return console.log(`${given.has("remove") ? "would delete" : "would create"} ${things}`);
    if (given.has("remove")) {
      await remove(pullRequest);
      return writeResult(pullRequest, "The preview was removed.");
    }
    try {
      const url = await provide(pullRequest, patienceMsOf(values));
      await writeResult(pullRequest, `Preview: ${url}, passed its smoke test.`);
    } catch (error) {
      await writeResult(pullRequest, "The preview could not be created; see the workflow's log.");
      throw error;
    }
  },
});
