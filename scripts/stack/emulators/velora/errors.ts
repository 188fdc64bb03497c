import type { EmulatorAnswer } from "../faults.ts";

/** An error response of Velora's API, which has texts and no codes. Source: Velora API, troubleshooting guide. */
export class VeloraRefusal extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }

  toAnswer(): EmulatorAnswer {
    return veloraJson(this.status, { error: this.message });
  }
}

/** Creates a response with a value as JSON. */
export const veloraJson = (status: number, body: unknown): EmulatorAnswer => ({
  status,
  body: JSON.stringify(body),
});

/** Returns the response of a `status` fault in the API's own shape, with the waiting time for 429. */
export function veloraFaultAnswer(status: number, retryAfterSeconds: number): EmulatorAnswer {
  const message = status === 429 ? "Rate limited" : status === 400 ? "Invalid tokens" : "Internal Error";
  const answer = new VeloraRefusal(message, status).toAnswer();
  return status === 429 ? { ...answer, headers: { "retry-after": `${retryAfterSeconds}` } } : answer;
}
