import { PgDialect } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { olderThan } from "../../../src/db/conditions/page-conditions.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";

const row = { at: deposits.createdAt, id: deposits.trackingId };
const at = new Date("2026-01-02T03:04:05.678Z");

test("olderThan() selects older rows, and rows of the same time with a lesser id", () => {
  const condition = olderThan({ at, id: "trk_1" }, row);
  if (condition === undefined) throw new TypeError("no condition");
  const { sql, params } = new PgDialect().sqlToQuery(condition);
  expect(sql).toBe(
    '("deposits"."created_at" < $1 or ("deposits"."created_at" = $2 and "deposits"."tracking_id" < $3))',
  );
  expect(params).toEqual([at.toISOString(), at.toISOString(), "trk_1"]);
});

test("olderThan() selects everything on the first page", () => {
  expect(olderThan(null, row)).toBe(undefined);
});
