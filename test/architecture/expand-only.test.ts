import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkTree } from "../support/planted-tree.ts";

const root = join(import.meta.dirname, "../..");
const ADD = 'ALTER TABLE "deposits" ADD COLUMN';

/** Statements that break the previous version, and the check's problem. */
const harmful: readonly (readonly [sql: string, problem: string])[] = [
  ['DROP TABLE "flows"', "is not known to expand"],
  ['ALTER TABLE "deposits" DROP COLUMN "tool"', "is not known to expand"],
  ['ALTER TABLE "deposits" RENAME COLUMN "tool" TO "bridge_tool"', "is not known to expand"],
  ['ALTER TABLE "deposits" RENAME TO "moves"', "is not known to expand"],
  ['ALTER TABLE "deposits" ALTER COLUMN "checks" SET DATA TYPE bigint', "is not known to expand"],
  ['ALTER TABLE "deposits" ALTER COLUMN "tool" SET NOT NULL', "is not known to expand"],
  ['ALTER TABLE "deposits" ALTER COLUMN "checks" DROP DEFAULT', "is not known to expand"],
  [`UPDATE "deposits" SET "tool" = ''`, "is not known to expand"],
  ['CREATE INDEX CONCURRENTLY "deposits_tool" ON "deposits" USING btree ("tool")', "is not known to expand"],
  [`${ADD} "fee" text NOT NULL`, "the version before names no deposits.fee, which has no default"],
  [`${ADD} "fee" text DEFAULT '' UNIQUE`, "binds what the version before writes to deposits"],
  [`${ADD} "fee" text REFERENCES "vaults"("name")`, "binds what the version before writes to deposits"],
  [
    'CREATE UNIQUE INDEX "one" ON "deposits" USING btree ("tool")',
    "binds what the version before writes to deposits",
  ],
  [
    'ALTER TABLE "deposits" ADD CONSTRAINT "some" CHECK ("checks" > 0)',
    "binds what the version before writes to deposits",
  ],
  [
    'CREATE TRIGGER "no" BEFORE UPDATE ON "deposits" FOR EACH ROW EXECUTE FUNCTION "no"()',
    "binds what the version before writes to deposits",
  ],
  ['CREATE TABLE "new" ("id" text); DROP TABLE "flows"', "is more than one statement"],
];
/** Several statements of which only the last is harmful: the file's own additions do not excuse it. */
const together: readonly (readonly [sql: string, problem: string])[] = [
  [
    `${ADD} "fee" text DEFAULT '' NOT NULL;--> statement-breakpoint\nCREATE UNIQUE INDEX "fee" ON "deposits" USING btree ("fee");`,
    "binds what the version before writes to deposits",
  ],
  [
    `${ADD} "paid" boolean DEFAULT true NOT NULL;--> statement-breakpoint\nCREATE UNIQUE INDEX "paid" ON "deposits" USING btree ("ref") WHERE "deposits"."paid";`,
    "binds what the version before writes to deposits",
  ],
  [
    '-- contract: no version names it\nCREATE TABLE "new" ("id" text);',
    "is no drop, in a file that contracts",
  ],
  ['-- contract:\nDROP TABLE "flows";', "is not known to expand"],
];
/** Files of which only the last is harmful: the index that is stronger than its own is dropped before. */
const inTurn: readonly string[] = [
  'CREATE TABLE "rows" ("a" text, "b" text);--> statement-breakpoint\nCREATE UNIQUE INDEX "one" ON "rows" USING btree ("a") WHERE "rows"."b";',
  'CREATE UNIQUE INDEX "two" ON "rows" USING btree ("a","b") WHERE "rows"."b";',
  '-- contract: two replaces it\nDROP INDEX "one";',
  '-- contract: three replaces it\nDROP INDEX "two";',
  'CREATE UNIQUE INDEX "three" ON "rows" USING btree ("a","b") WHERE "rows"."b";',
];

const named = (sqls: readonly string[]) =>
  Object.fromEntries(sqls.map((sql, index) => [`drizzle/${String(index).padStart(4, "0")}_x.sql`, sql]));

test("expand-only.ts reports each statement that breaks the previous version", async () => {
  const all = [...harmful, ...together];
  // Created by another file, so the statements alter an existing table.
  const before = { "drizzle/0000_before.sql": 'CREATE TABLE "deposits" ("tool" text);' };
  const { code, problems } = await checkTree("expand-only.ts", {
    ...before,
    ...named(all.map(([sql]) => sql)),
  });
  const found = problems.map((line) => [line.split(":")[0], line.split(": ").at(-1)]);
  const expected = Object.keys(named(all.map(([sql]) => sql))).map((file, index) => [file, all[index]?.[1]]);
  expect([code, found]).toEqual([1, expected]);
});

test("expand-only.ts accepts additions, drops with a reason, and all migrations", async () => {
  const existing = globSync("drizzle/*.sql", { cwd: root }).map((file) =>
    readFileSync(join(root, file), "utf8"),
  );
  expect(existing.length).toBeGreaterThan(7);
  const harmless = [
    `${ADD} "fee" text;--> statement-breakpoint\nCREATE UNIQUE INDEX "fee" ON "deposits" USING btree ("ref","fee");`,
    `${ADD} "fee" numeric(78, 0) DEFAULT '0;' NOT NULL;`,
    'CREATE UNIQUE INDEX "wider" ON "deposits" USING btree ("ref","tool");',
    '-- contract: nothing names it since the last release\nALTER TABLE "deposits" DROP COLUMN "tool";',
  ];
  const { code, problems } = await checkTree("expand-only.ts", named([...existing, ...harmless]));
  expect([code, problems]).toEqual([0, []]);
});

test("expand-only.ts accepts a unique index that is weaker than one that the tables still have", async () => {
  const { problems } = await checkTree("expand-only.ts", named(inTurn));
  expect(problems.map((line) => line.split(":")[0])).toEqual(["drizzle/0004_x.sql"]);
});

test("expand-only.ts fails without migrations", async () => {
  expect((await checkTree("expand-only.ts", {})).problems).toEqual(["drizzle holds no migration"]);
});
