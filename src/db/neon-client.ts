import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import type { Fetch } from "../lib/bounded-fetch.ts";

/**
 * Creates a client that sends statements over Neon's HTTP protocol with the given `fetch`, to `httpUrl` or, if it is
 * null, to the endpoint that the driver derives. Throws an Error if `databaseUrl` is malformed.
 */
export function neonClient(settings: {
  databaseUrl: string;
  httpUrl: string | null;
  fetch: Fetch;
}): NeonQueryFunction<false, false> {
  const { databaseUrl, httpUrl, fetch } = settings;
  // The driver's settings are process-wide: the client created last would determine where all clients send. So each
  // client passes its endpoint and `fetch` with its statements.
  neonConfig.fetchFunction = handOver;
  const send: Fetch = (implied, init) => fetch(httpUrl ?? implied, init);
  return neon(databaseUrl, { fetchOptions: { send } });
}

/** The process-wide `fetch` of the driver, which forwards each request to the `fetch` of the client that sent it. */
const handOver = (implied: string, { send, ...init }: RequestInit & { send: Fetch }): Promise<Response> =>
  send(implied, init);
