import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs an installed package's command with the current Node, on every system alike, and returns its exit code. Prints
 * its output; with `quiet`, only the errors of a failure. Throws when the package has no such command.
 */
export function runTool(tool: {
  package: string;
  command: string;
  args: readonly string[];
  quiet?: boolean;
}): number {
  const folder = join("node_modules", tool.package);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin?: string | Record<string, string>;
  };
  const script = typeof bin === "string" ? bin : bin?.[tool.command];
  if (script === undefined) throw new Error(`${tool.package} has no command ${tool.command}`);
  const stdio = tool.quiet === true ? "pipe" : "inherit";
  const { status, stderr } = spawnSync(process.execPath, [join(folder, script), ...tool.args], { stdio });
  if (status !== 0 && tool.quiet === true) process.stderr.write(stderr);
  return status ?? 1;
}
