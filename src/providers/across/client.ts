import type { z } from "@hono/zod-openapi";
import type { Hex } from "viem";

import { failureFrom } from "../../errors.ts";
import { type BoundedResponse, boundedFetch, OutsideError } from "../../lib/bounded-fetch.ts";
import type { ProviderScope } from "../provider.ts";
import { failureOfAnswer, failureOfExchange, isDepositUnknown } from "./failures.ts";
import { DepositStatus, SuggestedFees } from "./schema.ts";

/** A price takes at most this long in all, retry included; a status less, for there the chains answer too. */
const QUOTE_BUDGET_MS = 5_000;
const STATUS_BUDGET_MS = 4_000;
const RETRY_DELAY_MS = 250;
/** A real answer has some two kilobytes. */
const MAX_BYTES = 256 * 1024;

/** Where the API is; the key is sent as a bearer token and nowhere else. */
export interface ApiSettings {
  /** Without a trailing slash. */
  apiUrl: string;
  apiKey?: string;
}

interface Exchange {
  url: string;
  init: RequestInit;
  budgetMs: number;
}

/**
 * Asks for a price: a GET, or with a `message` a POST, which reads all the same. Throws `no_route`,
 * `rate_limited`, `upstream_timeout`, `upstream_unavailable`. Source: Across API `suggested-fees`.
 */
export async function askSuggestedFees(
  scope: ProviderScope,
  ask: { settings: ApiSettings; query: Record<string, string>; message: Hex },
): Promise<SuggestedFees> {
  const { settings, query, message } = ask;
  const url = `${settings.apiUrl}/suggested-fees?${new URLSearchParams(query)}`;
  const init = message === "0x" ? get(settings) : post(settings, { message });
  const response = await exchange(scope, { url, init, budgetMs: QUOTE_BUDGET_MS });
  if (response.status !== 200) throw failureOfAnswer(response, scope.now());
  return parseBody(response.text, SuggestedFees);
}

/**
 * Asks for a transfer by its source transaction; null when the API does not know it (yet). Throws
 * `rate_limited`, `upstream_timeout`, `upstream_unavailable`. Source: Across API `deposit/status`.
 */
export async function askDepositStatus(
  scope: ProviderScope,
  ask: { settings: ApiSettings; txHash: Hex },
): Promise<DepositStatus | null> {
  const query = new URLSearchParams({ depositTxnRef: ask.txHash });
  const url = `${ask.settings.apiUrl}/deposit/status?${query}`;
  const response = await exchange(scope, { url, init: get(ask.settings), budgetMs: STATUS_BUDGET_MS });
  if (isDepositUnknown(response)) return null;
  if (response.status !== 200) throw failureOfAnswer(response, scope.now());
  return parseBody(response.text, DepositStatus);
}

const authorization = ({ apiKey }: ApiSettings): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

function get(settings: ApiSettings): RequestInit {
  return { headers: { accept: "application/json", ...authorization(settings) } };
}

function post(settings: ApiSettings, body: unknown): RequestInit {
  const headers = { ...authorization(settings), "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/**
 * One request, and one more after 250 ms when the first met a broken connection or a 5xx and the budget
 * has room. Never again after 4xx, a timeout or an oversized answer. Only for requests that change nothing.
 */
async function exchange(scope: ProviderScope, request: Exchange): Promise<BoundedResponse> {
  const { url, init } = request;
  const startedAt = scope.now();
  const budgetMs = Math.min(request.budgetMs, (scope.deadline ?? Number.POSITIVE_INFINITY) - startedAt);
  const attempt = (): Promise<BoundedResponse> => {
    const timeoutMs = Math.max(1, Math.floor(budgetMs - (scope.now() - startedAt)));
    const bounds = { timeoutMs, maxBytes: MAX_BYTES };
    return scope.timing.track("provider", () => boundedFetch(scope.fetch, { url, init, bounds }));
  };
  const hasRoom = (): boolean => budgetMs - (scope.now() - startedAt) > 2 * RETRY_DELAY_MS;
  try {
    const first = await attempt().catch((error: unknown) => {
      if (error instanceof OutsideError && error.kind === "network" && hasRoom()) return null;
      throw error;
    });
    if (first !== null && (first.status < 500 || !hasRoom())) return first;
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    return await attempt();
  } catch (error) {
    throw failureOfExchange(error);
  }
}

/** Throws `upstream_unavailable` on anything but JSON of the expected shape. */
function parseBody<T extends z.ZodType>(text: string, schema: T): z.output<T> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw failureFrom("upstream_unavailable", "the bridge gave an unusable answer", error);
  }
}
