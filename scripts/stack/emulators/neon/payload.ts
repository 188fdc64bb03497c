import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Statement } from "./backend.ts";
import { Refused } from "./refused.ts";

const QuerySchema = z.object({
  query: z.string(),
  params: z.array(z.unknown()).default([]),
  arrayMode: z.boolean().optional(),
});
const Payload = z.union([z.object({ queries: z.array(QuerySchema) }), QuerySchema]);

/** One query of a request; its `arrayMode` overrides the request's. */
export interface SqlQuery extends Statement {
  arrayMode?: boolean | undefined;
}

/**
 * Format of the result: values in Postgres' text format (`rawText`) instead of JSON, and rows as arrays (`arrayMode`)
 * instead of objects.
 */
export interface Format {
  rawText: boolean;
  arrayMode: boolean;
}

/** Parses one query, or a list that runs in one transaction. Throws {@link Refused}. */
export function parsePayload(body: string): SqlQuery | SqlQuery[] {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new Refused("could not parse the HTTP request body: not JSON");
  }
  const parsed = Payload.safeParse(json);
  if (!parsed.success) {
    throw new Refused(
      "could not parse the HTTP request body: data did not match any variant of untagged enum Payload",
    );
  }
  return "queries" in parsed.data ? parsed.data.queries : parsed.data;
}

const ISOLATION = new Map([
  ["Serializable", "SERIALIZABLE"],
  ["RepeatableRead", "REPEATABLE READ"],
  ["ReadCommitted", "READ COMMITTED"],
  ["ReadUncommitted", "READ UNCOMMITTED"],
]);

/**
 * Returns the options of `START TRANSACTION` that the batch headers request; empty for the defaults. Throws {@link
 * Refused} for an unknown isolation level.
 */
export function transactionMode(headers: IncomingHttpHeaders): string {
  const level = headers["neon-batch-isolation-level"];
  const isolation = typeof level === "string" ? ISOLATION.get(level) : undefined;
  if (level !== undefined && isolation === undefined) throw new Refused("invalid isolation level");
  const modes = [isolation === undefined ? "" : `ISOLATION LEVEL ${isolation}`];
  if (headers["neon-batch-read-only"] === "true") modes.push("READ ONLY");
  if (headers["neon-batch-deferrable"] === "true") modes.push("DEFERRABLE");
  return modes.filter((mode) => mode !== "").join(", ");
}
