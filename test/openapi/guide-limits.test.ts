import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type LimitName, parseConfig } from "../../src/config/config.ts";

/** The rows of the guide's table of limits, in order. */
const rows: readonly LimitName[] = [
  ...(["quote", "build", "user_build", "nonce", "register", "login"] as const),
  ...(["positions", "status", "reads"] as const),
];
/** Sign-in has no partner yet: keys do not raise its limits. */
const signIn: ReadonlySet<string> = new Set(["nonce", "register", "login"]);

test("the guide's table of limits has every limit, with and without a key", () => {
  const { limits, keyFactor } = parseConfig({
    DATABASE_URL: "postgres://user:pa55word@db.example/causeway",
    UPSTASH_REDIS_REST_URL: "https://redis.example",
    UPSTASH_REDIS_REST_TOKEN: "redis-t0ken",
    PUBLIC_URL: "https://causeway.example",
  });
  const page = readFileSync("src/openapi/guide/production.md", "utf8");
  const table = /^\| Requests .*?\n\n/ms.exec(page)?.[0] ?? "";
  const shown = [...table.matchAll(/\| ([\d,]+) +\| ([\d,]+) +\|$/gm)].map((row) =>
    row.slice(1, 3).map((text) => Number(text.replaceAll(",", ""))),
  );
  expect([...rows].sort()).toEqual(Object.keys(limits).sort());
  expect(shown).toEqual(
    rows.map((name) => [limits[name], signIn.has(name) ? limits[name] : limits[name] * keyFactor]),
  );
});
