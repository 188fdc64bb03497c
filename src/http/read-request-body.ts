import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { failure } from "../errors.ts";
import { withDeadline } from "../lib/timers.ts";
import type { AppEnv } from "./hono-env.ts";
import { ValidationFailure } from "./validate-request.ts";

/** Maximum size of a request body, in bytes. */
const MAX_BODY_BYTES = 64 * 1024;
/** Time within which a client must send its body, in milliseconds. The route's deadline begins afterwards. */
const BODY_TIMEOUT_MS = 10_000;

const refuse = (type: string, msg: string) => new ValidationFailure([{ loc: ["body"], msg, type }]);
const tooLarge = (most: number) => failure("body_too_large", `the body must not exceed ${most} bytes`);

/**
 * Returns a middleware that reads the request body. Throws `body_too_large` above `most` bytes (default: 64 KiB), and a
 * ValidationFailure if it is compressed, not UTF-8 or does not arrive completely within ten seconds.
 */
export function readRequestBody(most = MAX_BODY_BYTES): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (Number(c.req.header("content-length") ?? "0") > most) throw tooLarge(most);
    const { body } = c.req.raw;
    const encoding = c.req.header("content-encoding") ?? "identity";
    if (body !== null && encoding.toLowerCase() !== "identity")
      throw refuse("content_encoding", "the body must not be compressed: send it without Content-Encoding");
    // Mounted once for each method of a path, and run for all of them.
    if (body !== null && c.get("bodyText") === undefined)
      c.set("bodyText", await readInTime(c, { body, most }));
    return next();
  };
}

async function readInTime(
  c: HonoContext<AppEnv>,
  { body, most }: { body: ReadableStream<Uint8Array>; most: number },
): Promise<string> {
  const reader = body.getReader();
  const incomplete = (why: string): ValidationFailure =>
    refuse("body_incomplete", `the body did not arrive completely${why}`);
  const late = (): ValidationFailure => incomplete(" within ten seconds");
  try {
    return await withDeadline(readCapped(reader, most), { ms: BODY_TIMEOUT_MS, late });
  } catch (error) {
    c.get("ctx").waitUntil(reader.cancel().catch(() => undefined));
    if (error instanceof ValidationFailure) throw error;
    throw error instanceof TooLarge
      ? tooLarge(most)
      : incomplete(": the connection broke, or its chunks are malformed");
  }
}

class TooLarge extends Error {}

async function readCapped(reader: ReadableStreamDefaultReader<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw refuse("json_invalid", "the body must be JSON in UTF-8");
    }
  };
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decode();
    bytes += value.byteLength;
    if (bytes > most) throw new TooLarge("too large");
    text += decode(value);
  }
}
