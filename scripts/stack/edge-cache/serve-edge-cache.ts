import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { EdgeCache } from "./edge-cache.ts";

/** Path of the cache's own requests, under the prefix that the platform reserves. */
export const edgeCachePath = "/cdn-cgi/edge-cache";

/** A served model of the platform's cache. */
export interface ServedEdgeCache {
  url: string;
  close(): Promise<void>;
}

const Purge = z.object({
  purge: z.object({
    tags: z.array(z.string()).default([]),
    pathPrefixes: z.array(z.string()).default([]),
    purgeEverything: z.boolean().default(false),
  }),
});
/** Headers between two hops, and those that describe the encoding of a body that `fetch` has decoded. */
const OWN_HEADERS = ["connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"];

/**
 * Serves the model of the platform's cache in front of a Worker. At `/cdn-cgi/edge-cache`, GET shows what is stored and
 * how many requests were answered with and without the Worker, POST `{"purge":{"tags":[…]}}` purges as `ctx.cache`
 * does, and DELETE removes everything. `port` 0 is any free port; throws if the port is taken.
 */
export async function serveEdgeCache(of: { worker: string; port: number }): Promise<ServedEdgeCache> {
  const cache = new EdgeCache((request) => ask(of.worker, request));
  let requests = 0;
  const control = async (request: IncomingMessage): Promise<object> => {
    if (request.method === "POST")
      cache.purge(Purge.parse(JSON.parse((await bodyOf(request)).toString())).purge);
    if (request.method === "DELETE") cache.purge({ purgeEverything: true });
    return { stored: cache.keys, requests, worker_requests: cache.misses };
  };
  const server = createServer((request, response) => {
    const reply = async () => {
      const target = targetOf(request);
      if (target === null) return new Response("the target is neither a path nor a URL\n", { status: 400 });
      if (target === edgeCachePath) return Response.json(await control(request));
      requests += 1;
      cache.now = Date.now();
      return cache.fetch(await toRequest(of.worker, { request, target }));
    };
    reply()
      .catch((error: unknown) => Response.json({ error: String(error) }, { status: 502 }))
      .then((answer) => send(response, answer))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(of.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends a request to the Worker. The answer is not encoded, because the stored copy serves every client. */
async function ask(worker: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set("accept-encoding", "identity");
  const { method } = request;
  const body = ["GET", "HEAD"].includes(method) ? null : await request.arrayBuffer();
  return fetch(`${worker}${pathname}${search}`, { method, headers, body, redirect: "manual" });
}

/**
 * Returns path and query of a request's target, which is a path or, as proxies send it, an absolute URL (RFC 9112,
 * section 3.2). Returns null for any other target.
 */
function targetOf({ url = "/" }: IncomingMessage): string | null {
  if (url.startsWith("/")) return url;
  const absolute = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : null;
  return absolute === null ? null : `${absolute.pathname}${absolute.search}`;
}

async function toRequest(
  worker: string,
  { request, target }: { request: IncomingMessage; target: string },
): Promise<Request> {
  const { method = "GET" } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== "host" && name !== "expect" && !OWN_HEADERS.includes(name))
      headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const body = ["GET", "HEAD"].includes(method) ? null : await bodyOf(request);
  return new Request(`${worker}${target}`, { method, headers, body });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  const headers = [...answer.headers].filter(([name]) => !OWN_HEADERS.includes(name));
  const body = Buffer.from(await answer.arrayBuffer());
  const length = body.length === 0 ? [] : [["content-length", String(body.length)]];
  response.writeHead(answer.status, Object.fromEntries([...headers, ...length]));
  response.end(body);
}
