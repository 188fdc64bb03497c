import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeStaticAssets } from "../../scripts/static-assets.ts";

const FILES = ["public/*.{txt,json}", "public/docs-assets/*"];
/** When each file was written, and which one it is. */
const written = () =>
  Object.fromEntries(
    globSync(FILES).map((file) => {
      const { ino, mtimeMs } = statSync(file);
      return [file, { ino, mtimeMs }];
    }),
  );

test("writeStaticAssets() leaves files as they are that a Worker may be reading", () => {
  writeStaticAssets();
  const before = written();
  expect(Object.keys(before).length).toBeGreaterThan(6);
  writeStaticAssets();
  expect(written()).toEqual(before);
});

test("writeStaticAssets() replaces an outdated file, which whoever reads it keeps", () => {
  const file = "public/docs-assets/icon.svg";
  const icon = readFileSync(file, "utf8");
  // Before it is outdated, because another build in this folder may replace it first.
  const { ino } = statSync(file);
  writeFileSync(file, "<svg />");
  writeStaticAssets();
  expect(readFileSync(file, "utf8")).toBe(icon);
  expect(statSync(file).ino).not.toBe(ino);
});
