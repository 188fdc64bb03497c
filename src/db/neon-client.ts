import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import type { Fetch } from "../lib/bounded-fetch.ts";

/**
 * A query function over Neon's HTTP protocol with an endpoint and a fetch of its own; `httpUrl` null is the address
 * that the host implies. The driver knows one endpoint and one fetch for the whole process, so that whoever opened a
 * database last decided where the others' statements went: here both travel with each client's statements instead.
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

/** What the driver calls for every client: nothing of it differs between them. */
const handOver = (implied: string, { send, ...init }: RequestInit & { send: Fetch }): Promise<Response> =>
  send(implied, init);
