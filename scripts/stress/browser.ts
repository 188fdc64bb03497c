/** Drives the console in a real browser, every flow and every page in both sizes and both colours. */
import { spawnSync } from "node:child_process";
import { oneOf, readArguments } from "../command.ts";

const DEVICES = ["desktop", "phone"];

const { values } = readArguments({
  help: `Drives the console in a real browser: every flow on a desktop and on a phone, every page in light and dark too.

  node scripts/stress/browser.ts [--device desktop|phone]

  --device  the one to test on; default: both, one after the other
  --help    show this text

Needs Debian's chromium, or the program that CHROMIUM names.`,
  options: { device: { type: "string" } },
});
const only = oneOf(DEVICES, { option: "device", given: values.device });
const chosen = only === null ? DEVICES : [only];

const failed = chosen.filter((device) => {
  console.log(`\n${device}`);
  const { status } = spawnSync("vitest run --project browser", {
    shell: true,
    stdio: "inherit",
    env: { ...process.env, BROWSER_TESTS: "all", BROWSER_DEVICE: device },
  });
  return status !== 0;
});
console.log(failed.length === 0 ? `passed on ${chosen.join(" and ")}` : `failed on ${failed.join(" and ")}`);
process.exit(failed.length === 0 ? 0 : 1);
