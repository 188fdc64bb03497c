import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";

/** One invocation of forge. */
export interface ForgeRun {
  /** Folder of foundry.toml. */
  root: string;
  /** Arguments after `forge`. */
  args: readonly string[];
  /** Settings of this run, as FOUNDRY_* variables. */
  settings?: Readonly<Record<string, string>>;
  /** True to return forge's output instead of printing it. */
  quiet?: boolean;
}

/**
 * Runs forge from node_modules with the npm compiler, without network access and without touching the home directory.
 * Returns the exit code (1 if a signal ended it) and, when quiet, stdout and stderr; otherwise the output is empty.
 */
export async function forge(run: ForgeRun): Promise<{ code: number; output: string }> {
  const root = resolve(run.root);
  const home = join(root, ".cache", "forge", "home");
  mkdirSync(home, { recursive: true });
  const compiler = join(root, "scripts", "contracts", "solc.js");
  const child = spawn(forgeBinary(), [...run.args, "--root", root, "--offline", "--use", compiler], {
    cwd: root,
    stdio: run.quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      ...run.settings,
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      // The compiler is a script: `node` on the path must be the one that runs this.
      PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
    },
  });
  const exited = once(child, "exit");
  const printed = await Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : "")),
  );
  const [code] = await exited;
  return { code: typeof code === "number" ? code : 1, output: printed.join("") };
}

/** Returns the platform package's binary when it is installed, otherwise the npm launcher. */
function forgeBinary(): string {
  const require = createRequire(import.meta.url);
  const system = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const name = process.platform === "win32" ? "forge.exe" : "forge";
  try {
    const binary = join(dirname(require.resolve(`@foundry-rs/forge-${system}/package.json`)), "bin", name);
    if (existsSync(binary)) return binary;
  } catch {
    // This platform's optional package is not installed.
  }
  return resolve("node_modules", ".bin", "forge");
}
