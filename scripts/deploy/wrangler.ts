import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Environment variables that wrangler does not need and that are not passed to it. */
const NOT_ITS_OWN = ["DATABASE_URL", "NEON_API_KEY", "GITHUB_TOKEN", "UPSTASH_REDIS_REST_TOKEN"];

/** Output of a run of wrangler. */
export interface WranglerOutput {
  stdout: string;
  /** Records of its output file, such as `version-upload`, in order. */
  records: readonly Record<string, unknown>[];
}

/**
 * Runs the project's wrangler, or the command in WRANGLER. Secrets are passed in a temporary file that only this
 * account can read, never as arguments, which every process of the machine can see. Throws when it fails.
 */
export async function wrangler(
  args: readonly string[],
  secrets?: Readonly<Record<string, string>>,
): Promise<WranglerOutput> {
  const folder = mkdtempSync(join(tmpdir(), "causeway-wrangler-"));
  try {
    const output = join(folder, "output.ndjson");
    const file = join(folder, "secrets.json");
    if (secrets !== undefined) writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    const given = secrets === undefined ? args : [...args, "--secrets-file", file];
    const stdout = await run(given, output);
    const lines = existsSync(output) ? readFileSync(output, "utf8").split("\n") : [];
    return { stdout, records: lines.filter((line) => line !== "").map((line) => JSON.parse(line)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args: readonly string[], output: string): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !NOT_ITS_OWN.includes(name));
  const env = {
    ...Object.fromEntries(own),
    WRANGLER_OUTPUT_FILE_PATH: output,
    WRANGLER_SEND_METRICS: "false",
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.env["WRANGLER"] ?? "wrangler", args, {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`wrangler ${args.slice(0, 2).join(" ")} ended with ${code}`));
    });
  });
}
