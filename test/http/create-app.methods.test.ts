import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { appOf, posted, read } from "../support/http/app.ts";
import { routeDoing, thingsGet, thingsList, thingsMake } from "../support/http/routes.ts";

const { send } = appOf([thingsGet, thingsMake, thingsList, routeDoing(() => ({ done: true }))]);
const postOnly = appOf([thingsMake]);

describe("an unknown path", () => {
  test.each(["/", "/thing", "/things/1/2", "//things", "/THINGS/1", "/v1/vaults"])(
    "%s is 404 for every method",
    async (path) => {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
        const response = await send(path, { method, headers: { "x-request-id": "mine" } });
        expect(response.headers.get("content-type")).toBe("application/problem+json");
        expect(await read(response)).toEqual({
          status: 404,
          body: {
            type: "/docs/errors#route_not_found",
            title: "No such endpoint",
            status: 404,
            // Without more: it must equal the 404 of administrators' paths where nobody is one.
            detail: expect.stringMatching(
              /^no endpoint has this path(?:; did you mean .*|: \/docs and \/openapi\.json describe all of them)$/,
            ),
            code: "route_not_found",
            request_id: "mine",
          },
        });
      }
    },
  );
});

describe("an unsupported method", () => {
  test.each(["DELETE", "PUT", "PATCH", "PURGE"])(
    "%s is answered with 405 and the allowed methods",
    async (method) => {
      const response = await send("/things/1", { method, headers: { "x-request-id": "mine" } });
      expect(response.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      expect(await read(response)).toEqual({
        status: 405,
        body: {
          type: "/docs/errors#method_not_allowed",
          title: "Method not allowed",
          status: 405,
          detail: "this path allows GET, POST, HEAD, OPTIONS",
          code: "method_not_allowed",
          request_id: "mine",
        },
      });
    },
  );

  test("is refused before validation", async () => {
    expect((await send("/things/not-a-number", { method: "DELETE" })).status).toBe(405);
  });

  test("POST on a path with GET only is 405", async () => {
    const response = await send("/things", posted({}));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("GET and HEAD on a path with POST only are 405", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await postOnly.send("/things/1", { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
  });
});

describe("a path that another route's parameter also matches", () => {
  const named = defineRoute({
    operationId: "things.name",
    method: "post",
    path: "/things/name",
    summary: "Name a thing",
    tag: "Things",
    access: "public",
    cache: "no-store",
    errors: [],
    response: { schema: z.object({ named: z.boolean() }), description: "Named" },
    handler: () => ({ named: true }),
  });
  const both = appOf([named, thingsGet]);

  test("is answered with 405 by its own methods, not by the other route's validation", async () => {
    for (const method of ["GET", "HEAD", "PUT"]) {
      const response = await both.send("/things/name", { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
    expect((await both.send("/things/name", { method: "POST" })).status).toBe(200);
    expect((await both.send("/things/1")).status).toBe(200);
  });
});

describe("HEAD", () => {
  test("has status and headers of GET and no body", async () => {
    const [get, head] = [await send("/things/1"), await send("/things/1", { method: "HEAD" })];
    expect([head.status, await head.text()]).toEqual([200, ""]);
    for (const name of ["etag", "cache-control", "content-type"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(get.headers.get("etag")).not.toBe(null);
  });

  test("has the errors of GET", async () => {
    expect((await send("/things/x", { method: "HEAD" })).status).toBe(422);
    expect((await send("/nowhere", { method: "HEAD" })).status).toBe(404);
  });
});
