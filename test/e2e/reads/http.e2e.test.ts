import { describe, expect, test } from "vitest";
import { ApiContract } from "../../../scripts/smoke/api-contract.ts";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";
import { Api } from "../../support/e2e/api.ts";
import { vaultNamed } from "../../support/e2e/chain.ts";
import { findingsOf, problemOf } from "../../support/e2e/http.ts";

const api = new Api();
const id = vaultNamed("Plain USDC").vault_id;
const NOBODY = `0x${"12".repeat(20)}`;
/** A path of every operation there is for reading without credentials. */
const reads = [
  "/v1/vaults",
  `/v1/vaults/${id}`,
  "/v1/chains",
  `/v1/positions/${NOBODY}`,
  `/v1/deposits?user_address=${NOBODY}`,
  `/v1/status?tx_hash=0x${"1".repeat(64)}&from_chain_id=31337`,
  "/health",
  "/health/ready",
];

describe("paths and methods", () => {
  test.each([
    "/nope",
    "/v1",
    "/v1/",
    "/v2/vaults",
    "/v1/vault",
    "/V1/vaults",
    "/v1/vaults/1/2",
    "//v1/vaults",
    "/.env",
    "/v1/quote/build/x",
  ])("answers 404 for %s", async (path) => {
    expect(problemOf(await api.send(path))).toMatchObject({ status: 404, code: "route_not_found" });
  });

  test.each([
    ["DELETE", "/v1/vaults", "GET, HEAD, OPTIONS"],
    ["POST", `/v1/vaults/${id}`, "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/quote/build", "POST, OPTIONS"],
    ["GET", "/v1/quote", "POST, OPTIONS"],
    ["GET", `/v1/deposits/trk_${"0".repeat(32)}/tx`, "PATCH, OPTIONS"],
    ["POST", `/v1/deposits/trk_${"0".repeat(32)}/abandon`, "PATCH, OPTIONS"],
    ["PATCH", "/health", "GET, HEAD, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
    ["POST", "/docs", "GET, HEAD, OPTIONS"],
  ])("answers 405 for %s %s", async (method, path, allow) => {
    const answer = await api.send(path, { method });
    expect(problemOf(answer)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(answer.headers.get("allow")).toBe(allow);
  });

  test.each(reads)("answers HEAD %s like GET, without a body", async (path) => {
    const answer = await api.send(path, { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("");
  });
});

describe("request bodies", () => {
  const path = "/v1/quote/build";
  const json = { "content-type": "application/json" };

  test.each([
    ["nothing", { method: "POST" }],
    ["nothing but a type", { method: "POST", headers: json }],
    ["blanks", { raw: "  \n ", headers: json }],
    ["half a document", { raw: '{"from_chain_id":', headers: json }],
    ["another type", { raw: "{}", headers: { "content-type": "text/plain" } }],
    ["a form", { raw: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }],
    ["bytes that are no UTF-8", { raw: new Uint8Array([0x22, 0xff, 0xfe]), headers: json }],
    ["a list", { body: [] }],
    ["null", { body: null }],
    ["a text", { body: "x" }],
    ["a number", { body: 1 }],
    ["true", { body: true }],
  ])("(%s) are answered with 422", async (_name, request) => {
    expect(findingsOf(await api.send(path, request))).toEqual(["body"]);
  });

  test.each([
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "APPLICATION/JSON",
    "application/vnd.api+json",
  ])("are accepted as %s", async (type) => {
    expect(findingsOf(await api.send(path, { raw: "{}", headers: { "content-type": type } }))).toHaveLength(
      5,
    );
  });

  test("are accepted up to 64 KiB and refused above, with or without Content-Length", async () => {
    const padded = (bytes: number) => `{}${" ".repeat(bytes - 2)}`;
    expect(findingsOf(await api.send(path, { raw: padded(65_536), headers: json }))).toHaveLength(5);
    const refused = { status: 413, code: "body_too_large" };
    expect(problemOf(await api.send(path, { raw: padded(65_537), headers: json }))).toMatchObject(refused);
    expect(problemOf(await api.send("/v1/quote", { raw: padded(150_000), headers: json }))).toMatchObject(
      refused,
    );
    const stream = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 5; part += 1)
          controller.enqueue(new TextEncoder().encode(" ".repeat(16_384)));
        controller.close();
      },
    });
    const init = { method: "POST", headers: json, body: stream, duplex: "half" } as RequestInit;
    expect((await fetch(`${api.origin}${path}`, init)).status).toBe(413);
  });

  test("with deep nesting or many fields are answered with 422", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    expect(findingsOf(await api.send(path, { raw: deep, headers: json }))).toEqual(["body"]);
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`k${index}`, index]));
    expect(findingsOf(await api.send(path, { body: many }))).toHaveLength(5 + 21);
  });
});

describe("invalid path and query parameters", () => {
  test.each([
    ["/v1/vaults/xyz", ["path.vault_id"]],
    [`/v1/vaults/31337:${NOBODY}0`, ["path.vault_id"]],
    ["/v1/vaults/%00", ["path.vault_id"]],
    ["/v1/vaults/%E0%A4%A", ["path.vault_id"]],
    ["/v1/vaults?limit=0", ["query.limit"]],
    ["/v1/vaults?limit=501", ["query.limit"]],
    ["/v1/vaults?limit=1.5", ["query.limit"]],
    ["/v1/vaults?limit=", ["query.limit"]],
    ["/v1/vaults?limit=1&limit=2", ["query.limit"]],
    [
      "/v1/vaults?chain_id=x&type=y&paused=z&cursor=!",
      ["query.chain_id", "query.cursor", "query.paused", "query.type"],
    ],
    ["/v1/vaults?paused=1", ["query.paused"]],
    ["/v1/chains?source=yes", ["query.source"]],
    ["/v1/positions/0x12", ["path.user_address"]],
    [`/v1/positions/${NOBODY}?chain_id=0`, ["query.chain_id"]],
    ["/v1/positions/me?chain_id=-1", ["path.user_address", "query.chain_id"]],
    ["/v1/status", ["query.from_chain_id", "query.tx_hash"]],
    [
      `/v1/status?tx_hash=0x${"g".repeat(64)}&from_chain_id=31337&to_chain_id=a`,
      ["query.to_chain_id", "query.tx_hash"],
    ],
    ["/v1/deposits", ["query.user_address"]],
    [`/v1/deposits?user_address=${NOBODY}&limit=101`, ["query.limit"]],
    [`/v1/deposits?user_address=${NOBODY}&cursor=${"a".repeat(401)}`, ["query.cursor"]],
  ])("%s", async (path, findings) => {
    expect(findingsOf(await api.send(path)).sort()).toEqual(findings);
  });

  test.each(["W10", "bm90IGpzb24", "WyJ4Il0", "e30", "AAAA"])(
    "answers 422 for the invalid cursor %s",
    async (cursor) => {
      expect(findingsOf(await api.send(`/v1/vaults?cursor=${cursor}`))).toEqual(["query.cursor"]);
      expect(findingsOf(await api.send(`/v1/deposits?user_address=${NOBODY}&cursor=${cursor}`))).toEqual([
        "query.cursor",
      ]);
    },
  );

  test("answers 400 for an unknown chain and 422 for an invalid one", async () => {
    const answer = await api.send(`/v1/positions/${NOBODY}?chain_id=1`);
    expect(problemOf(answer)).toMatchObject({ status: 400, code: "chain_unsupported" });
  });
});

describe("the request id", () => {
  test.each(["abc", "a-b_C-9", "x".repeat(64)])("echoes %s", async (offered) => {
    const answer = await api.send("/health", { headers: { "x-request-id": offered } });
    expect(answer.headers.get("x-request-id")).toBe(offered);
  });

  test.each(["", "x".repeat(65), "a b", "a;b", "ä", "<script>"])("replaces '%s'", async (offered) => {
    const headers = { "x-request-id": Buffer.from(offered).toString("latin1") };
    const given = (await api.send("/nope", { headers })).headers.get("x-request-id") ?? "";
    expect(given).toMatch(/^[\w-]{8,64}$/);
    expect(given).not.toBe(offered);
  });

  test("is on every response and in every problem document", async () => {
    for (const path of [...reads, "/", "/docs", "/docs/errors", "/openapi.json", "/nope", "/v1/vaults/x"]) {
      const { headers } = await api.send(path);
      const kept = headers.get("cache-control")?.startsWith("public");
      if (kept)
        expect([path, headers.get("x-request-id"), headers.get("server-timing")]).toEqual([path, null, null]);
      else expect(headers.get("x-request-id"), path).toMatch(/^[\w-]{8,64}$/);
    }
    const answer = await api.send("/nope", { headers: { "x-request-id": "mine" } });
    expect(problemOf(answer).request_id).toBe("mine");
  });
});

describe("CORS", () => {
  const origin = "https://wallet.example";

  test.each(reads)("allows any origin to read GET %s, without credentials", async (path) => {
    const { headers } = await api.send(path, { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBe(null);
    const exposed = (headers.get("access-control-expose-headers") ?? "").toLowerCase().split(/,\s*/);
    for (const name of ["x-request-id", "link", "etag", "retry-after", "ratelimit", "ratelimit-policy"]) {
      expect(exposed).toContain(name);
    }
  });

  test("allows any origin to read errors", async () => {
    for (const [path, status] of [
      ["/v1/vaults/x", 422],
      [`/v1/vaults/31337:${NOBODY}`, 404],
    ] as const) {
      const answer = await api.send(path, { headers: { origin } });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, "*"]);
    }
  });

  test("preflight allows the API key but not its secret", async () => {
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-api-key,idempotency-key,x-api-secret",
    };
    const answer = await api.send("/v1/quote/build", { method: "OPTIONS", headers });
    expect(answer.status).toBe(204);
    const allowed = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(/,\s*/);
    expect(allowed).toEqual(expect.arrayContaining(["content-type", "x-api-key", "idempotency-key"]));
    expect(allowed).not.toContain("x-api-secret");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
  });
});

/**
 * Asks for a path with a condition made from its ETag, and asks again if the content has changed meanwhile: what is read
 * from a chain is read again every few seconds.
 */
async function askIfChanged(path: string, condition: (tag: string) => string) {
  const tagOf = ({ headers }: HttpAnswer) => headers.get("etag") ?? "";
  for (;;) {
    const tag = tagOf(await api.send(path));
    const headers = { "if-none-match": condition(tag) };
    const answer = await api.send(path, { headers });
    if (tagOf(await api.send(path)) === tag) return { tag, answer };
  }
}

describe("caching", () => {
  test.each([
    ["/v1/vaults?limit=3", "vaults.list"],
    [`/v1/vaults/${id}`, "vaults.get"],
    ["/v1/chains", "chains.list"],
  ])("%s has an ETag and answers 304 to it", async (path, operationId) => {
    const contract = await ApiContract.of(api.origin);
    const first = await api.send(path);
    expect(first.headers.get("etag")).toMatch(/^(W\/)?"[\w-]+"$/);
    expect(first.headers.get("cache-control")).toMatch(
      /^public, max-age=0, s-maxage=\d+, stale-while-revalidate=\d+$/,
    );
    const conditions: readonly ((tag: string) => string)[] = [
      (tag) => tag,
      (tag) => `W/${tag.replace("W/", "")}`,
      (tag) => `"other", ${tag}`,
      () => "*",
    ];
    for (const condition of conditions) {
      const { tag, answer } = await askIfChanged(path, condition);
      expect([condition(tag), answer.status, answer.text]).toEqual([condition(tag), 304, ""]);
      expect(answer.headers.get("etag")).toBe(tag);
      expect(contract.problems(contract.operation(operationId), answer)).toEqual([]);
    }
    expect((await api.send(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("responses to one caller have no-store", async () => {
    for (const path of [
      `/v1/positions/${NOBODY}`,
      `/v1/deposits?user_address=${NOBODY}`,
      "/health/ready",
      "/nope",
      "/v1/vaults/x",
    ]) {
      expect((await api.send(path)).headers.get("cache-control"), path).toBe("private, no-store");
    }
  });
});
