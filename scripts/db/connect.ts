import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";

/** A database reached over Neon's HTTP protocol. */
export interface DatabaseTarget {
  /** `postgresql://user:password@host/database`. */
  databaseUrl: string;
  /** The SQL-over-HTTP address where it is not the one that the host implies. */
  endpoint?: string | undefined;
}

/** Hosts whose endpoint was given; the driver knows only one setting for all. */
const endpoints = new Map<string, string>();
const implied = (host: string): string => `https://${host.replace(/^[^.]+\./, "api.")}/sql`;
const key = (host: string, port: string | number): string => `${host}:${port === "" ? 5432 : port}`;

/** The production driver's query function. */
export function connect({ databaseUrl, endpoint }: DatabaseTarget): NeonQueryFunction<false, false> {
  const { hostname, port } = new URL(databaseUrl);
  if (endpoint === undefined) endpoints.delete(key(hostname, port));
  else endpoints.set(key(hostname, port), endpoint);
  neonConfig.fetchEndpoint = (host, hostPort) => endpoints.get(key(host, hostPort)) ?? implied(host);
  return neon(databaseUrl);
}

/** The target that the environment names. Throws when it names none. */
export function targetFromEnvironment(): DatabaseTarget {
  const { DATABASE_URL: databaseUrl, DATABASE_HTTP_URL: endpoint } = process.env;
  if (databaseUrl === undefined || databaseUrl === "") throw new Error("DATABASE_URL is not set");
  return { databaseUrl, endpoint: endpoint === "" ? undefined : endpoint };
}
