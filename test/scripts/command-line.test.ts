import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

/** Files of scripts that are started from a terminal. */
const tools = globSync("scripts/**/*.ts")
  .filter((file) => /\b(readArguments|offerHelp|runCommand|isStarted)\(/.test(readFileSync(file, "utf8")))
  .filter((file) => file !== "scripts/command.ts")
  .sort();

/** Files that only other programs start. */
const NO_TOOLS = ["scripts/stack/chains/main.ts", "scripts/contracts/compile-worker.ts"];

class Exit extends Error {}

const printed: string[] = [];
const complained: string[] = [];
const { argv, exitCode } = process;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  vi.spyOn(console, "error").mockImplementation((line: string) => void complained.push(line));
  vi.spyOn(process, "exit").mockImplementation((code) => {
    process.exitCode = code ?? process.exitCode;
    throw new Exit();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.argv = argv;
  process.exitCode = exitCode;
  printed.length = 0;
  complained.length = 0;
});

/** Runs a tool in this process, newly imported, until it ends or would exit the process. */
async function start(tool: string, option: string) {
  process.argv = ["node", resolve(tool), option];
  process.exitCode = undefined;
  try {
    await import(/* @vite-ignore */ `${resolve(tool)}?${option}`);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  return { code: process.exitCode ?? 0, printed: printed.join("\n"), complained: [...complained] };
}

test("every command-line tool reads its arguments with scripts/command.ts", () => {
  const scripts = Object.values(
    (JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }).scripts,
  );
  const named = scripts.flatMap((script) => /^node (\S+\.ts)/.exec(script)?.[1] ?? []);
  expect(tools).toEqual(expect.arrayContaining(named));
  const acting = globSync("scripts/**/*.ts").filter(
    (file) => !/^export /m.test(readFileSync(file, "utf8")) && !NO_TOOLS.includes(file),
  );
  expect(tools).toEqual(expect.arrayContaining(acting));
});

describe.each(tools)("%s", (tool) => {
  test("prints purpose and usage with --help, and does nothing else", async () => {
    const { code, printed, complained } = await start(tool, "--help");
    expect([code, complained]).toEqual([0, []]);
    expect(printed).toMatch(/^[A-Z][^\n]+\n/);
    expect(printed).toMatch(/^ {2}(npm|node) .+$/m);
    expect(printed).toMatch(/^ {2}--help {2,}show this text/m);
  });
});

// forge has its own options and reports unknown ones itself.
describe.each(tools.filter((tool) => tool !== "scripts/contracts/test.ts"))("%s", (tool) => {
  test("rejects an unknown option in one line", async () => {
    expect(await start(tool, "--nonsense")).toEqual({
      code: 2,
      printed: "",
      complained: ["Unknown option '--nonsense'; see --help"],
    });
  });
});

test.each(["--max-lag=soon", "--max-lag=", "--max-ms=1e3", "--max-ms=-1"])(
  "scripts/smoke.ts rejects %s, because a limit that is not a number is never exceeded",
  async (option) => {
    const { code, complained } = await start("scripts/smoke.ts", option);
    const [name = "", given] = option.split("=");
    expect([code, complained]).toEqual([2, [`${name} must be a whole number, not '${given}'; see --help`]]);
  },
);
