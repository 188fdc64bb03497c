import type { EmulatorAnswer } from "../faults.ts";

/** An error response of KyberSwap's API. Source: docs.kyberswap.com, aggregator API, error codes. */
export class SwapRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly details: readonly unknown[] | null;

  constructor(code: number, { message, status = 400, details = null }: RefusalParts) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }

  toAnswer(): EmulatorAnswer {
    const { status, code, message, details } = this;
    return swapsJson(status, JSON.stringify({ code, message, details, requestId: "local" }));
  }
}

interface RefusalParts {
  message: string;
  status?: number;
  details?: readonly unknown[] | null;
}

/** Returns a JSON response from a text that is already JSON. */
export const swapsJson = (status: number, body: string): EmulatorAnswer => ({ status, body });

/** Returns the error for a missing or invalid field. */
export const invalidField = (field: string, description: string) =>
  new SwapRefusal(4000, {
    message: "bad request",
    details: [{ fieldViolations: [{ field, description }] }],
  });

/** Returns the response of a `status` fault in the API's own shape, with the waiting time for 429. */
export function swapsFaultAnswer(status: number, retryAfterSeconds: number): EmulatorAnswer {
  if (status === 400) return invalidField("tokenIn", "invalid").toAnswer();
  const message = status === 429 ? "too many requests" : "internal server error";
  const answer = new SwapRefusal(status, { message, status }).toAnswer();
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": `${retryAfterSeconds}` };
  return status === 429 ? { ...answer, headers } : answer;
}
