/** An HTTP answer; `json` is undefined when the body is not JSON. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/** A request to send. The method is by default POST with a body and GET without. */
export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  /** Body to send as JSON. */
  body?: unknown;
  /** Body to send unchanged, without a content type. */
  raw?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

/** Sends one request without following redirects. Any status is a response; errors of `fetch` propagate. */
export async function sendRequest(
  url: string,
  { method, headers = {}, body, raw, signal }: HttpRequest = {},
): Promise<HttpAnswer> {
  const json = body === undefined ? null : JSON.stringify(body);
  const payload = json ?? raw ?? null;
  const response = await fetch(url, {
    method: method ?? (payload === null ? "GET" : "POST"),
    headers: json === null ? headers : { "content-type": "application/json", ...headers },
    body: payload,
    redirect: "manual",
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the number of requests to an outside system that `Server-Timing` reports; 0 if it reports none. */
export function requestsTo(answer: HttpAnswer, system: "rpc" | "provider" | "db" | "redis"): number {
  const header = answer.headers.get("server-timing") ?? "";
  const [, count] = new RegExp(`(?:^|, )${system};dur=\\d+;desc="(\\d+)"`).exec(header) ?? [];
  return Number(count ?? "0");
}
