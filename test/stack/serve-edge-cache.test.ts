import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { edgeCachePath, serveEdgeCache } from "../../scripts/stack/edge-cache/serve-edge-cache.ts";
import { serve } from "../support/local-server.ts";

/** Starts the model in front of a Worker that answers everything, and returns how to send a request by its target. */
async function servedCache() {
  const worker = await serve((_request, response) => response.end("from the Worker"));
  const cache = await serveEdgeCache({ worker: worker.url, port: 0 });
  onTestFinished(() => cache.close());
  const { hostname, port } = new URL(cache.url);
  /** Sends a target as it stands, which `fetch` would rewrite, and returns the whole answer. */
  const send = (target: string, method = "GET") =>
    new Promise<string>((resolve, reject) => {
      let answer = "";
      const socket = connect(Number(port), hostname);
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("end", () => resolve(answer));
      socket.on("error", reject);
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n`);
    });
  return { send, asked: () => worker.requests.map(({ path }) => path) };
}

test.each([
  ["/v1/chains?source=true", "/v1/chains?source=true"],
  ["http://api.example/v1/chains?source=true", "/v1/chains?source=true"],
  ["HTTPS://api.example:8443/v1/chains", "/v1/chains"],
  ["http://api.example", "/"],
  ["//v1/chains", "//v1/chains"],
])("%s asks the Worker for %s", async (target, path) => {
  const { send, asked } = await servedCache();
  expect(await send(target)).toMatch(/^HTTP\/1\.1 200 [\s\S]*from the Worker$/);
  expect(asked()).toEqual([path]);
});

test.each(["*", "ftp://api.example/v1/chains", "http://[/v1/chains"])(
  "%s is a bad request",
  async (target) => {
    const { send, asked } = await servedCache();
    expect(await send(target, "OPTIONS")).toMatch(/^HTTP\/1\.1 400 /);
    expect(asked()).toEqual([]);
  },
);

test("the model's own path is also recognised as a URL", async () => {
  const { send, asked } = await servedCache();
  expect(await send(`http://api.example${edgeCachePath}`)).toContain('"stored":[]');
  expect(asked()).toEqual([]);
});
