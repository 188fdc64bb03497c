import { expect, test } from "vitest";
import { firstReadOf } from "../../../scripts/bench/ponder.ts";

test.each([
  ["a time as text", '{"time":"2026-01-02T03:04:05.678Z","msg":"Started backfill"}', 1_767_323_045_678],
  ["a time as number", '{"time":1767323045678,"msg":"Started historical sync"}', 1_767_323_045_678],
  ["no time", '{"msg":"Started backfill"}', null],
  ["an invalid time", '{"time":"--:--","msg":"Started backfill"}', null],
  ["another line", '{"time":1767323045678,"msg":"Created tables"}', null],
])("a log with %s", (_what, line, expected) => {
  expect(firstReadOf(`{"time":1,"msg":"Started"}\n${line}\n`)).toBe(expected);
});
