import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * Runs vitest with these arguments and other settings, passed as environment variables, for a long run. Returns the
 * exit code.
 */
export async function runVitest(args: readonly string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env, NO_COLOR: "1" },
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}
