import { describe, expect, test } from "vitest";
import { createDatabase, pgCode } from "../../src/db/database-client.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";

/** Runs a statement that fails with this SQLSTATE, as the driver reports it: within drizzle's own error. */
async function failWith(code: string | null): Promise<unknown> {
  const own = Object.assign(new Error("ERROR"), code === null ? {} : { code });
  const opened = async () => ({}) as never;
  const database = createDatabase(opened, new Timing(() => 0));
  return database
    .run(() => Promise.reject(new Error("Failed query", { cause: own })))
    .catch((error) => error);
}

describe("createDatabase()", () => {
  test.each([
    ["a row that a statement affects twice", "21000", "internal"],
    ["an invalid value", "22P02", "internal"],
    ["a missing column", "42703", "internal"],
    ["a raised exception", "P0001", "internal"],
    ["no answer", null, "store_unavailable"],
    ["too many connections", "53300", "store_unavailable"],
    ["a restart", "57P01", "store_unavailable"],
    ["a read-only replica", "25006", "store_unavailable"],
    ["a lost serialization", "40001", "store_unavailable"],
  ])("throws the code of whose fault it is: %s", async (_what, sqlState, code) => {
    expect(await failWith(sqlState)).toMatchObject({ code });
  });

  test("throws integrity violations as they are", async () => {
    expect(await failWith("23505")).not.toHaveProperty("code");
  });
});

test("pgCode() returns the database's code and not one of the operating system", () => {
  const caused = (code: string, cause?: Error) => Object.assign(new Error("no", { cause }), { code });
  const codes = [caused("EPIPE"), caused("EPIPE", caused("23505")), caused("E2BIG", caused("0A000"))].map(
    pgCode,
  );
  expect(codes).toEqual([null, "23505", "0A000"]);
});
