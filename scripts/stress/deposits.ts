/**
 * Random deposits into every kind of local vault, each carried through on a chain: the end-to-end test of the same name
 * with more of them.
 *
 *   node scripts/stress/deposits.ts
 *   node scripts/stress/deposits.ts --runs 5000
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { readArguments } from "../command.ts";

const { values: options } = readArguments({
  help: `Carries random deposits into every kind of local vault through on a chain.

  node scripts/stress/deposits.ts [--runs 1000]

  --runs  how many
  --help  show this text`,
  options: { runs: { type: "string", default: "1000" } },
});
const root = join(import.meta.dirname, "../..");
const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--project", "e2e", "deposits.random"];
const child = spawn(process.execPath, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, RANDOM_DEPOSITS: options.runs, NO_COLOR: "1" },
});
child.once("close", (code) => process.exit(code ?? 1));
