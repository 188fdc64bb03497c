import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Result of a check: its exit code, the reported problems and its output. */
export interface Verdict {
  code: number;
  problems: string[];
  said: string;
}

/** Contents of files, by path. */
export type Tree = Readonly<Record<string, string>>;

/** Runs a check of scripts/checks on a temporary tree of files. */
export async function checkTree(script: string, tree: Tree): Promise<Verdict> {
  const root = await mkdtemp(join(tmpdir(), "causeway-check-"));
  try {
    for (const [path, text] of Object.entries(tree)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await run(resolve("scripts/checks", script), root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function run(script: string, cwd: string): Promise<Verdict> {
  const node = resolve("node_modules/.bin/node");
  return new Promise((done) => {
    execFile(node, [script], { cwd }, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : -1;
      done({ code, problems: stderr.split("\n").filter((line) => line !== ""), said: stdout.trim() });
    });
  });
}
