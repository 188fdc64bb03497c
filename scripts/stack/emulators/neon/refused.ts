/** The endpoint refuses a request before Postgres sees it. */
export class Refused extends Error {
  readonly code: string | null;
  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}
