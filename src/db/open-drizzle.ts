import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { boundedFetch, type Fetch } from "../lib/bounded-fetch.ts";
import type { Breaker } from "../lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../lib/circuit-breaker-call.ts";
import { neonClient } from "./neon-client.ts";

/** A drizzle database that uses Neon's HTTP driver. */
export type Drizzle = NeonHttpDatabase;

/**
 * Limits of one statement or batch: ten seconds, and 8 MiB of results. Statements are never retried, because a write
 * may have been executed.
 */
const BOUNDS = { timeoutMs: 10_000, maxBytes: 8 * 1024 * 1024 } as const;

const CHECK_BOUNDS = { timeoutMs: 1_000, maxBytes: 64 * 1024 } as const;
const CHECK_BODY = JSON.stringify({ query: "select 1", params: [] });

/**
 * Opens the database over Neon's HTTP protocol, at `httpUrl` or, if it is null, at the endpoint derived from
 * `databaseUrl`. Each statement or batch is sent at most once, with a timeout of ten seconds and at most 8 MiB of
 * results; `breaker` may refuse it or send `select 1` first. Throws an Error if `databaseUrl` is malformed.
 */
export function openDrizzle(settings: {
  databaseUrl: string;
  httpUrl: string | null;
  fetch: Fetch;
  breaker?: Breaker;
}): Drizzle {
  const fetch: Fetch = async (url, init = {}) => {
    const response = await throughBreaker(settings.breaker, {
      work: () => boundedFetch(settings.fetch, { url, init, bounds: BOUNDS }),
      check: () =>
        boundedFetch(settings.fetch, { url, init: { ...init, body: CHECK_BODY }, bounds: CHECK_BOUNDS }),
      outcomeOf: outcomeOfOutsideError,
    });
    return new Response(response.text, { status: response.status, headers: response.headers });
  };
  return drizzle({ client: neonClient({ ...settings, fetch }) });
}
