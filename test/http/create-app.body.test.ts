import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { defineRoute } from "../../src/http/define-route.ts";
import { appOf, posted, read } from "../support/http/app.ts";
import { thingsMake } from "../support/http/routes.ts";

const { send } = appOf([thingsMake]);
const PATH = "/things/1?kind=a";
const GOOD = { owner: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", amount: "1" };
const LIMIT = 64 * 1024;
const json = (headers: Record<string, string> = {}) => ({ "content-type": "application/json", ...headers });

/** A good body of exactly so many bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ ...GOOD, tags: [""] });
  return empty.replace('[""]', `["${"x".repeat(bytes - empty.length)}"]`);
}

/** The body in pieces, as it comes without a content-length. */
function streamed(text: string): RequestInit {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(sent, sent + 10_000));
      sent += 10_000;
    },
  });
  return { method: "POST", headers: json(), body, duplex: "half" } as RequestInit;
}

const declared = (text: string): RequestInit => ({
  method: "POST",
  headers: json({ "content-length": String(new TextEncoder().encode(text).length) }),
  body: text,
});

describe("a body that does not arrive", () => {
  const incomplete = {
    loc: ["body"],
    msg: expect.stringMatching(/^the body did not arrive/),
    type: "body_incomplete",
  };

  test("is invalid input when the client breaks off or frames it wrongly", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new TypeError("invalid chunk"));
      },
    });
    const request = { method: "POST", headers: json(), body, duplex: "half" } as RequestInit;
    expect(await read(await send(PATH, request))).toMatchObject({
      status: 422,
      body: { detail: [{ ...incomplete, msg: expect.not.stringContaining("seconds") }] },
    });
  });

  test("is invalid input when it takes longer than ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
      const request = { method: "POST", headers: json(), body, duplex: "half" } as RequestInit;
      const answer = send(PATH, request);
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
      await vi.advanceTimersByTimeAsync(10_000);
      const late = { ...incomplete, msg: "the body did not arrive completely within ten seconds" };
      expect(await read(await answer)).toMatchObject({ status: 422, body: { detail: [late] } });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("body size limit", () => {
  test.each([
    ["declared", declared],
    ["found out", streamed],
  ])("accepts 64 KiB and answers 413 for one byte more, %s", async (_how, request) => {
    expect(bodyOf(LIMIT)).toHaveLength(LIMIT);
    expect((await send(PATH, request(bodyOf(LIMIT)))).status).toBe(201);
    const response = await send(PATH, { ...request(bodyOf(LIMIT + 1)) });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await read(response)).toMatchObject({
      status: 413,
      body: { code: "body_too_large", status: 413, detail: "the body must not exceed 65536 bytes" },
    });
  });

  test("applies to routes that read no body", async () => {
    const bodiless = defineRoute({
      operationId: "things.end",
      method: "patch",
      path: "/things/end",
      summary: "End a thing",
      tag: "Things",
      access: "public",
      cache: "no-store",
      errors: [],
      response: { schema: z.object({ ended: z.boolean() }), description: "Ended" },
      handler: () => ({ ended: true }),
    });
    const app = appOf([bodiless]);
    for (const request of [declared, streamed]) {
      const ended = async (bytes: number) =>
        (await app.send("/things/end", { ...request("x".repeat(bytes)), method: "PATCH" })).status;
      expect([await ended(LIMIT), await ended(LIMIT + 1)]).toEqual([200, 413]);
    }
  });

  test("counts bytes, not characters", async () => {
    const text = JSON.stringify({ ...GOOD, tags: ["€".repeat(22_000)] });
    expect(text.length).toBeLessThan(LIMIT);
    expect((await send(PATH, declared(text))).status).toBe(413);
    expect((await send(PATH, streamed(text))).status).toBe(413);
  });

  test("is checked before validation", async () => {
    const response = await send("/things/x?kind=z", declared("{".repeat(LIMIT + 1)));
    expect(response.status).toBe(413);
  });

  test("answers 413 before an endless body ends", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_024));
      },
    });
    const response = await send(PATH, {
      method: "POST",
      headers: json(),
      body,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(100);
  });
});

describe("a missing or malformed body", () => {
  const finding = (type: string, msg: unknown) => ({
    status: 422,
    body: { detail: [{ loc: ["body"], msg, type }] },
  });

  test.each<[string, RequestInit]>([
    ["absent", { method: "POST", headers: json() }],
    ["empty", { method: "POST", headers: json(), body: "" }],
    ["white space", { method: "POST", headers: json(), body: " \r\n\t" }],
    ["absent, without content type", { method: "POST" }],
  ])("(%s) gives one validation error", async (_what, init) => {
    expect(await read(await send(PATH, init))).toEqual(finding("missing", "a JSON body is required"));
  });

  test("that may be empty says so", async () => {
    const optional = z.object({ note: z.string().optional() });
    const { send: sendNote } = appOf([{ ...thingsMake, body: optional } as typeof thingsMake]);
    expect(await read(await sendNote(PATH, { method: "POST", headers: json() }))).toEqual(
      finding("missing", "a JSON body is required: {} is enough"),
    );
  });

  test.each(["{", '{"a":1,}', "nothing", "'a'", "{}{}", "\u0000", "NaN"])(
    "%j is answered with json_invalid",
    async (body) => {
      const response = await send(PATH, { method: "POST", headers: json(), body });
      expect(await read(response)).toEqual(
        finding(
          "json_invalid",
          expect.stringMatching(
            /^the body must be valid JSON(?:$|: (?:look at character \d+|it ends too early|unexpected character ".+")$)/,
          ),
        ),
      );
    },
  );

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "text/json",
    "application/xml, application/json",
    "xapplication/json",
  ])("%s is refused as content type for every body", async (type) => {
    const init = { method: "POST", headers: { "content-type": type }, body: JSON.stringify(GOOD) };
    expect(await read(await send(PATH, init))).toEqual(
      finding("content_type", "the content type must be application/json: send the header Content-Type"),
    );
  });

  test("text without a content type is refused", async () => {
    const init = { method: "POST", body: new TextEncoder().encode(JSON.stringify(GOOD)) };
    expect(await read(await send(PATH, init))).toEqual(
      finding("content_type", "the content type must be application/json: send the header Content-Type"),
    );
  });

  test.each([
    "application/json",
    "Application/JSON; charset=utf-8",
    "application/json;charset=UTF-8",
    "application/vnd.api+json",
  ])("%s is accepted as content type", async (type) => {
    const init = { method: "POST", headers: { "content-type": type }, body: JSON.stringify(GOOD) };
    expect((await send(PATH, init)).status).toBe(201);
  });

  test.each([
    ["null", ""],
    ["5", ""],
    ["true", ""],
    ["[]", ", not a list: send a request for each"],
    ['"text"', ", not a string: encode the object once"],
  ])("%s is refused as not an object", async (body, more) => {
    const response = await send(PATH, { method: "POST", headers: json(), body });
    expect(await read(response)).toEqual(finding("invalid_type", `must be a JSON object${more}`));
  });
});

test("the handler gets the parsed body without undeclared fields", async () => {
  const response = await send(
    "/things/7?kind=b&limit=5&other=1",
    posted({ ...GOOD, extra: 1 }, { "x-count": "12" }),
  );
  expect(await read(response)).toEqual({
    status: 201,
    body: {
      params: { thing_id: 7 },
      query: { kind: "b", limit: 5 },
      header: "12",
      body: { owner: GOOD.owner, amount: "1", slippage: 0.03 },
    },
  });
});

describe("a body that cannot be read as JSON", () => {
  const refused = async (init: RequestInit, path = PATH) => {
    const { status, body } = await read(await send(path, { method: "POST", headers: json(), ...init }));
    return [status, body];
  };
  const issue = (type: string, msg: string) => [422, { detail: [{ loc: ["body"], msg, type }] }];

  test("is told not to be compressed", async () => {
    const headers = json({ "content-encoding": "gzip" });
    expect(await refused({ headers, body: new Uint8Array([0x1f, 0x8b, 8]) })).toEqual(
      issue("content_encoding", "the body must not be compressed: send it without Content-Encoding"),
    );
    const plain = { method: "POST", headers: json({ "content-encoding": "identity" }), body: bodyOf(200) };
    expect((await send(PATH, plain)).status).toBe(201);
  });

  test.each([
    ["in the middle", [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
    ["at the end", [0x7b, 0x7d, 0xe2, 0x82]],
  ])("is not decoded with other characters in place of wrong bytes %s", async (_, bytes) => {
    expect(await refused({ body: new Uint8Array(bytes) })).toEqual(
      issue("json_invalid", "the body must be JSON in UTF-8"),
    );
  });

  test("may start with a byte order mark", async () => {
    const init = { method: "POST", headers: json(), body: `\ufeff${bodyOf(200)}` };
    expect((await send(PATH, init)).status).toBe(201);
  });

  test.each([
    ["[", "it ends too early"],
    ['{"a":NaN}', 'unexpected character "N"'],
    ["/* a comment */ {}", 'unexpected character "/"'],
  ])("is told what is wrong where no position is known: %s", async (body, what) => {
    expect(await refused({ body })).toEqual(issue("json_invalid", `the body must be valid JSON: ${what}`));
  });

  test("is told where its error is", async () => {
    expect(await refused({ body: '{"amount":"1",}' })).toEqual(
      issue("json_invalid", "the body must be valid JSON: look at character 15"),
    );
  });
});

describe("a route whose fields are all optional", () => {
  const route = defineRoute({
    ...thingsMake,
    path: "/optional",
    params: undefined,
    query: undefined,
    headers: undefined,
    body: z.strictObject({ amount: z.string().optional(), note: z.string().optional() }),
    response: { schema: z.unknown(), description: "What was read" },
    handler: (_ctx, { body }) => body,
  });
  const optional = appOf([route]);
  const answer = async (init: RequestInit) =>
    read(await optional.send("/optional", { method: "POST", ...init }));

  test("takes an empty object, and not an empty body, which the document does not allow", async () => {
    expect(await answer({ headers: json(), body: "{}" })).toEqual({ status: 200, body: {} });
    expect(await answer({})).toMatchObject({ status: 422, body: { detail: [{ type: "missing" }] } });
  });

  test("refuses a field that is given twice, also by its escapes, and not one in another object", async () => {
    const twice = (text: string) => answer({ headers: json(), body: text });
    const finding = {
      loc: ["body", "amount"],
      msg: "is given more than once: send it once",
      type: "repeated",
    };
    expect(await twice('{"amount":"1","note":"{\\"amount\\":","am\\u006funt" : "2"}')).toEqual({
      status: 422,
      body: { detail: [finding] },
    });
    expect(await twice('{"amount":"1","note":"amount"}')).toMatchObject({ status: 200 });
  });
});
