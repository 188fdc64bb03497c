import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A run of wrangler as it was asked for. */
export interface Call {
  args: string[];
  secrets: Record<string, string> | null;
  /** The names of ours that it could read. */
  sees: string[];
}

/** What stands in for wrangler: it writes down how it is called and answers by the first two words. */
const WRANGLER = `#!${process.execPath}
const { appendFileSync, readFileSync, statSync } = require("node:fs");
const args = process.argv.slice(2);
const at = args.indexOf("--secrets-file");
if (at !== -1 && (statSync(args[at + 1]).mode & 0o077) !== 0) process.exit(9);
const secrets = at === -1 ? null : JSON.parse(readFileSync(args[at + 1], "utf8"));
const sees = ["DATABASE_URL", "NEON_API_KEY", "GITHUB_TOKEN"].filter((name) => name in process.env);
appendFileSync(process.env.CALLS_FILE, JSON.stringify({ args: at === -1 ? args : args.slice(0, at), secrets, sees }) + "\\n");
const plan = JSON.parse(process.env.WRANGLER_PLAN)[args[0] + " " + args[1]] ?? {};
if (plan.record) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(plan.record) + "\\n");
if (plan.stdout) console.log(JSON.stringify(plan.stdout));
process.exit(plan.code ?? 0);
`;

/** What wrangler answers, by its first two words. */
export type Plan = Record<string, { stdout?: unknown; record?: unknown; code?: number }>;

/** Runs a workflow's step as its runner does, wrangler replaced. */
export async function runStep(input: {
  command: string;
  env: Record<string, string>;
  plan: Plan;
}): Promise<{ code: number; said: string; calls: Call[] }> {
  const folder = mkdtempSync(join(tmpdir(), "causeway-deploy-"));
  try {
    const file = join(folder, "wrangler");
    const callsFile = join(folder, "calls.ndjson");
    writeFileSync(file, WRANGLER);
    chmodSync(file, 0o755);
    const { PATH = "", HOME = "" } = process.env;
    const env = {
      PATH,
      HOME,
      WRANGLER: file,
      CALLS_FILE: callsFile,
      WRANGLER_PLAN: JSON.stringify(input.plan),
    };
    const child = spawn("bash", ["-e", "-c", input.command], { cwd: root, env: { ...env, ...input.env } });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += String(chunk);
      });
    const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? 1)));
    const lines = existsSync(callsFile) ? readFileSync(callsFile, "utf8").trim().split("\n") : [];
    return { code, said, calls: lines.map((line) => JSON.parse(line) as Call) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The single command of a workflow's step that contains `part`. Throws unless there is exactly one. */
export function stepOf(workflow: string, part: RegExp): string {
  const text = readFileSync(join(root, ".github/workflows", workflow), "utf8");
  const steps = [...text.matchAll(/^ +- run: (.+)$/gm)].map(([, command = ""]) => command);
  const [step, second] = steps.filter((command) => part.test(command));
  if (step === undefined || second !== undefined) throw new Error(`${workflow}: not one step like ${part}`);
  return step;
}

/** A request that Neon's or GitHub's API got. */
export interface Asked {
  method: string;
  path: string;
  authorization: string;
  body: unknown;
}

/** Neon's branches and GitHub's comments, as far as the scripts ask for them. */
export async function startApis(uri: string) {
  const asked: Asked[] = [];
  const branches = [{ id: "br-other", name: "preview/pr-12", current_state: "ready" }];
  const comments = [{ id: 1, body: "Looks good" }];
  const answer = ({ method, path, body }: Asked): unknown => {
    if (path.startsWith("/projects/p/connection_uri")) return { uri };
    const branchId = /^\/projects\/p\/branches\/([\w-]+)$/.exec(path)?.[1];
    if (branchId !== undefined && method === "DELETE")
      return branches.splice(
        branches.findIndex(({ id }) => id === branchId),
        1,
      );
    if (branchId !== undefined) return { branch: branches.find(({ id }) => id === branchId) };
    if (path.startsWith("/projects/p/branches") && method === "POST") {
      const { name } = (body as { branch: { name: string } }).branch;
      branches.push({ id: `br-${branches.length}`, name, current_state: "ready" });
      return { branch: branches.at(-1) };
    }
    // A search finds parts of names, as Neon's does.
    if (path.startsWith("/projects/p/branches?")) return { branches };
    if (method === "GET") return comments;
    const { body: text } = body as { body: string };
    const known = comments.find(({ id }) => path.endsWith(`/comments/${id}`));
    if (known === undefined) comments.push({ id: comments.length + 1, body: text });
    else known.body = text;
    return {};
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { method = "GET", url = "/", headers } = request;
    const body: unknown = text === "" ? null : JSON.parse(text);
    const one = { method, path: url, authorization: headers.authorization ?? "", body };
    asked.push(one);
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer(one)));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, branches, comments, close: () => server.close() };
}
