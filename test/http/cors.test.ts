import { describe, expect, test } from "vitest";
import { appOf, headersOf, posted } from "../support/http/app.ts";
import { routeDoing, thingsGet, thingsMake } from "../support/http/routes.ts";

const ORIGIN = { origin: "https://app.example" };
const listOf = (response: Response, header: string): string[] =>
  (response.headers.get(header) ?? "").split(",").map((item) => item.trim().toLowerCase());

function preflight(method: string, headers: string): RequestInit {
  return {
    method: "OPTIONS",
    headers: {
      ...ORIGIN,
      "access-control-request-method": method,
      "access-control-request-headers": headers,
    },
  };
}

describe("CORS preflight requests", () => {
  test("allow any origin, without credentials and without the API secret", async () => {
    const { send } = appOf([thingsGet, thingsMake]);
    const response = await send("/things/1", preflight("POST", "x-api-key, x-api-secret, content-type"));
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(headersOf(response, "access-control-")).toEqual({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET,POST,PUT,PATCH,DELETE",
      "access-control-allow-headers":
        "Content-Type,Authorization,X-API-Key,Idempotency-Key,X-Request-Id,Last-Event-ID",
      "access-control-expose-headers":
        "ETag,Idempotent-Replayed,Link,RateLimit,RateLimit-Policy,Retry-After,X-Request-Id",
      "access-control-max-age": "86400",
    });
  });

  test.each(["x-api-secret", "cookie", "x-forwarded-for"])(
    "does not allow %s, alone or among others",
    async (header) => {
      const { send } = appOf([thingsMake]);
      for (const asked of [header, `content-type,${header}`]) {
        const response = await send("/things/1", preflight("POST", asked));
        expect(listOf(response, "access-control-allow-headers")).not.toContain(header);
      }
    },
  );

  test("never allow credentials", async () => {
    const { send } = appOf([thingsMake]);
    const response = await send("/things/1", preflight("POST", "content-type"));
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("let a page send to an unknown path, so that it can read the 404", async () => {
    const { send } = appOf([thingsMake]);
    const asked = await send("/nowhere", preflight("POST", "content-type"));
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    const answered = await send("/nowhere", posted({}, ORIGIN));
    expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
  });
});

describe("CORS responses", () => {
  const failing = routeDoing(() => {
    throw new Error("no");
  });

  test.each<[number, string, RequestInit]>([
    [200, "/things/1", {}],
    [304, "/things/1", {}],
    [422, "/things/x", {}],
    [405, "/things/1", { method: "DELETE" }],
    [413, "/things/1?kind=a", posted("x".repeat(70_000))],
    [500, "/work", {}],
  ])("with status %i are readable from any origin", async (status, path, init) => {
    const { send } = appOf([thingsGet, thingsMake, failing]);
    const headers = { ...ORIGIN, ...(init.headers as Record<string, string> | undefined) };
    const etag = (await send("/things/1")).headers.get("etag") ?? "";
    if (status === 304) Object.assign(headers, { "if-none-match": etag });
    const response = await send(path, { ...init, headers });
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    expect(listOf(response, "access-control-expose-headers")).toContain("x-request-id");
  });
});
