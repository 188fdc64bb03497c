import type { EmulatorAnswer } from "../faults.ts";

/** An error response of LI.FI's API: `{message, code, errors?}`. Source: docs.li.fi, error codes. */
export class LifiRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: unknown;

  constructor(refusal: { status: number; code: number; message: string; errors?: unknown }) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.errors = refusal.errors;
  }

  toAnswer(): EmulatorAnswer {
    const { message, code, errors } = this;
    return lifiJson(this.status, { message, code, ...(errors === undefined ? {} : { errors }) });
  }
}

/** Creates a response with a value as JSON. */
export const lifiJson = (status: number, value: unknown): EmulatorAnswer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});

/** The error 1011 ValidationError. */
export const invalidRequest = (message: string) => new LifiRefusal({ status: 400, code: 1011, message });

/** The error 1003 NotFoundError. */
export const notFound = (message: string) => new LifiRefusal({ status: 404, code: 1003, message });

/** Reasons for a tool to have no quote. */
export type ToolErrorCode =
  | "NO_POSSIBLE_ROUTE"
  | "AMOUNT_TOO_LOW"
  | "AMOUNT_TOO_HIGH"
  | "FEES_HIGHER_THAN_AMOUNT";

const toolMessages: Readonly<Record<ToolErrorCode, string>> = {
  NO_POSSIBLE_ROUTE: "No route was found for this action.",
  AMOUNT_TOO_LOW: "The initial amount is too low to transfer using this tool.",
  AMOUNT_TOO_HIGH: "The initial amount is too high to transfer using this tool.",
  FEES_HIGHER_THAN_AMOUNT: "The fees are higher than the amount.",
};

/** A tool has no quote: a 404 of the quote endpoints, an unavailable route in `/advanced/routes`. */
export class NoQuote extends Error {
  readonly tool: string;
  readonly code: ToolErrorCode | null;

  /** `code` is null when the filters allowed no tool. */
  constructor(tool: string, code: ToolErrorCode | null) {
    super(`${tool}: ${code}`);
    this.tool = tool;
    this.code = code;
  }

  /** Returns the documented `toolErrors` for the requested action. */
  toolErrors(action: unknown): unknown[] {
    const { tool, code } = this;
    if (code === null) return [];
    return [{ errorType: "NO_QUOTE", code, action, tool, message: toolMessages[code] }];
  }

  toRefusal(action: unknown): LifiRefusal {
    const message = "No available quotes for the requested transfer";
    const errors = this.toolErrors(action);
    return new LifiRefusal({ status: 404, code: 1002, message, ...(errors.length === 0 ? {} : { errors }) });
  }
}

const refusals: Readonly<Record<number, readonly [number, string]>> = {
  400: [1011, "Bad request"],
  401: [1010, "Unauthorized"],
  404: [1002, "No available quotes for the requested transfer"],
  409: [1007, "Slippage exceeded"],
  424: [1008, "Third party tool error"],
  504: [1009, "Timeout"],
};

/** The response of a `status` fault: the API's body, with the rate limit headers for 429. */
export function lifiFaultAnswer(status: number, retryAfterSeconds: number): EmulatorAnswer {
  if (status === 429) {
    const message = `Rate limit exceeded, retry in ${retryAfterSeconds} seconds`;
    const answer = new LifiRefusal({ status, code: 1005, message }).toAnswer();
    const reset = { "ratelimit-remaining": "0", "ratelimit-reset": `${retryAfterSeconds}` };
    return { ...answer, headers: { ...answer.headers, "ratelimit-limit": "75", ...reset } };
  }
  const [code, message] = refusals[status] ?? [1006, "Internal server error"];
  return new LifiRefusal({ status, code, message }).toAnswer();
}
