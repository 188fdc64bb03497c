/**
 * Writes openapi.json from the routes and lints it; with --check, fails when the committed document differs. The
 * server's address is a placeholder: each deployment serves the document with its own.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadRoutes } from "../src/app.ts";
import { openApiDocument } from "../src/openapi/openapi-document.ts";
import { readArguments } from "./command.ts";
import { runTool } from "./run-tool.ts";

const { values: options } = readArguments({
  help: `Writes openapi.json from the routes and lints it.

  npm run openapi:build
  npm run openapi:check   the same as --check

  --check  write nothing; fail when the committed document differs
  --help   show this text`,
  options: { check: { type: "boolean" } },
});
const file = "openapi.json";
const text = `${JSON.stringify(openApiDocument(await loadRoutes(), "https://causeway.example"), null, 2)}\n`;
if (options.check !== true) writeFileSync(file, text);
else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
  console.error(`${file} differs from the routes: run npm run openapi:build and commit the result`);
  process.exit(1);
}
process.exit(runTool({ package: "@redocly/cli", command: "redocly", args: ["lint", file] }));
