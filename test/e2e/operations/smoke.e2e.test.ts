import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { smoke } from "../../../scripts/smoke/run-smoke.ts";
import { sleep } from "../../../src/lib/timers.ts";
import { emulators, rpcEmulator, withFaults } from "../../support/e2e/faults.ts";

const stack = inject("stack");

interface Passed {
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Stands before the stack and lets every answer through, but for what the test makes of it. */
let spoil: (answer: Passed) => void = () => undefined;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = "GET" } = request;
    const sent = (name: string): string => String(request.headers[name] ?? "");
    const headers = { "content-type": sent("content-type"), "x-request-id": sent("x-request-id") };
    const answer = await fetch(`${stack.api}${request.url}`, {
      method,
      headers,
      ...(body.length === 0 ? {} : { body }),
    });
    const passed: Passed = {
      path: request.url ?? "/",
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    };
    for (const name of ["content-length", "content-encoding", "transfer-encoding", "connection"])
      delete passed.headers[name];
    spoil(passed);
    response.writeHead(passed.status, passed.headers).end(passed.body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

const limits = { maxMs: 15_000, maxLag: 20_000 };

/** What the smoke test finds wrong, a line for each. */
async function faults(): Promise<string[]> {
  try {
    const findings = await smoke({ url, ...limits });
    return findings.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

test("smoke check of a healthy deployment finds no problem", async () => {
  spoil = () => undefined;
  expect(await faults()).toEqual([]);
  expect((await smoke({ url: stack.api, ...limits })).length).toBeGreaterThan(35);
});

const at = (path: string, change: (answer: Passed) => void) => (answer: Passed) => {
  if (answer.path.split("?")[0] === path) change(answer);
};
const json = (change: (body: Record<string, unknown>) => void) => (answer: Passed) => {
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  change(body);
  answer.body = JSON.stringify(body);
};

describe("smoke check reports", () => {
  test.each<[string, (answer: Passed) => void, RegExp]>([
    [
      "a route that fails",
      at("/v1/bridges", (answer) => Object.assign(answer, { status: 503 })),
      /^bridges\.list: status 503 instead of 200$/,
    ],
    [
      "a field that went missing",
      at("/v1/chains", (answer) => {
        answer.body = answer.body.replaceAll('"explorer"', '"explorer_v2"');
      }),
      /^chains\.list: 200\/0: must have required property 'explorer'/,
    ],
    [
      "an amount that became a number",
      (answer) => {
        if (/^\/v1\/vaults\/[^/]+$/.test(answer.path))
          json((body) => Object.assign(body, { total_supply: 5 }))(answer);
      },
      /^vaults\.get: 200\/total_supply/,
    ],
    [
      "a page in place of the API",
      at("/health", (answer) => {
        answer.headers["content-type"] = "text/html";
        answer.body = "<!doctype html>";
      }),
      /^health\.live: 200 as text\/html is not declared$/,
    ],
    [
      "a header that is gone",
      at("/v1/deposits", (answer) => {
        delete answer.headers["x-content-type-options"];
      }),
      /^deposits\.list: the header x-content-type-options is missing$/,
    ],
    [
      "an answer to somebody else",
      at("/v1/status", (answer) => Object.assign(answer.headers, { "x-request-id": "another" })),
      /^status\.get: its request id is another request's$/,
    ],
    [
      "a problem of somebody else",
      at(
        "/v1/no-such-route",
        json((body) => Object.assign(body, { request_id: "another" })),
      ),
      /^GET \/v1\/no-such-route: its body has another request's id$/,
    ],
    [
      "positions that caches may keep",
      (answer) => {
        if (answer.path.startsWith("/v1/positions/")) answer.headers["cache-control"] = "public, s-maxage=60";
      },
      /^positions\.get: the answer may be cached$/,
    ],
    [
      "a portal that tells its time",
      at("/v1/partners/me", (answer) => Object.assign(answer.headers, { "server-timing": "total;dur=1" })),
      /^partners\.me: it reveals timings$/,
    ],
    [
      "credentials of other origins",
      at("/v1/chains", (answer) =>
        Object.assign(answer.headers, { "access-control-allow-credentials": "true" }),
      ),
      /^chains\.list: CORS allows credentials$/,
    ],
    [
      "a page that may run anything",
      at("/docs", (answer) => {
        delete answer.headers["content-security-policy"];
      }),
      /^GET \/docs: the header content-security-policy is missing$/,
    ],
    [
      "rules that are gone",
      at("/v1/intel/rules", (answer) => Object.assign(answer, { body: "[]" })),
      /^intel\.rules: the list is empty$/,
    ],
    [
      "a deployment that calls itself degraded",
      at(
        "/health/ready",
        json((body) => Object.assign(body, { status: "degraded" })),
      ),
      /^health\.ready: the status is degraded$/,
    ],
    [
      "a promised header that is gone",
      at("/v1/chains", (answer) => {
        delete answer.headers["etag"];
      }),
      /^chains\.list: 200 lacks the header ETag$/,
    ],
    [
      "an open door",
      at("/v1/partners/me", (answer) => Object.assign(answer, { status: 200 })),
      /^partners\.me: status 200 instead of 401$/,
    ],
    [
      "an administration that any page may read",
      at("/v1/admin/audit", (answer) => {
        answer.headers["access-control-allow-origin"] = "*";
      }),
      /^admin\.audit: CORS allows other origins$/,
    ],
    [
      "validation that is off",
      at("/v1/quote/build", (answer) => Object.assign(answer, { status: 500 })),
      /^quotes\.build: status 500 instead of 422$/,
    ],
    [
      "an error that tells where it was thrown",
      at(
        "/v1/no-such-route",
        json((body) => Object.assign(body, { detail: "x at async Object.run (worker.mjs:5:9)" })),
      ),
      /^GET \/v1\/no-such-route: the answer reveals internals$/,
    ],
    [
      "an error that tells too much",
      at(
        "/v1/no-such-route",
        json((body) => Object.assign(body, { detail: "at run (/src/worker.ts:5:9)" })),
      ),
      /^GET \/v1\/no-such-route: the answer reveals internals$/,
    ],
    [
      "an older version",
      at(
        "/openapi.json",
        json((body) => {
          delete (body["paths"] as Record<string, unknown>)["/v1/tokens"];
        }),
      ),
      /^the document: the document lacks the operation tokens\.list$/,
    ],
    [
      "an address without its checksum",
      (answer) => {
        if (/^\/v1\/vaults\/[^/]+$/.test(answer.path))
          json((body) => Object.assign(body, { address: String(body["address"]).toLowerCase() }))(answer);
      },
      /^vaults\.get: the checksum of 0x[0-9a-f]{40} is invalid$/,
    ],
    [
      "a public route that no page may read",
      at("/v1/bridges", (answer) => {
        delete answer.headers["access-control-allow-origin"];
      }),
      /^bridges\.list: CORS does not allow other origins$/,
    ],
    [
      "a refusal of another kind",
      at(
        "/v1/no-such-route",
        json((body) => Object.assign(body, { code: "vault_not_found" })),
      ),
      /^GET \/v1\/no-such-route: the code is vault_not_found instead of route_not_found$/,
    ],
    [
      "an empty registry",
      at("/v1/vaults", (answer) => {
        answer.body = "[]";
      }),
      /^\/v1\/vaults\?limit=1 lists nothing: 200/,
    ],
    [
      "a reference that is empty",
      at("/docs", (answer) => {
        answer.body = "<!doctype html><title>Causeway API reference</title>";
      }),
      /^GET \/docs: the page lacks <script src=/,
    ],
    [
      "a reference whose viewer is not there",
      at("/docs-assets/scalar.js", (answer) => Object.assign(answer, { status: 404, body: "" })),
      /^GET \/docs-assets\/scalar\.js: status 404 instead of 200$/,
    ],
    [
      "an answer about another vault",
      (answer) => {
        if (/^\/v1\/vaults\/[^/]+$/.test(answer.path))
          json((body) => Object.assign(body, { vault_id: `1:0x${"ab".repeat(20)}` }))(answer);
      },
      /^vaults\.get: vault_id is 1:0x(?:ab){20} instead of the requested \d+:0x[0-9a-f]{40}$/,
    ],
    [
      "the positions of another user",
      at(`/v1/positions/0x${"12".repeat(20)}`, (answer) => {
        answer.body = answer.body.replaceAll("12".repeat(20), "34".repeat(20));
      }),
      /^positions\.get: user_address is 0x(?:34){20} instead of the requested 0x(?:12){20}$/,
    ],
    [
      "an index that fell behind",
      at(
        "/health/ready",
        json((body) => {
          const indexes = body["indexes"] as Record<string, unknown>[];
          for (const [place, index] of indexes.entries()) Object.assign(index, { lag: 20_000 + place });
        }),
      ),
      /^health\.ready: the index of chain \d+ is 20001 blocks behind, of 20000 allowed$/,
    ],
    [
      "a page in place of the document",
      at("/openapi.json", (answer) => {
        answer.body = "<!doctype html>";
      }),
      /^\/openapi\.json is not a valid document: 200, <!doctype html>$/,
    ],
    [
      "a document of something else",
      at("/openapi.json", (answer) => {
        answer.body = '{"swagger":"2.0"}';
      }),
      /^\/openapi\.json is not a valid document: 200, .*→ at openapi/s,
    ],
  ])("%s", async (_what, change, line) => {
    spoil = change;
    const found = await faults();
    expect(found).toContainEqual(expect.stringMatching(line));
    expect(found.length).toBeLessThan(8);
  });

  test("a failing dependency", async () => {
    spoil = () => undefined;
    const down = [{ kind: "status", status: 503 } as const];
    const lines = await withFaults(
      { emulators: [emulators().upstash, rpcEmulator(31338)], faults: down },
      async () => {
        // Each isolate answers with its last report for five seconds.
        await sleep(5_000);
        return faults();
      },
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^health\.ready: redis does not respond/),
        expect.stringMatching(/^health\.ready: chain:31338 does not respond/),
      ]),
    );
  });

  test("an unreachable deployment", async () => {
    await expect(smoke({ url: "http://127.0.0.1:9", ...limits })).rejects.toThrow();
  });
});
