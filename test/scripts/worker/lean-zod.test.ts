import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { calledMethods, leanZod } from "../../../scripts/worker/lean-zod.ts";

const path = "node_modules/zod/v4/classic/schemas.js";
const module = readFileSync(path, "utf8");

test("leanZod() leaves strings the formats that are called, and everything else", () => {
  const lean = leanZod(path, module, new Set(["datetime", "email"]));
  expect(lean).toContain("inst.datetime = (params)");
  expect(lean).toContain("inst.email = (params)");
  for (const cut of ["inst.jwt", "inst.cidrv6", "inst.duration", "processJSONSchema"])
    expect(lean).not.toContain(cut);
  const lines = (text: string) => text.split("\n").length;
  // 42 conversions at least, and 26 formats.
  expect(lines(module) - lines(lean)).toBeGreaterThan(60);
  expect(lines(module) - lines(lean)).toBeLessThan(90);
});

test("leanZod() throws if the package's module has another form", () => {
  expect(() => leanZod(path, "export const ZodString = 1;", new Set())).toThrow("no conversions or formats");
});

test("calledMethods() returns what the Worker's sources call", () => {
  const called = calledMethods(process.cwd());
  for (const name of ["regex", "min", "datetime"]) expect(called).toContain(name);
  for (const name of ["jwt", "cuid2", "e164"]) expect(called).not.toContain(name);
});
