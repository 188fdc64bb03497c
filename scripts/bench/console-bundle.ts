import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildConsole } from "../console/build-console.ts";
import type { Row } from "./table.ts";

const PUBLIC = join(import.meta.dirname, "../../public");
const ASSETS = join(PUBLIC, "console-assets");
/** Maximum sizes in bytes: of a page's first load, gzipped, and of the script for other sites, uncompressed. */
const [FIRST_LOAD, HOST_SCRIPT] = [200_000, 5_000];
/** Pages by the module of their component. */
const PAGES = [
  "vaults-page",
  "vault-page",
  "deposit-page",
  "withdrawal-page",
  "portfolio-page",
  "embed-page",
];

/**
 * Builds the console into `public` and measures what a browser loads at the first visit of each main page: the start
 * script, the stylesheet, and the page's module with all modules that it imports statically, gzipped. Also measures the
 * host script of the embedded form, uncompressed. Throws if a page has no module.
 */
export async function benchConsole(): Promise<Row[]> {
  await buildConsole();
  const html = readFileSync(join(PUBLIC, "index.html"), "utf8");
  const start = [...html.matchAll(/\/console-assets\/([\w.-]+\.(?:js|css))/g)].flatMap(
    ([, name]) => name ?? [],
  );
  const pages = PAGES.map((page): Row => {
    const loaded = withImports([...start, chunkOf(page)]);
    const bytes = loaded.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);
    return {
      name: `first load of ${page}, ${loaded.length} files, gzipped`,
      values: [`${(bytes / 1000).toFixed(1)} kB`],
      aim: `<= ${FIRST_LOAD / 1000} kB`,
      reached: bytes <= FIRST_LOAD,
    };
  });
  const script = readFileSync(join(PUBLIC, "embed.js")).length;
  const host = {
    name: "host script of the embedded form",
    values: [`${(script / 1000).toFixed(1)} kB`],
    aim: `<= ${HOST_SCRIPT / 1000} kB`,
    reached: script <= HOST_SCRIPT,
  };
  return [...pages, host];
}

function chunkOf(page: string): string {
  const name = readdirSync(ASSETS).find((file) => file.startsWith(`${page}-`) && file.endsWith(".js"));
  if (name === undefined) throw new Error(`the console's build has no ${page}`);
  return name;
}

/** Returns files and all files that they import statically, without duplicates. */
function withImports(names: readonly string[]): string[] {
  const all = new Set<string>();
  const visit = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    if (!name.endsWith(".js")) return;
    const text = readFileSync(join(ASSETS, name), "utf8");
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
      if (imported !== undefined) visit(imported);
  };
  for (const name of names) visit(name);
  return [...all];
}
