import { UsageError } from "../../command.ts";
import type { StackManifest } from "../manifest.ts";

/** A number above every limit of the local stack. */
const MORE = "1000000000";
/** Requests that open a window of each limit; their bodies are rejected and change nothing. */
const openers: Readonly<Record<string, string>> = {
  quote: "/v1/quote",
  build: "/v1/quote/build",
  nonce: "/v1/partners/nonce",
};

/**
 * Uses up the rest of the current minute of a rate limit, by raising the counters in Redis, and returns the lines to
 * print. Limits that the platform counts have no counter there. Throws `UsageError` for an unknown limit.
 */
export async function useUpLimit(stack: StackManifest, [name = ""]: readonly string[]): Promise<string[]> {
  const path = Object.hasOwn(openers, name) ? openers[name] : undefined;
  if (path === undefined) throw new UsageError(`no limit '${name}': ${Object.keys(openers).join(", ")}`);
  const opened = await fetch(`${stack.api}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  await opened.arrayBuffer();
  const keys = await redis<string[]>(stack, ["KEYS", `*:limit:${name}:*`]);
  let seconds = 0;
  for (const key of keys) {
    await redis(stack, ["INCRBY", key, MORE]);
    seconds = Math.max(seconds, await redis<number>(stack, ["TTL", key]));
  }
  if (keys.length === 0) throw new Error(`no window of the limit ${name} is open`);
  return [`${name}: used up for the next ${seconds} seconds; POST ${path} answers 429`];
}

async function redis<T>({ emulators, redis_token }: StackManifest, command: readonly string[]): Promise<T> {
  const response = await fetch(emulators.upstash, {
    method: "POST",
    headers: { authorization: `Bearer ${redis_token}` },
    body: JSON.stringify(command),
  });
  const answer = (await response.json()) as { result?: T; error?: string };
  if (answer.error !== undefined) throw new Error(`Redis: ${answer.error}`);
  return answer.result as T;
}
