import { AppError, failureFrom } from "../errors.ts";
import type { BreakerPolicy } from "../lib/circuit-breaker.ts";
import { onceImported } from "../lib/once.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import type { Drizzle, openDrizzle } from "./open-drizzle.ts";

/** The Postgres database, for one request or job run. */
export interface Database {
  /**
   * Runs one statement or batch. Throws `store_unavailable`, `internal` if the statement itself is wrong, and the
   * driver's error for integrity violations (SQLSTATE class 23).
   */
  run<T>(statement: (db: Drizzle) => PromiseLike<T>): Promise<T>;
}

/**
 * Policy of the database's circuit breaker: three hangs of at least nine seconds open it, or one hang and a failed
 * check after it, unless the database answered in between. Statements are then refused for one second, and for up to
 * three after failed trials.
 */
export const databasePolicy: BreakerPolicy = {
  hangs: 3,
  hangMs: 9_000,
  firstPauseMs: 1_000,
  longestPauseMs: 3_000,
};

/** Returns the isolate's database client, which is opened on the first call. */
export type OpenDatabase = () => Promise<Drizzle>;

/**
 * Returns a function that opens the database client on its first call. The driver's code is loaded then, because an
 * isolate that serves only cached data does not need it. Throws what `openDrizzle` throws; the next call tries again.
 */
export function lazyDrizzle(settings: Parameters<typeof openDrizzle>[0]): OpenDatabase {
  return onceImported(
    () => import("./open-drizzle.ts"),
    ({ openDrizzle }) => openDrizzle(settings),
  );
}

/**
 * Matches the SQLSTATE of a statement that fails however often it is sent: the program is wrong, or a migration is
 * missing. Source: PostgreSQL, Appendix A (classes 0A, 21, 22, 42 and P0).
 */
const OWN_FAULT = /^(?:0A|21|22|42|P0)/;

/** Creates the database access of one request, which adds the time spent to `timing` as `db`. */
export function createDatabase(open: OpenDatabase, timing: Timing): Database {
  return {
    async run(statement) {
      try {
        return await timing.track("db", async () => statement(await open()));
      } catch (error) {
        const code = pgCode(error) ?? "";
        if (error instanceof AppError || code.startsWith("23")) throw error;
        if (OWN_FAULT.test(code)) throw failureFrom("internal", "a database statement is wrong", error);
        throw failureFrom("store_unavailable", "the database did not answer", error);
      }
    },
  };
}

/** Postgres error code of a write that a unique index refuses. */
export const UNIQUE_VIOLATION = "23505";

/**
 * Returns the Postgres error code (SQLSTATE) of an error or of its causes: the first one of five digits and capital
 * letters that does not begin with E, as codes of the operating system do (`EPIPE`). Null if there is none.
 */
export function pgCode(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (
      "code" in current &&
      typeof current.code === "string" &&
      /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(current.code)
    )
      return current.code;
  }
  return null;
}
