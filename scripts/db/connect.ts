import type { NeonQueryFunction } from "@neondatabase/serverless";
import { neonClient } from "../../src/db/neon-client.ts";

/** A database reached over Neon's SQL-over-HTTP protocol. */
export interface DatabaseTarget {
  /** `postgresql://user:password@host/database`. */
  databaseUrl: string;
  /** URL of the SQL-over-HTTP endpoint, if it differs from the one derived from the host. */
  endpoint?: string | undefined;
}

/** Returns the production driver's query function for a database. */
export function connect({ databaseUrl, endpoint }: DatabaseTarget): NeonQueryFunction<false, false> {
  return neonClient({ databaseUrl, httpUrl: endpoint ?? null, fetch: (url, init) => fetch(url, init) });
}

/**
 * Returns the database that `DATABASE_URL` and, optionally, `DATABASE_HTTP_URL` name. Throws if the former is not set.
 */
export function targetFromEnvironment(): DatabaseTarget {
  const { DATABASE_URL: databaseUrl, DATABASE_HTTP_URL: endpoint } = process.env;
  if (databaseUrl === undefined || databaseUrl === "") throw new Error("DATABASE_URL is not set");
  return { databaseUrl, endpoint: endpoint === "" ? undefined : endpoint };
}
