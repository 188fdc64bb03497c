/** One statement of an HTTP request; parameters are JSON values. */
export interface Statement {
  query: string;
  params: readonly unknown[];
}

interface Field {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
  dataTypeSize: number;
  dataTypeModifier: number;
}

/** Postgres' result; values are in its text format. */
export interface StatementResult {
  fields: readonly Field[];
  rows: readonly (readonly (string | null)[])[];
  command: string;
  rowCount: number | null;
}

/** Runs one statement. Throws StatementError if Postgres rejects it. */
export type Run = (statement: Statement) => Promise<StatementResult>;

/** A Postgres that lends clean sessions. */
export interface Backend {
  /** Lends one session; afterwards, an open transaction, settings and locks are reset, as by Neon's pool. */
  session<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Error fields of the wire protocol, in the order of Neon's proxy. */
export const errorFields = [
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "severity",
  "where",
  "table",
  "column",
  "schema",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/** Postgres rejected a statement. `error` carries the applicable `errorFields`. */
export class StatementError extends Error {
  readonly error: Readonly<Record<string, unknown>>;
  constructor(error: Error) {
    super(error.message);
    this.error = error as unknown as Record<string, unknown>;
  }
}

/** "INSERT 0 3" → INSERT, 3; "SELECT 2" → SELECT, 2; "CREATE TABLE" → CREATE, null. */
export function parseCommandTag(tag: string): { command: string; rowCount: number | null } {
  const words = tag.split(" ");
  const last = words.at(-1) ?? "";
  return { command: words[0] ?? "", rowCount: /^\d+$/.test(last) ? Number(last) : null };
}
