import { type CausewayClient, createCausewayClient } from "../../../src/client/causeway-client.ts";

/** A request that the fake API received. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Headers;
  body: unknown;
}

/** A response of the fake API, or an error instead of one. */
export type FakeReply = { status?: number; body: unknown; headers?: Record<string, string> } | Error;

/** Creates a client of a fake API, and the list of requests that the API received. */
export function fakeApi(answer: (request: ReceivedRequest) => FakeReply): {
  client: CausewayClient;
  requests: ReceivedRequest[];
} {
  const requests: ReceivedRequest[] = [];
  const client = createCausewayClient({
    url: "https://api.example/",
    apiKey: "cw_live_key",
    fetch: async (url, init) => {
      const { pathname, search } = new URL(url);
      const request = {
        method: init.method ?? "GET",
        path: `${pathname}${search}`,
        headers: new Headers(init.headers),
        body: init.body === undefined ? null : (JSON.parse(String(init.body)) as unknown),
      };
      requests.push(request);
      const reply = answer(request);
      if (reply instanceof Error) throw reply;
      const { status = 200, body, headers = {} } = reply;
      return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
    },
  });
  return { client, requests };
}
