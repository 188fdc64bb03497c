import { copyFileSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { errorsPageBody } from "../src/openapi/errors-page-body.ts";
import { renderGuidePage } from "./guide/render-guide-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url).href);

/** Icon for tabs and bookmarks: a bridge over water. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0b5cad"/><path d="M4 14h24M8 14v10M24 14v10M8 21a8 7 0 0 1 16 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
`;

/**
 * Fills `public` with the static assets: the API reference viewer's script, the pages' icon and stylesheet, the
 * bodies of the guide's pages and of the page of error codes, robots.txt, llms.txt, and the OpenAPI document.
 */
export function writeStaticAssets(): void {
  mkdirSync(`${root}public/docs-assets`, { recursive: true });
  const script = viewerScript();
  const target = `${root}public/docs-assets/scalar.js`;
  if (statSync(target, { throwIfNoEntry: false })?.size !== Buffer.byteLength(script))
    writeFileSync(target, script);
  writeFileSync(`${root}public/docs-assets/icon.svg`, ICON);
  const guide = `${root}src/openapi/guide`;
  copyFileSync(`${guide}/pages.css`, `${root}public/docs-assets/pages.css`);
  for (const file of globSync(`${root}src/openapi/texts/*.txt`))
    copyFileSync(file, `${root}public/${basename(file)}`);
  const pages = globSync(`${guide}/*.md`)
    .sort()
    .map((file) => [basename(file, ".md"), renderGuidePage(readFileSync(file, "utf8"))]);
  const bodies = { ...Object.fromEntries(pages), errors: errorsPageBody() };
  writeFileSync(`${root}public/docs-pages.json`, JSON.stringify(bodies));
  const document: unknown = JSON.parse(readFileSync(`${root}openapi.json`, "utf8"));
  writeFileSync(`${root}public/openapi.json`, JSON.stringify(document));
}

/**
 * Returns Scalar's browser script. Scalar's own package installs 270 MB of build dependencies; this one holds the
 * script as a string literal, and is read as text because running it would load a web server.
 */
function viewerScript(): string {
  const file = "node_modules/@scalar/fastify-api-reference/dist/index.js";
  const literal = /^var standalone_default = (".*");$/m.exec(readFileSync(`${root}${file}`, "utf8"))?.[1];
  if (literal === undefined) throw new Error(`no script in ${file}`);
  // A JavaScript string literal may hold control characters that JSON requires to be escaped.
  return JSON.parse(literal.replace(/\p{Cc}/gu, escapeOf)) as string;
}

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
