/** The endpoint rejected a request before it reached Postgres; `code` is an SQLSTATE or null. */
export class Refused extends Error {
  readonly code: string | null;
  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}
