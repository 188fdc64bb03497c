/** The type of the platform's `fetch`, which is passed as an argument. */
export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** Time and size limits of one HTTP request to an outside system. */
export interface FetchBounds {
  /** Timeout for the connection, the headers and the whole body, in milliseconds. */
  timeoutMs: number;
  /** Maximum size of the response body, in bytes. */
  maxBytes: number;
}

/** An HTTP response of any status, with a body that was read within the limits and decoded as UTF-8. */
export interface BoundedResponse {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Why a request to an outside system has no usable response. `timeout` and `network` also stand for a request that was
 * not sent, because earlier ones hung or failed; `status` stands for an unexpected HTTP status, `malformed` also for a
 * response that contradicts what is known.
 */
export type OutsideFailure = "timeout" | "network" | "too_large" | "status" | "malformed";

/**
 * The failure of a request to an outside system. `status` is the HTTP status, or null if none is given. The message is
 * for logs.
 */
export class OutsideError extends Error {
  readonly kind: OutsideFailure;
  readonly status: number | null;

  constructor(kind: OutsideFailure, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "OutsideError";
    this.kind = kind;
    this.status = options.status ?? null;
  }
}

/**
 * Sends an HTTP request once and reads the response as text within the limits, whatever its status. Redirects are not
 * followed unless `init` says so. Throws OutsideError `timeout`, `network` or `too_large`.
 */
export async function boundedFetch(
  fetch: Fetch,
  request: { url: string; init?: RequestInit; bounds: FetchBounds },
): Promise<BoundedResponse> {
  const signal = AbortSignal.timeout(request.bounds.timeoutMs);
  try {
    const response = await fetch(request.url, { redirect: "manual", ...request.init, signal });
    const text = await readCapped(response, request.bounds.maxBytes);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    if (error instanceof OutsideError) throw error;
    if (signal.aborted) {
      throw new OutsideError("timeout", `no answer within ${request.bounds.timeoutMs} ms`, { cause: error });
    }
    throw new OutsideError("network", "the connection failed", { cause: error });
  }
}

async function readCapped(response: Response, maxBytes: number): Promise<string> {
  const declared = Number(response.headers.get("content-length") ?? "0");
  if (declared > maxBytes) {
    await response.body?.cancel();
    throw new OutsideError("too_large", `the answer declares ${declared} bytes, ${maxBytes} are read`);
  }
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new OutsideError("too_large", `the answer exceeds ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
