import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const documents = ["README.md", ...globSync(".github/docs/*.md")];
const FOLDERS = /^(?:src|test|scripts|drizzle|\.github)\//;

/** The files of ours that a text links to, or names as code. */
function named(document: string): string[] {
  const text = readFileSync(document, "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) =>
    join(dirname(document), path),
  );
  const code = [...text.matchAll(/`([\w./-]+)`/g)].map(([, path = ""]) => path);
  return [...links, ...code.filter((path) => FOLDERS.test(path))];
}

describe.each(documents)("%s", (document) => {
  test("names only what is there", () => {
    expect(named(document).filter((path) => !existsSync(path))).toEqual([]);
  });

  test("names something", () => {
    expect(named(document)).not.toEqual([]);
  });
});

test("a document of its own names every folder of src that requests go through", () => {
  const text = readFileSync(".github/docs/architecture.md", "utf8");
  for (const folder of ["http", "routes", "deposits", "vaults", "providers", "chains", "db", "redis", "jobs"])
    expect(text).toContain(`src/${folder}`);
});
