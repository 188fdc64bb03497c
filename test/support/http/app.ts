import type { Config } from "../../../src/config.ts";
import type { Context } from "../../../src/context.ts";
import { createApp } from "../../../src/http/create-app.ts";
import type { AnyRoute } from "../../../src/http/define-route.ts";
import { type TestContext, testContext } from "../context.ts";

export interface AppUnderTest {
  send(path: string, init?: RequestInit): Promise<Response>;
  /** The contexts that requests were given, in their order. */
  contexts: TestContext[];
}

/** An app of these routes, each request with a context of its own, or the one that `make` gives. */
export function appOf(
  routes: readonly AnyRoute[],
  config: Partial<Config> = {},
  make?: (requestId: string) => Context,
): AppUnderTest {
  const contexts: TestContext[] = [];
  const app = createApp(routes, (_bindings, { requestId }) => {
    if (make !== undefined) return make(requestId);
    const context = testContext({ requestId, config });
    contexts.push(context);
    return context;
  });
  return { contexts, send: async (path, init) => app.request(path, init) };
}

/** A request with a JSON body. */
export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Status and body of an answer. */
export async function read(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() };
}

/** The headers of an answer that begin so, by name. */
export function headersOf(response: Response, prefix: string): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => name.startsWith(prefix)));
}
