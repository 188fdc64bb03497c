import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url).href);

/** A bridge over water, for tabs and bookmarks. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0b5cad"/><path d="M4 14h24M8 14v10M24 14v10M8 21a8 7 0 0 1 16 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
`;

/**
 * Fills `public` with what is served beside the Worker: the reference viewer's script, the pages' icon, and the OpenAPI
 * document.
 */
export function copyAssets(): void {
  mkdirSync(`${root}public/docs-assets`, { recursive: true });
  const script = `${root}node_modules/@scalar/api-reference/dist/browser/standalone.js`;
  const target = `${root}public/docs-assets/scalar.js`;
  if (statSync(target, { throwIfNoEntry: false })?.size !== statSync(script).size)
    copyFileSync(script, target);
  writeFileSync(`${root}public/docs-assets/icon.svg`, ICON);
  const document: unknown = JSON.parse(readFileSync(`${root}openapi.json`, "utf8"));
  writeFileSync(`${root}public/openapi.json`, JSON.stringify(document));
}
