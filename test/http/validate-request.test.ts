import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { BuildInput } from "../../src/schemas/build-input-schema.ts";
import { ValidationErrorBody } from "../../src/schemas/error-schema.ts";
import { appOf, posted, read } from "../support/http/app.ts";
import { thingsMake } from "../support/http/routes.ts";

const { send } = appOf([thingsMake]);
const GOOD = { owner: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", amount: "1" };
const finding = (loc: (string | number)[], type: string, msg: string) => ({ loc, msg, type });

describe("validate()", () => {
  test("lists the errors of path, query, headers and body together, in this order", async () => {
    const response = await send(
      "/things/0?limit=101",
      posted({ amount: "01", slippage: 0 }, { "x-count": "-" }),
    );
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(await read(response)).toEqual({
      status: 422,
      body: {
        detail: [
          finding(["path", "thing_id"], "too_small", "must be at least 1"),
          finding(["query", "limit"], "too_big", "must be at most 100"),
          finding(["query", "kind"], "missing", 'is required: must be one of "a"|"b"'),
          finding(["header", "x-count"], "invalid_format", "must be digits"),
          finding(["body", "owner"], "missing", "is required"),
          finding(
            ["body", "amount"],
            "invalid_format",
            "must be a positive integer in the smallest unit, as a decimal string, without leading zeros",
          ),
          finding(["body", "slippage"], "too_small", "must be more than 0"),
        ],
      },
    });
  });

  test("lists path and query errors together with a missing body", async () => {
    const response = await send("/things/x", {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "x",
    });
    expect(await read(response)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["path", "thing_id"] }, { loc: ["query", "kind"] }, { loc: ["body"] }] },
    });
  });

  test("does not check the items of a list that is far too long", async () => {
    let checked = 0;
    const item = z.string().refine(() => {
      checked += 1;
      return true;
    });
    const list = z.array(item).max(3);
    const body = z.object({ list, either: z.union([z.string(), list]).optional() });
    const route = defineRoute({ ...thingsMake, body, handler: async () => ({ id: "1" }) } as never);
    const items = Array.from({ length: 5_000 }, () => "a");
    const response = await appOf([route]).send("/things/1?kind=a", posted({ list: items, either: items }));
    expect(response.status).toBe(422);
    expect(checked).toBeLessThan(20);
  });

  test("locates nested errors by path, with list indices as numbers", async () => {
    const response = await send("/things/1?kind=a", posted({ ...GOOD, tags: ["a", 5, null] }));
    expect(await read(response)).toMatchObject({
      body: { detail: [{ loc: ["body", "tags", 1], type: "invalid_type" }, { loc: ["body", "tags", 2] }] },
    });
  });

  test("says nothing about the size of a value of another type", async () => {
    const route = { ...thingsMake, body: z.object({ rights: z.array(z.string()).max(3) }) };
    const response = await appOf([route]).send("/things/1?kind=a", posted({ rights: "read" }));
    expect(await read(response)).toMatchObject({
      body: { detail: [finding(["body", "rights"], "invalid_type", "must be a JSON array")] },
    });
  });

  test("reports a repeated query parameter", async () => {
    const response = await send("/things/1?kind=a&limit=1&limit=2", posted(GOOD));
    expect(await read(response)).toMatchObject({
      status: 422,
      body: {
        detail: [finding(["query", "limit"], "invalid_type", "is given more than once: send it once")],
      },
    });
  });

  test.each([
    ["-5", "must be at least 1"],
    ["-", "must be an integer in decimal digits"],
  ])("says what is wrong with the integer %j", async (limit, msg) => {
    const response = await send(`/things/1?kind=a&limit=${limit}`, posted(GOOD));
    expect(await read(response)).toMatchObject({ body: { detail: [{ loc: ["query", "limit"], msg }] } });
  });

  test("names the undeclared field that a missing one was sent as", async () => {
    const response = await send("/things/1?kinds=a", posted({ Owner: GOOD.owner, amt: "1" }));
    expect(await read(response)).toEqual({
      status: 422,
      body: {
        detail: [
          finding(["query", "kind"], "missing", 'is required: must be one of "a"|"b"'),
          finding(["body", "owner"], "missing", 'is required: it has this name, and not "Owner"'),
          finding(["body", "amount"], "missing", "is required"),
        ],
      },
    });
  });

  test.each(["1.0", "+1", "01", " 1", "1e2", "0x1", "", "1 "])(
    "refuses %j as an integer query parameter",
    async (text) => {
      const response = await send(`/things/1?kind=a&limit=${encodeURIComponent(text)}`, posted(GOOD));
      expect(await read(response)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["query", "limit"] }] },
      });
    },
  );

  test.each(["%ZZ", "%", "%E0%A4%A", "1%00", "..%2f1"])("refuses the path parameter %s", async (text) => {
    const response = await send(`/things/${text}?kind=a`, posted(GOOD));
    expect(await read(response)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["path", "thing_id"] }] },
    });
  });

  test("treats names such as __proto__ as ordinary fields", async () => {
    const query = "kind=a&__proto__=1&constructor=2&toString=3&hasOwnProperty=4";
    const body = JSON.parse(`{"__proto__":{"amount":"5"},"owner":"${GOOD.owner}","constructor":1}`);
    const response = await send(`/things/1?${query}`, posted(body));
    expect(await read(response)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "amount"] }] },
    });
  });
});

describe("the 422 response", () => {
  const strict = z.strictObject({
    detail: z.array(z.strictObject({ ...ValidationErrorBody.shape.detail.element.shape })).min(1),
  });

  test("matches the declared schema for any input", async () => {
    const junk = fc.jsonValue();
    const word = fc.string({ maxLength: 20 });
    const property = fc.asyncProperty(junk, word, word, async (body, thing, limit) => {
      const path = `/things/${encodeURIComponent(`x${thing}`)}?limit=${encodeURIComponent(limit)}`;
      const response = await send(path, posted(body));
      expect(response.status).toBe(422);
      const { detail } = strict.parse(await response.json());
      for (const { loc, msg, type } of detail) {
        expect(["path", "query", "header", "body"]).toContain(loc[0]);
        expect(msg.length * type.length).toBeGreaterThan(0);
      }
      expect(detail[0]?.loc).toEqual(["path", "thing_id"]);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

describe("the body of POST /v1/quote/build", () => {
  const echo = defineRoute({
    operationId: "echo.build",
    method: "post",
    path: "/echo",
    summary: "Echo",
    tag: "Things",
    access: "public",
    cache: "no-store",
    body: BuildInput,
    response: { schema: z.unknown(), description: "What was read" },
    errors: [],
    handler: (_ctx, { body }) => ({ ...body, from_amount: body.from_amount.toString() }),
  });
  const build = appOf([echo]);
  const least = {
    from_chain_id: 8453,
    from_token: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    from_amount: "1000000",
    vault_id: "8453%3A0xBEEF010F9CB27031AD51E3333F9AF9C6B1228183",
    user_address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  };

  test("requires five fields and has defaults for the others", async () => {
    expect(await read(await build.send("/echo", posted(least)))).toEqual({
      status: 200,
      body: {
        from_chain_id: 8453,
        from_token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        from_amount: "1000000",
        vault_id: { chainId: 8453, address: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183" },
        user_address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        slippage: 0.03,
        referrer: "0x0000000000000000000000000000000000000000",
        referrer_handle: "",
        partner_id: "",
        partner_type: 0,
      },
    });
  });

  test("reports each missing required field", async () => {
    const response = await build.send("/echo", posted({}));
    const { detail } = ValidationErrorBody.parse(await response.json());
    expect(detail.map(({ loc, type }) => [loc, type])).toEqual(
      Object.keys(least).map((name) => [["body", name], "missing"]),
    );
  });

  const MAX = (2n ** 256n - 1n).toString();
  test.each<[string, unknown]>([
    ["from_chain_id", 0],
    ["from_chain_id", "8453"],
    ["from_chain_id", 1.5],
    ["from_token", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".replace("D6e", "d6e")],
    ["from_token", "USDC"],
    ["from_amount", 1_000_000],
    ["from_amount", "0"],
    ["from_amount", "-1"],
    ["from_amount", "1.5"],
    ["from_amount", "1e6"],
    ["from_amount", "0x10"],
    ["from_amount", "010"],
    ["from_amount", (2n ** 256n).toString()],
    ["from_amount", "9".repeat(78)],
    ["from_amount", "1".repeat(79)],
    ["vault_id", "8453"],
    ["user_address", "0x0000000000000000000000000000000000000000"],
    ["slippage", 0],
    ["slippage", -0.01],
    ["slippage", 0.51],
    ["slippage", "0.03"],
    ["referrer", "0x1"],
    ["referrer_handle", "x".repeat(65)],
    ["parent_tracking_id", "trk_1"],
    ["preferred_bridge", "teleport"],
    ["partner_id", "x".repeat(65)],
    ["partner_type", 3],
    ["partner_type", -1],
  ])("refuses %s %j with one error", async (name, value) => {
    const response = await build.send("/echo", posted({ ...least, [name]: value }));
    expect(response.status).toBe(422);
    const { detail } = ValidationErrorBody.parse(await response.json());
    expect(detail.map(({ loc }) => loc)).toEqual([["body", name]]);
  });

  test.each<[string, unknown]>([
    ["from_amount", MAX],
    ["from_token", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"],
    ["slippage", 0.5],
    ["slippage", 1e-9],
    ["preferred_bridge", "across"],
    ["partner_id", "x".repeat(64)],
    ["parent_tracking_id", `trk_${"0a".repeat(16)}`],
  ])("accepts %s %j", async (name, value) => {
    const response = await build.send("/echo", posted({ ...least, [name]: value }));
    expect(await read(response)).toMatchObject({ status: 200, body: { [name]: value } });
  });
});
