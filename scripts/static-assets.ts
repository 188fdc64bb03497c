import { randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { errorsPageBody } from "../src/openapi/errors-page-body.ts";
import { renderGuidePage } from "./guide/render-guide-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url).href);

/** Folder of files that are not complete yet, on the same disk as `public`. */
const DRAFTS = ".cache/static-assets";

/** Icon for tabs and bookmarks: a bridge over water. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0b5cad"/><path d="M4 14h24M8 14v10M24 14v10M8 21a8 7 0 0 1 16 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
`;

/**
 * Fills `public` with the static assets: the API reference viewer's script, the pages' icon and stylesheet, the
 * bodies of the guide's pages and of the page of error codes, robots.txt, llms.txt, and the OpenAPI document.
 */
export function writeStaticAssets(): void {
  for (const folder of ["public/docs-assets", DRAFTS]) mkdirSync(`${root}${folder}`, { recursive: true });
  write("docs-assets/scalar.js", viewerScript());
  write("docs-assets/icon.svg", ICON);
  const guide = `${root}src/openapi/guide`;
  write("docs-assets/pages.css", readFileSync(`${guide}/pages.css`));
  for (const file of globSync(`${root}src/openapi/texts/*.txt`)) write(basename(file), readFileSync(file));
  const pages = globSync(`${guide}/*.md`)
    .sort()
    .map((file) => [basename(file, ".md"), renderGuidePage(readFileSync(file, "utf8"))]);
  const bodies = { ...Object.fromEntries(pages), errors: errorsPageBody() };
  write("docs-pages.json", JSON.stringify(bodies));
  const document: unknown = JSON.parse(readFileSync(`${root}openapi.json`, "utf8"));
  write("openapi.json", JSON.stringify(document));
}

/** Writes a file of `public` unless it is there already. Another Worker that serves the folder sees it whole. */
function write(name: string, content: string | Uint8Array): void {
  const target = `${root}public/${name}`;
  const bytes = Buffer.from(content);
  if (existsSync(target) && readFileSync(target).equals(bytes)) return;
  const draft = `${root}${DRAFTS}/${randomUUID()}`;
  writeFileSync(draft, bytes);
  renameSync(draft, target);
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
