import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { AppError, failureFrom } from "../errors.ts";
import { boundedFetch, type Fetch } from "../lib/bounded-fetch.ts";
import type { Timing } from "../lib/timing.ts";
import * as schema from "./schema.ts";

export type Drizzle = NeonHttpDatabase<typeof schema>;

/** The database as one request sees it. */
export interface Database {
  /**
   * Runs one statement or one batch, which is one HTTP request, and counts it towards the request's time.
   * Throws `store_unavailable`, except for integrity violations (class 23), which pass as the driver threw them.
   */
  run<T>(statement: (db: Drizzle) => PromiseLike<T>): Promise<T>;
}

/** One statement or batch: ten seconds, eight mebibytes of answer; never retried, a write may have happened. */
const BOUNDS = { timeoutMs: 10_000, maxBytes: 8 * 1024 * 1024 } as const;

/**
 * Opens the database over Neon's HTTP protocol. The driver's endpoint and fetch are settings of the
 * isolate; it holds no connection, so the object may live as long as the isolate.
 */
export function openDrizzle(settings: {
  databaseUrl: string;
  httpUrl: string | null;
  fetch: Fetch;
}): Drizzle {
  if (settings.httpUrl !== null) neonConfig.fetchEndpoint = settings.httpUrl;
  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    const response = await boundedFetch(settings.fetch, { url, init, bounds: BOUNDS });
    return new Response(response.text, { status: response.status, headers: response.headers });
  };
  return drizzle({ client: neon(settings.databaseUrl), schema });
}

/** Binds the database to one request's account of time. */
export function createDatabase(drizzleDb: Drizzle, timing: Timing): Database {
  return {
    async run(statement) {
      try {
        return await timing.track("db", async () => statement(drizzleDb));
      } catch (error) {
        if (error instanceof AppError || pgCode(error)?.startsWith("23") === true) throw error;
        throw failureFrom("store_unavailable", "the database did not answer", error);
      }
    },
  };
}

/** Postgres' error code, from drizzle's wrapper or from the driver itself (which a batch throws bare). */
export function pgCode(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string" && /^[0-9A-Z]{5}$/.test(current.code))
      return current.code;
  }
  return null;
}
