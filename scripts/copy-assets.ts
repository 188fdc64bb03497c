import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url).href);

/** Fills `public` with what the Worker serves beside itself: the reference viewer's script and the OpenAPI document. */
export function copyAssets(): void {
  mkdirSync(`${root}public/docs-assets`, { recursive: true });
  const script = `${root}node_modules/@scalar/api-reference/dist/browser/standalone.js`;
  const target = `${root}public/docs-assets/scalar.js`;
  if (statSync(target, { throwIfNoEntry: false })?.size !== statSync(script).size)
    copyFileSync(script, target);
  const document: unknown = JSON.parse(readFileSync(`${root}openapi.json`, "utf8"));
  writeFileSync(`${root}public/openapi.json`, JSON.stringify(document));
}
