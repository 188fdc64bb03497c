import type * as z from "zod";
import type { BoundedResponse } from "../../lib/bounded-fetch.ts";
import type { ProviderScope } from "../provider.ts";
import { exchangeRequestFailure } from "../swap-provider-failures.ts";
import { createExchangeSender } from "../swap-provider-requests.ts";
import { failureFromVeloraResponse, veloraRejection } from "./velora-errors.ts";
import { VeloraErrorBody } from "./velora-schemas.ts";

/** A GET request to Velora's API, with the schema of its response. */
interface VeloraRequest<S extends z.ZodType> {
  path: "/prices" | "/swap";
  query: URLSearchParams;
  schema: S;
}

/** HTTP client of Velora's API. */
export interface VeloraClient {
  /**
   * Sends a GET request once and returns its parsed response. Throws `no_route`, `rate_limited`, `upstream_rejected`,
   * `upstream_unavailable` or `upstream_timeout`, with no text from Velora in their messages.
   */
  ask<S extends z.ZodType>(scope: ProviderScope, request: VeloraRequest<S>): Promise<z.infer<S>>;
}

/**
 * Creates the client of Velora's API, which remembers only until when a rate limit lasts. `apiUrl` is
 * `https://api.paraswap.io`, or an emulator of it.
 */
export function createVeloraClient({ apiUrl }: { apiUrl: string }): VeloraClient {
  const base = apiUrl.replace(/\/+$/, "");
  const send = createExchangeSender({ name: "velora", failureFrom: failureFromVeloraResponse });
  const init = { headers: { accept: "application/json" } };
  return {
    async ask(scope, { path, query, schema }) {
      const response = await send(scope, { url: `${base}${path}?${query}`, init });
      return readResponse(response, { path, schema, now: scope.now() });
    },
  };
}

/**
 * Parses the body of a response with status 200. An error text in it counts as an error status of 400. Throws
 * `upstream_unavailable` if it is not JSON, and `upstream_rejected` if it does not match the schema.
 */
function readResponse<S extends z.ZodType>(
  response: BoundedResponse,
  { path, schema, now }: { path: string; schema: S; now: number },
): z.infer<S> {
  const json = parseJson(response.text);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  if (VeloraErrorBody.safeParse(json).success)
    throw failureFromVeloraResponse({ ...response, status: 400 }, now);
  throw veloraRejection(`answer of ${path}: ${parsed.error.issues[0]?.path.join(".") ?? "shape"}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw exchangeRequestFailure(error);
  }
}
