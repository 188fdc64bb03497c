import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import type { Fetch } from "../lib/bounded-fetch.ts";

/**
 * Creates a client that runs queries over Neon's HTTP protocol with its own endpoint and `fetch`; if `httpUrl` is null,
 * the database host implies the endpoint. Throws an Error if `databaseUrl` is malformed. The driver keeps one endpoint
 * and one `fetch` for the whole process, so the client opened last would determine where all statements go. Here both
 * are passed with each client's statements instead.
 */
export function neonClient(settings: {
  databaseUrl: string;
  httpUrl: string | null;
  fetch: Fetch;
}): NeonQueryFunction<false, false> {
  const { databaseUrl, httpUrl, fetch } = settings;
  neonConfig.fetchFunction = handOver;
  const send: Fetch = (implied, init) => fetch(httpUrl ?? implied, init);
  return neon(databaseUrl, { fetchOptions: { send } });
}

/** The process-wide `fetch` of the driver, which forwards each request to the `fetch` of the client that sent it. */
const handOver = (implied: string, { send, ...init }: RequestInit & { send: Fetch }): Promise<Response> =>
  send(implied, init);
