/** An HTTP answer as it came; `json` is undefined when the body is none. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

export interface Send {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, without a content type of its own. */
  raw?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

/** Sends one request; follows no redirect. */
export async function send(
  url: string,
  { method, headers = {}, body, raw, signal }: Send = {},
): Promise<Answer> {
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

/** How many requests a call made to an outside system, by its `Server-Timing`. */
export function requestsTo(answer: Answer, system: "rpc" | "provider" | "db" | "redis"): number {
  const header = answer.headers.get("server-timing") ?? "";
  const [, count] = new RegExp(`(?:^|, )${system};dur=\\d+;desc="(\\d+)"`).exec(header) ?? [];
  return Number(count ?? "0");
}
