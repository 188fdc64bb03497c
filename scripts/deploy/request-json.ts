const TIMEOUT_MS = 30_000;

/** An HTTP API with a bearer token. The URL has no trailing slash. */
export interface BearerApi {
  url: string;
  token: string;
}

/**
 * Sends and receives JSON; null for an empty response. Throws for an error status with the status only, because the
 * token and the body stay secret; errors of `fetch` propagate, such as a timeout after 30 seconds.
 */
export async function requestJson(
  api: BearerApi,
  { method = "GET", path, body }: { method?: string; path: string; body?: unknown },
): Promise<unknown> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${api.token}`,
      accept: "application/json",
      "content-type": "application/json",
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path.split("?")[0]}: ${response.status}`);
  return text === "" ? null : JSON.parse(text);
}
