import { AppError, failureFrom } from "../errors.ts";
import { onceImported } from "../lib/once.ts";
import type { Timing } from "../lib/request-timing.ts";
import type { Drizzle, openDrizzle } from "./open-drizzle.ts";

/** The database, for one request. */
export interface Database {
  /**
   * Runs one statement or one batch, which is one HTTP request, and measures its time. Throws `store_unavailable`,
   * except for integrity violations (class 23), which are thrown as the driver did.
   */
  run<T>(statement: (db: Drizzle) => PromiseLike<T>): Promise<T>;
}

/** Returns the isolate's database, opened on first use. */
export type OpenDatabase = () => Promise<Drizzle>;

/**
 * Returns a function that opens the database on its first call: evaluating the driver is a sixth of the isolate's
 * start, and an isolate that answers from its caches never needs it.
 */
export function lazyDrizzle(settings: Parameters<typeof openDrizzle>[0]): OpenDatabase {
  return onceImported(
    () => import("./open-drizzle.ts"),
    ({ openDrizzle }) => openDrizzle(settings),
  );
}

/** Creates the database of one request, which measures its time. */
export function createDatabase(open: OpenDatabase, timing: Timing): Database {
  return {
    async run(statement) {
      try {
        return await timing.track("db", async () => statement(await open()));
      } catch (error) {
        if (error instanceof AppError || pgCode(error)?.startsWith("23") === true) throw error;
        throw failureFrom("store_unavailable", "the database did not answer", error);
      }
    },
  };
}

/**
 * Returns Postgres' error code, from drizzle's wrapper or from the driver itself (which a batch throws bare); null
 * when there is none.
 */
export function pgCode(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string" && /^[0-9A-Z]{5}$/.test(current.code))
      return current.code;
  }
  return null;
}
