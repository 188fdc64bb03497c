import type { EmulatorAnswer } from "../faults.ts";

type Extra = Readonly<Record<string, unknown>>;

/** A refusal of Across' API. Source: across-protocol/frontend, api/_errors. */
export class AcrossRefusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly extra: Extra;

  /** What else the body says; the status is 400 unless it is among it. */
  constructor(
    code: string,
    { message, status = 400, ...extra }: { message: string; status?: number } & Extra,
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.extra = extra;
  }

  toAnswer(): EmulatorAnswer {
    const { code, status, message, extra } = this;
    return json(status, { type: "AcrossApiError", code, status, message, ...extra });
  }
}

export const json = (status: number, value: unknown): EmulatorAnswer => ({
  status,
  body: JSON.stringify(value),
});

export const missing = (message: string) => new AcrossRefusal("MISSING_PARAM", { message });

export const invalid = (param: string, message: string) =>
  new AcrossRefusal("INVALID_PARAM", { message, param });

/** What a `status` fault answers: the API's own shape, and for 429 the header that says when to come back. */
export function refuse(status: number, retryAfterSeconds: number): EmulatorAnswer {
  const codes: Readonly<Record<number, readonly [string, string]>> = {
    502: ["UPSTREAM_RPC_ERROR", "Upstream RPC error"],
    504: ["UPSTREAM_GATEWAY_TIMEOUT", "Upstream gateway timeout"],
  };
  if (status === 429) {
    const headers = { "retry-after": `${retryAfterSeconds}` };
    return { ...json(429, { message: "Too many requests" }), headers };
  }
  const [code, message] = codes[status] ?? ["UNEXPECTED_ERROR", "Internal server error"];
  return new AcrossRefusal(code, { message, status }).toAnswer();
}
