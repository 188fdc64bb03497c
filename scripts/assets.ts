/** Copies the reference viewer's script out of its npm package, so that our origin serves it and nobody else's. */
import { copyFileSync, mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readArguments } from "./command.ts";

readArguments({
  help: `Copies the reference viewer's script out of its npm package into public/docs-assets. wrangler runs it before it bundles.

  node scripts/assets.ts

  --help  show this text`,
});
const root = fileURLToPath(new URL("..", import.meta.url).href);
const source = `${root}node_modules/@scalar/api-reference/dist/browser/standalone.js`;
const target = `${root}public/docs-assets/scalar.js`;

mkdirSync(`${root}public/docs-assets`, { recursive: true });
if (statSync(target, { throwIfNoEntry: false })?.size !== statSync(source).size) copyFileSync(source, target);
