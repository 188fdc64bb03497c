import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
  const script = viewerScript();
  const target = `${root}public/docs-assets/scalar.js`;
  if (statSync(target, { throwIfNoEntry: false })?.size !== Buffer.byteLength(script))
    writeFileSync(target, script);
  writeFileSync(`${root}public/docs-assets/icon.svg`, ICON);
  const document: unknown = JSON.parse(readFileSync(`${root}openapi.json`, "utf8"));
  writeFileSync(`${root}public/openapi.json`, JSON.stringify(document));
}

/**
 * The script that Scalar publishes for browsers. Its own package brings 270 MB that it was built from; this one has it
 * as a string, and is read as text because its code would load a web server's.
 */
function viewerScript(): string {
  const file = "node_modules/@scalar/fastify-api-reference/dist/index.js";
  const literal = /^var standalone_default = (".*");$/m.exec(readFileSync(`${root}${file}`, "utf8"))?.[1];
  if (literal === undefined) throw new Error(`no script in ${file}`);
  // What JavaScript takes as it stands within a string, JSON wants escaped.
  return JSON.parse(literal.replace(/\p{Cc}/gu, escapeOf)) as string;
}

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
