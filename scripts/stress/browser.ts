/** Drives the console in a real browser, every page in both sizes and both colours. */
import { spawnSync } from "node:child_process";
import { readArguments } from "../command.ts";

readArguments({
  help: `Drives the console in a real browser: every flow, and every page on phone and desktop in light and dark.

  node scripts/stress/browser.ts

  --help  show this text

Needs Debian's chromium, or the program that CHROMIUM names.`,
});
const { status } = spawnSync("vitest run --project browser", {
  shell: true,
  stdio: "inherit",
  env: { ...process.env, BROWSER_TESTS: "all" },
});
process.exit(status ?? 1);
