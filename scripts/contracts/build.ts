/**
 * Compiles the contracts. The shipped ones are written beside their source and committed; the stand-ins for
 * third-party contracts go to an ignored folder. With --check, compares the committed artifacts with a new build and
 * fails on a difference, which proves that the committed bytecode comes from the committed source.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readArguments } from "../command.ts";
import { shippedOptimizer } from "./compile.ts";
import { compileMany } from "./compile-many.ts";
import { renderShipped } from "./render.ts";
import { buildStandIns } from "./stand-ins.ts";
import { type ShippedTarget, shippedTargets } from "./targets.ts";

const { values: options } = readArguments({
  help: `Compiles the shipped contracts and the local stack's stand-ins for third-party contracts.

  npm run contracts:build [-- --only <output> | --stand-ins]
  npm run contracts:check   the same as --check

  --check      write no committed file; fail when an artifact differs from its source
  --only       only shipped contracts whose output path starts with this
  --stand-ins  only the stand-ins
  --help       show this text`,
  options: { check: { type: "boolean" }, only: { type: "string" }, "stand-ins": { type: "boolean" } },
});

/** Writes or compares one artifact and prints the result; returns true when the committed file is up to date. */
function settle({ output }: ShippedTarget, text: string): boolean {
  const current = existsSync(output) ? readFileSync(output, "utf8") : "";
  if (text === current) {
    console.log(`same     ${output}`);
  } else if (options.check) {
    console.error(`differs  ${output}: run npm run contracts:build and commit the result`);
    return false;
  } else {
    writeFileSync(output, text);
    console.log(`written  ${output}`);
  }
  return true;
}

async function buildShipped(): Promise<boolean> {
  const chosen = shippedTargets.filter(({ output }) => output.startsWith(options.only ?? ""));
  const whole = chosen.filter(({ source }) => existsSync(source));
  if (chosen.length === 0) console.error(`no target writes ${options.only}`);
  for (const { output, source } of chosen.filter((target) => !whole.includes(target)))
    console.error(`skipped  ${output}: no such source: ${source}`);
  const compiled = await compileMany(
    whole.map(({ source, child }) => ({
      sources: [source, ...(child === undefined ? [] : [child.source])],
      optimizer: shippedOptimizer,
    })),
  );
  const settled = whole.map((target, index) =>
    settle(target, renderShipped(target, compiled[index] ?? new Map())),
  );
  return chosen.length > 0 && whole.length === chosen.length && settled.every(Boolean);
}

if (options.only === undefined) {
  const written = await buildStandIns();
  console.log(written.length === 0 ? "same     stand-ins" : `written  stand-ins: ${written.join(", ")}`);
}
if (options["stand-ins"] !== true && !(await buildShipped())) process.exit(1);
