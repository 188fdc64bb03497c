/** One statement as it came over HTTP: parameters are JSON values. */
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

/** What Postgres answered; values are its own text. */
export interface StatementResult {
  fields: readonly Field[];
  rows: readonly (readonly (string | null)[])[];
  command: string;
  rowCount: number | null;
}

export type Run = (statement: Statement) => Promise<StatementResult>;

/** A Postgres that lends out clean sessions. */
export interface Backend {
  /**
   * Lends one session; whatever `work` leaves behind (an open transaction, settings, locks) is undone
   * before the next loan, as Neon's pool does.
   */
  session<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The error fields of the wire protocol, in the order in which Neon's proxy lists them. */
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

/** Postgres refused a statement. `error` carries `errorFields` where they apply. */
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
