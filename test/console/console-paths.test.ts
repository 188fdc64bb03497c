import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The paths of the router's pages, with `*` for parameters. */
const routed = [...readFileSync("src/console/console-router.tsx", "utf8").matchAll(/ path: "([^"]+)"/g)]
  .map(([, path = ""]) => path.replace(/\$\w+/, "*"))
  .filter((path) => path !== "/")
  .sort();
const rewritten = readFileSync("src/console/static/_redirects", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("/"));

test("every page of the router is rewritten to the console, and nothing else", () => {
  expect(rewritten.map((line) => line.split(" ")[0]).sort()).toEqual(routed);
  expect(rewritten.every((line) => line.endsWith(" / 200"))).toBe(true);
});

test("wrangler.toml routes the same paths to the static files", () => {
  const listed = [...readFileSync("wrangler.toml", "utf8").matchAll(/^ {2}"!([^"]+)",$/gm)].map(
    ([, path]) => path,
  );
  expect(listed.sort()).toEqual(["/", "/console-assets/*", "/docs-assets/*", "/embed.js", ...routed].sort());
});
