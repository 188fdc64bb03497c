import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../src/errors.ts";
import { errorExamples, errorHelp } from "../../src/openapi/openapi-error-help.ts";
import { reasonHelp } from "../../src/openapi/openapi-reason-help.ts";

test.each(errorCodes)("errorHelp states cause and remedy of %s as sentences", (code) => {
  const { cause, remedy } = errorHelp[code];
  for (const text of [cause, remedy]) expect(text).toMatch(/^[A-Z`].{10,160}\.$/);
});

/** The severity of a vault's event, no code of the API. */
const FOREIGN = new Set(["high"]);
/** The places in which code gives a reason, a refusal or a warning its code. */
const GIVEN = /(?:\w+Route|refused\w*)\(\s*\[?"([a-z_]+)"|\bcode: "([a-z_]+)"|"[A-Z_]+",\s*\["([a-z_]+)"/g;
/** The tables of what providers' codes mean, from the code to its text. */
const TABLE = /^const \w*[rR]easonDetails = \{$.*?^\} as const;$/gms;
const TABLE_KEY = /^ {2}([a-z_]+):/gm;

function givenCodes(): string[] {
  const folders = "{deposits,moves,orders,positions,providers,status,vaults,withdrawals}";
  const texts = globSync(`src/${folders}/**/*.ts`).map((file) => readFileSync(file, "utf8"));
  const tables = texts.flatMap((text) => text.match(TABLE) ?? []);
  expect(tables).toHaveLength(2);
  const found = [
    ...texts.flatMap((text) => [...text.matchAll(GIVEN)]),
    ...tables.flatMap((table) => [...table.matchAll(TABLE_KEY)]),
  ];
  const codes = found.map(([, ...groups]) => groups.find((group) => group !== undefined) ?? "");
  return [...new Set(codes)].filter((code) => !FOREIGN.has(code));
}

describe("codes in responses", () => {
  const known = new Set<string>([...errorCodes, ...Object.keys(reasonHelp)]);

  test("are all explained", () => {
    const given = givenCodes();
    expect(given.length).toBeGreaterThan(20);
    expect(given.filter((code) => !known.has(code))).toEqual([]);
  });

  test("are all given: none is explained that no response has", () => {
    const given = new Set(givenCodes());
    expect(Object.keys(reasonHelp).filter((code) => !given.has(code))).toEqual([]);
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
