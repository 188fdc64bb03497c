import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";

/** A database reached over Neon's SQL-over-HTTP protocol. */
export interface DatabaseTarget {
  /** `postgresql://user:password@host/database`. */
  databaseUrl: string;
  /** SQL-over-HTTP address, when it differs from the one that the host implies. */
  endpoint?: string | undefined;
}

/** Endpoints by host; the driver has only one global setting. */
const endpoints = new Map<string, string>();
const implied = (host: string): string => `https://${host.replace(/^[^.]+\./, "api.")}/sql`;
const key = (host: string, port: string | number): string => `${host}:${port === "" ? 5432 : port}`;

/** Returns the production driver's query function for a database. */
export function connect({ databaseUrl, endpoint }: DatabaseTarget): NeonQueryFunction<false, false> {
  const { hostname, port } = new URL(databaseUrl);
  if (endpoint === undefined) endpoints.delete(key(hostname, port));
  else endpoints.set(key(hostname, port), endpoint);
  neonConfig.fetchEndpoint = (host, hostPort) => endpoints.get(key(host, hostPort)) ?? implied(host);
  return neon(databaseUrl);
}

/** Returns the database that the environment names. Throws when it names none. */
export function targetFromEnvironment(): DatabaseTarget {
  const { DATABASE_URL: databaseUrl, DATABASE_HTTP_URL: endpoint } = process.env;
  if (databaseUrl === undefined || databaseUrl === "") throw new Error("DATABASE_URL is not set");
  return { databaseUrl, endpoint: endpoint === "" ? undefined : endpoint };
}
