import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../src/errors.ts";
import { errorExamples, errorHelp } from "../../src/openapi/openapi-error-help.ts";
import { reasonHelp } from "../../src/openapi/openapi-reason-help.ts";

test.each(errorCodes)("errorHelp states cause and remedy of %s as sentences", (code) => {
  const { cause, remedy } = errorHelp[code];
  for (const text of [cause, remedy]) expect(text).toMatch(/^[A-Z`].{10,160}\.$/);
});

/** Codes of zod, of signals, and of a provider before they become failures: no codes of the API. */
const FOREIGN = new Set(["custom", "high", "medium", "low", "unavailable", "not_processable", "timeout"]);
/** The places in which code gives a reason, a refusal or a warning its code. */
const GIVEN =
  /(?:noRoute|noAcrossRoute|noLifiRoute|noExchangeRoute|refusedStep)\(\s*\[?"([a-z_]+)"|code: "([a-z_]+)"/g;

/** The table of what LI.FI's codes mean. */
const MEANINGS = /^ {2}(?:\d{3,4}|[A-Z_]+): "([a-z_]+)",$/gm;

function givenCodes(): string[] {
  const files = globSync("src/{providers,orders,deposits}/**/*.ts");
  const found = files.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(file.endsWith("lifi-errors.ts") ? MEANINGS : GIVEN),
  ]);
  return [...new Set(found.map(([, a, b]) => a ?? b ?? ""))].filter((code) => !FOREIGN.has(code));
}

describe("codes in responses", () => {
  const known = new Set<string>([...errorCodes, ...Object.keys(reasonHelp)]);

  test("are all explained", () => {
    const given = givenCodes();
    expect(given.length).toBeGreaterThan(20);
    expect(given.filter((code) => !known.has(code))).toEqual([]);
  });

  test("have a cause and a remedy in sentences, and are no error codes", () => {
    for (const [code, { cause, remedy }] of Object.entries(reasonHelp)) {
      for (const text of [cause, remedy]) expect(text).toMatch(/^[A-Z`].{10,160}\.$/);
      expect(errorCodes).not.toContain(code);
    }
  });
});

test("every example has the members of its code", () => {
  expect(Object.keys(errorExamples).every((code) => errorCodes.includes(code as never))).toBe(true);
});
