import type { EmulatorAnswer } from "../faults.ts";

type Extra = Readonly<Record<string, unknown>>;

/** An error response of Across' API. Source: across-protocol/frontend, api/_errors. */
export class AcrossRefusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly extra: Extra;

  /** Further fields are added to the body. */
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
    return acrossJson(status, { type: "AcrossApiError", code, status, message, ...extra });
  }
}

/** Creates a response with a value as JSON. */
export const acrossJson = (status: number, value: unknown): EmulatorAnswer => ({
  status,
  body: JSON.stringify(value),
});

/** The error of a missing parameter. */
export const missingParameter = (message: string) => new AcrossRefusal("MISSING_PARAM", { message });

/** The error of an invalid parameter. */
export const invalidParameter = (param: string, message: string) =>
  new AcrossRefusal("INVALID_PARAM", { message, param });

/** The response of a `status` fault: the API's own shape, with `retry-after` for 429. */
export function acrossFaultAnswer(status: number, retryAfterSeconds: number): EmulatorAnswer {
  const codes: Readonly<Record<number, readonly [string, string]>> = {
    502: ["UPSTREAM_RPC_ERROR", "Upstream RPC error"],
    504: ["UPSTREAM_GATEWAY_TIMEOUT", "Upstream gateway timeout"],
  };
  if (status === 429) {
    const headers = { "retry-after": `${retryAfterSeconds}` };
    return { ...acrossJson(429, { message: "Too many requests" }), headers };
  }
  const [code, message] = codes[status] ?? ["UNEXPECTED_ERROR", "Internal server error"];
  return new AcrossRefusal(code, { message, status }).toAnswer();
}
