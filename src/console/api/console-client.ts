import type { operations } from "../../client/api-types.generated.ts";
import { type ApiRequest, createCausewayClient } from "../../client/causeway-client.ts";
import { CausewayError } from "../../client/causeway-client-error.ts";
import type { Answer } from "../../client/operations/read-operations.ts";

/** Client of the API, which is served from the same origin as this page. */
export const causeway = createCausewayClient({ url: window.location.origin });

/**
 * Sends a request to the API and returns its response, typed as that of the operation `Name`. The type is not checked
 * at run time. Throws CausewayError: a code of the API, `network`, `invalid_input`, or `aborted`.
 */
export async function ask<Name extends keyof operations>(request: ApiRequest): Promise<Answer<Name>> {
  return (await causeway.request(request)) as Answer<Name>;
}

/** Type of a function that sends requests like `ask` and may add credentials to them. */
export type Ask = typeof ask;

/**
 * Returns true for errors after which a repeated request may succeed: network errors, `rate_limited`, and responses
 * with a status of at least 500. False for anything but a CausewayError.
 */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof CausewayError)) return false;
  return error.code === "network" || error.code === "rate_limited" || (error.status ?? 0) >= 500;
}
