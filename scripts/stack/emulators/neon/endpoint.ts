import type { IncomingHttpHeaders } from "node:http";
import { type EmulatorAnswer, renameFields, replaceAddresses } from "../faults.ts";
import type { Emulator, EmulatorRequest } from "../server.ts";
import { type Backend, errorFields, type Run, StatementError, type StatementResult } from "./backend.ts";
import { type Credentials, checkCredentials } from "./credentials.ts";
import { type Format, parsePayload, type SqlQuery, transactionMode } from "./payload.ts";
import { Refused } from "./refused.ts";
import { fromPostgresText } from "./values.ts";

const LIMIT = 64 * 1024 * 1024;

/**
 * Neon's SQL-over-HTTP endpoint (`POST /sql`) over any Postgres. Wire format: neondatabase/neon,
 * proxy/src/serverless/{sql_over_http,json,http_util,error}.rs.
 */
export function neonEmulator(backend: Promise<Backend>, credentials: Credentials): Emulator {
  return {
    name: "neon",
    handle: (request) => handle({ backend, credentials }, request),
    maxBodyBytes: LIMIT,
    tooLarge: () => failure(413, `request is too large (max is ${LIMIT} bytes)`),
    drift: renameFields,
    hostile: replaceAddresses,
  };
}

type Service = { backend: Promise<Backend>; credentials: Credentials };

async function handle(service: Service, request: EmulatorRequest): Promise<EmulatorAnswer> {
  if (request.method !== "POST" || request.path !== "/sql") return failure(400, "query is not supported");
  try {
    checkCredentials(service.credentials, request.headers["neon-connection-string"]);
    const text = JSON.stringify(await answer(await service.backend, request));
    if (Buffer.byteLength(text) > LIMIT) return failure(507, `response is too large (max is ${LIMIT} bytes)`);
    return { status: 200, body: text };
  } catch (error) {
    if (error instanceof Refused) return failure(400, error.message, { code: error.code });
    if (error instanceof StatementError) return failure(400, error.message, error.error);
    throw error;
  }
}

async function answer(backend: Backend, request: EmulatorRequest): Promise<unknown> {
  const mode = transactionMode(request.headers);
  const payload = parsePayload(request.body.toString("utf8"));
  const format = formatOf(request.headers);
  return backend.session(async (run) => {
    if (!Array.isArray(payload)) return shape(payload, await run(payload), format);
    await run({ query: `START TRANSACTION ${mode}`, params: [] });
    const results: unknown[] = [];
    for (const query of payload) results.push(shape(query, await run(query), format));
    await commit(run);
    return { results };
  });
}

/** Commits a batch. If the batch has already ended its transaction, Postgres only warns. */
const commit = (run: Run) => run({ query: "COMMIT", params: [] });

function formatOf(headers: IncomingHttpHeaders): Format {
  return {
    rawText: headers["neon-raw-text-output"] === "true",
    arrayMode: headers["neon-array-mode"] === "true",
  };
}

function shape(query: SqlQuery, result: StatementResult, format: Format) {
  const asArray = query.arrayMode ?? format.arrayMode;
  const fields = result.fields.map((field) => ({
    name: field.name,
    dataTypeID: field.dataTypeID,
    tableID: field.tableID,
    columnID: field.columnID,
    dataTypeSize: field.dataTypeSize,
    dataTypeModifier: field.dataTypeModifier,
    format: "text",
  }));
  const cook = (row: readonly (string | null)[]) => {
    const values = format.rawText
      ? row
      : row.map((value, index) => fromPostgresText(value, fields[index]?.dataTypeID ?? 0));
    return asArray ? values : Object.fromEntries(values.map((value, index) => [fields[index]?.name, value]));
  };
  const { command, rowCount } = result;
  return { rowAsArray: asArray, fields, rows: result.rows.map(cook), command, rowCount };
}

function failure(
  status: number,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): EmulatorAnswer {
  const details = Object.fromEntries(errorFields.map((name) => [name, fields[name] ?? null]));
  return { status, body: JSON.stringify({ message, ...details }) };
}
