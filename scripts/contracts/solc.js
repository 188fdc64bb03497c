#!/usr/bin/env node
// What forge needs of a compiler executable, over the pinned npm build of solc, so that no native binary is downloaded.
// forge asks for the version, then sends standard JSON. It only takes a build for a platform it knows, hence the suffix.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const require = createRequire(import.meta.url);

if (process.argv.includes("--version")) {
  // Without loading the compiler: forge asks several times per run. The release commit does not matter to it.
  const { version } = require("solc/package.json");
  console.log(
    `solc, the solidity compiler commandline interface\nVersion: ${version}+commit.00000000.Linux.g++`,
  );
} else if (process.argv.includes("--standard-json")) {
  const solc = require("solc");
  process.stdout.write(solc.compile(await text(process.stdin)));
} else {
  console.error("usage: solc.js --version | --standard-json");
  process.exitCode = 1;
}
