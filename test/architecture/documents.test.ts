import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const documents = ["README.md", ...globSync(".github/docs/*.md")];
const FOLDERS = /^(?:src|test|scripts|drizzle|\.github)\//;

/** Returns the repository's files that a document links to or names as code. */
function named(document: string): string[] {
  const text = readFileSync(document, "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) =>
    join(dirname(document), path),
  );
  const code = [...text.matchAll(/`([\w./-]+)`/g)].map(([, path = ""]) => path);
  return [...links, ...code.filter((path) => FOLDERS.test(path))];
}

describe.each(documents)("%s", (document) => {
  test("names only existing files", () => {
    expect(named(document).filter((path) => !existsSync(path))).toEqual([]);
  });

  test("names at least one file", () => {
    expect(named(document)).not.toEqual([]);
  });
});

test("architecture.md names every folder of src", () => {
  const text = readFileSync(".github/docs/architecture.md", "utf8");
  for (const folder of ["http", "routes", "deposits", "vaults", "providers", "chains", "db", "redis", "jobs"])
    expect(text).toContain(`src/${folder}`);
});
