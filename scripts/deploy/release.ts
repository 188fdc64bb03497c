/** `npm run deploy`: releases this version to production, or returns its traffic to the previous version. */
import { z } from "zod";
import { messageOf, runCommand } from "../command.ts";
import { type DatabaseTarget, targetFromEnvironment } from "../db/connect.ts";
import { migrate } from "../db/migrate.ts";
import { awaitSmokeTest } from "./await-smoke-test.ts";
import { patienceMsOf, requiredVariable } from "./environment.ts";
import { wrangler } from "./wrangler.ts";

const Released = z.object({
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});
const Uploaded = z.object({
  type: z.literal("version-upload"),
  version_id: z.string(),
  preview_url: z.url(),
});

/**
 * Migrates the database, uploads this version, smoke-tests it at its own address (`url` is production's), moves all
 * traffic to it, smoke-tests production, then deploys crons and queues. If one of the last three steps fails, all traffic
 * goes back to the previous version; if that fails too, the error names both failures. Not rolled back: the schema,
 * which migrations only expand, and crons and queues that were already changed. A smoke test may fail for `patienceMs`
 * milliseconds. Throws an Error for any failed step, and before any change if production's traffic is split.
 */
export async function release(
  input: DatabaseTarget & { url: string; tag: string; patienceMs: number },
): Promise<void> {
  const { url, tag, patienceMs } = input;
  const previous = await releasedVersion();
  const { applied } = await migrate(input);
  console.log(`migrated: ${applied.length} applied`);
  const version = await upload(tag);
  console.log(`uploaded: version ${version.version_id}`);
  await awaitSmokeTest({ url: version.preview_url, patienceMs });
  try {
    await moveTraffic(version.version_id, `release ${tag}`);
    await awaitSmokeTest({ url, patienceMs });
    // A release moves traffic only; crons and queues need their own deployment.
    await wrangler(["triggers", "deploy"]);
  } catch (error) {
    await rollBack({ previous, tag, error });
    throw error;
  }
  console.log(`released: version ${version.version_id}`);
}

/** Returns all traffic to the previous version. Throws an Error that names `error` and the rollback's own failure. */
async function rollBack(failed: { previous: string; tag: string; error: unknown }): Promise<void> {
  const { previous, tag, error } = failed;
  try {
    await moveTraffic(previous, `roll back ${tag}`);
  } catch (second) {
    // What is urgent first, because the end of a long message is cut off.
    const both = `the rollback to version ${previous} failed: ${messageOf(second)}; before that: ${messageOf(error)}`;
    throw new Error(both, { cause: error });
  }
  console.log(`rolled back: version ${previous}`);
}

/**
 * Returns the version that receives all traffic. Throws when traffic is split, because another release is under way.
 */
async function releasedVersion(): Promise<string> {
  const { stdout } = await wrangler(["deployments", "status", "--json"]);
  const { versions } = Released.parse(JSON.parse(stdout));
  const [only] = versions;
  if (only === undefined || versions.length > 1 || only.percentage !== 100)
    throw new Error("production's traffic is shared by several versions: end that release first");
  return only.version_id;
}

async function upload(tag: string): Promise<z.output<typeof Uploaded>> {
  const { records } = await wrangler(["versions", "upload", "--tag", tag, "--message", `upload ${tag}`]);
  for (const record of records) {
    const parsed = Uploaded.safeParse(record);
    if (parsed.success) return parsed.data;
  }
  throw new Error("wrangler named no version and address: are preview_urls on?");
}

const moveTraffic = (version: string, message: string) =>
  wrangler(["versions", "deploy", `${version}@100`, "--yes", "--message", message]);

await runCommand(import.meta.filename, {
  help: `Releases this version to production: migrate, upload, smoke test at the version's own address, release,
smoke test, deploy crons and queues. If one of the last three fails, all traffic returns to the previous version; crons
and queues that were already changed stay.

  npm run deploy -- --tag name [--patience-ms 60000]
  npm run deploy -- --dry-run

  --tag          name of the version, such as the commit
  --patience-ms  how long the smoke test of a new address may keep failing, in milliseconds
  --dry-run      only count the pending migrations and build the Worker
  --help         show this text

Environment: DATABASE_URL (and DATABASE_HTTP_URL when Neon's endpoint differs from the host's), PUBLIC_URL,
CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID. The platform keeps the Worker's own secrets.`,
  switches: ["dry-run"],
  options: ["tag", "patience-ms"],
  run: async (given, values) => {
    const target = targetFromEnvironment();
    if (given.has("dry-run")) {
      const { applied } = await migrate({ ...target, dryRun: true });
      await wrangler(["versions", "upload", "--dry-run"]);
      return console.log(`${applied.length} migrations to apply, the Worker builds; nothing was changed`);
    }
    const tag = values.get("tag") ?? "";
    if (!/^[\w.-]{1,25}$/.test(tag)) throw new Error("--tag is missing, or not 1 to 25 letters and digits");
    const url = requiredVariable("PUBLIC_URL").replace(/\/$/, "");
    await release({ ...target, url, tag, patienceMs: patienceMsOf(values) });
  },
});
