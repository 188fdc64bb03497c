import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExpressionContexts, fillIn, holds, type Job, readWorkflow } from "./workflow.ts";

const root = join(import.meta.dirname, "../../..");

/** One invocation of wrangler. */
export interface Call {
  args: string[];
  secrets: Record<string, string> | null;
  /** Names of the tested environment variables that wrangler could read. */
  sees: string[];
}

/** Source of a fake wrangler that records its arguments and responds according to the first three or two. */
const WRANGLER = `#!${process.execPath}
const { appendFileSync, readFileSync, statSync } = require("node:fs");
const args = process.argv.slice(2);
const at = args.indexOf("--secrets-file");
if (at !== -1 && (statSync(args[at + 1]).mode & 0o077) !== 0) process.exit(9);
const secrets = at === -1 ? null : JSON.parse(readFileSync(args[at + 1], "utf8"));
const sees = ["DATABASE_URL", "NEON_API_KEY", "GITHUB_TOKEN", "UPSTASH_REDIS_REST_TOKEN"].filter((name) => name in process.env);
appendFileSync(process.env.CALLS_FILE, JSON.stringify({ args: at === -1 ? args : args.slice(0, at), secrets, sees }) + "\\n");
const plans = JSON.parse(process.env.WRANGLER_PLAN);
const plan = plans[args.slice(0, 3).join(" ")] ?? plans[args.slice(0, 2).join(" ")] ?? {};
if (plan.record) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(plan.record) + "\\n");
if (plan.stdout) console.log(JSON.stringify(plan.stdout));
process.exit(plan.code ?? 0);
`;

/** Source of a fake npm that skips `install` and `test`, and passes `--patience-ms 0` to the scripts. */
const NPM = `#!/usr/bin/env bash
echo "npm $1" >> "$NPM_FILE"
if [ "$1" = "$NPM_FAILS" ]; then exit 1; fi
if [ "$1" != run ]; then exit 0; fi
PATH="\${PATH//$(dirname "$0"):/}"
exec npm "$@" --patience-ms 0 $MORE_ARGUMENTS
`;

/** Responses of the fake wrangler by its first three arguments, otherwise by its first two. */
export type Plan = Record<string, { stdout?: unknown; record?: unknown; code?: number }>;

/** A workflow run: the workflow's file, the triggering event, and the state of external systems. */
export interface Run extends ExpressionContexts {
  workflow: string;
  env: Record<string, string>;
  plan: Plan;
  /** Name of an npm command that fails in this run. */
  npmFails?: string | undefined;
  /** Additional options for the project's scripts. */
  more?: string | undefined;
}

/** Result of a workflow run. */
export interface Ran {
  jobs: Record<string, "success" | "failure" | "skipped">;
  /** The executed commands in order; the last one may have failed. */
  steps: string[];
  npm: string[];
  said: string;
  calls: Call[];
}

/**
 * Runs a workflow's jobs as GitHub's runner does: evaluates conditions and `needs`, and runs each step in bash with its
 * own variables, until one fails. Only wrangler and npm's `install` and `test` are replaced; the checkout is skipped.
 */
export async function runWorkflow(input: Run): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), "causeway-deploy-"));
  const file = (name: string): string => join(folder, name);
  const lines = (name: string): string[] =>
    existsSync(file(name)) ? readFileSync(file(name), "utf8").trim().split("\n") : [];
  try {
    for (const [name, text] of [
      ["wrangler", WRANGLER],
      ["npm", NPM],
      // Whether a file without an ending is a module is up to the nearest description of a package, else a stranger's.
      ["package.json", '{ "type": "commonjs" }\n'],
    ] as const) {
      writeFileSync(file(name), text);
      chmodSync(file(name), 0o755);
    }
    const ran: Ran = { jobs: {}, steps: [], npm: [], said: "", calls: [] };
    const text = readFileSync(join(root, ".github/workflows", input.workflow), "utf8");
    for (const job of readWorkflow(text).jobs) {
      const needed = job.needs === undefined || ran.jobs[job.needs] === "success";
      const wanted = needed && (job.if === undefined || holds(job.if, input));
      ran.jobs[job.name] = wanted ? await runJob(job, { input, folder, ran }) : "skipped";
    }
    const calls = lines("calls").map((line) => JSON.parse(line) as Call);
    return { ...ran, npm: lines("npm-calls"), calls };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJob(
  job: Job,
  { input, folder, ran }: { input: Run; folder: string; ran: Ran },
): Promise<"success" | "failure"> {
  const { PATH = "", HOME = "" } = process.env;
  const { sha, repository } = input.github;
  const runner = {
    PATH: `${folder}:${PATH}`,
    HOME,
    GITHUB_SHA: String(sha),
    GITHUB_REPOSITORY: String(repository),
    WRANGLER: join(folder, "wrangler"),
    CALLS_FILE: join(folder, "calls"),
    WRANGLER_PLAN: JSON.stringify(input.plan),
    NPM_FILE: join(folder, "npm-calls"),
    NPM_FAILS: input.npmFails ?? "",
    MORE_ARGUMENTS: input.more ?? "",
    ...input.env,
  };
  for (const step of job.steps) {
    if (step.run === undefined) continue;
    ran.steps.push(step.run);
    const own = Object.entries(step.env).map(([name, value]) => [name, fillIn(value, input)]);
    const { code, said } = await bash(step.run, { ...runner, ...Object.fromEntries(own) });
    ran.said += said;
    if (code !== 0) return "failure";
  }
  return "success";
}

function bash(command: string, env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = spawn("bash", ["-e", "-c", command], { cwd: root, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += String(chunk);
    });
  return new Promise((resolve) => child.on("close", (status) => resolve({ code: status ?? 1, said })));
}
