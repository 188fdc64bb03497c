import type { Config } from "../../../src/config/config.ts";
import type { Context } from "../../../src/context.ts";
import { createApp } from "../../../src/http/create-app.ts";
import type { AnyRoute } from "../../../src/http/define-route.ts";
import { type TestContext, testContext } from "../context.ts";

export interface AppUnderTest {
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Contexts that were created for the requests, in order. */
  contexts: TestContext[];
}

/** Creates an app with some routes. Each request gets a new test context, or the one that `make` returns. */
export function appOf(
  routes: readonly AnyRoute[],
  config: Partial<Config> = {},
  make?: (requestId: string) => Context,
): AppUnderTest {
  const contexts: TestContext[] = [];
  const app = createApp(routes, (_bindings, { requestId }) => {
    if (make !== undefined) return make(requestId());
    const context = testContext({ requestId: requestId(), config });
    contexts.push(context);
    return context;
  });
  return { contexts, send: async (path, init) => app.request(path, init) };
}

/** Creates the options of a POST request with a JSON body. */
export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Returns the status and the parsed JSON body of a response. */
export async function read(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() };
}

/** Returns the headers of a response whose names have a prefix. */
export function headersOf(response: Response, prefix: string): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => name.startsWith(prefix)));
}
