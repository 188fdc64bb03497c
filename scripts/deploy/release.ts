/** `npm run deploy`: releases this version to production, or leaves production unchanged. */
import { z } from "zod";
import { runCommand } from "../command.ts";
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
 * Migrates the database, uploads this version, smoke-tests it at its own address, moves all traffic to it and
 * smoke-tests production. If that last test fails, all traffic goes back to the previous version. The schema is not
 * rolled back: migrations only expand it, so the previous version works on it. Throws naming the failed step.
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
  } catch (error) {
    await moveTraffic(previous, `roll back ${tag}`);
    console.log(`rolled back: version ${previous}`);
    throw error;
  }
  // A release moves traffic only; crons and queues need their own deployment.
  await wrangler(["triggers", "deploy"]);
  console.log(`released: version ${version.version_id}`);
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
smoke test, deploy crons and queues. When production fails its test, all traffic returns to the previous version.

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
