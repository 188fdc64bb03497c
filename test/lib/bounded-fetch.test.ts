import { beforeEach, describe, expect, test } from "vitest";
import { boundedFetch, OutsideError } from "../../src/lib/bounded-fetch.ts";
import { fetchOfLateBodies, holdTimeouts, realFetch, sendSlowly, serve } from "../support/local-server.ts";

const BOUNDS = { timeoutMs: 400, maxBytes: 1_000 } as const;
let deadlines: ReturnType<typeof holdTimeouts>;

beforeEach(() => {
  deadlines = holdTimeouts();
});

/** What a fetch within bounds fails with. */
async function failureOf(url: string, fetch = realFetch): Promise<OutsideError> {
  const outcome = await boundedFetch(fetch, { url, bounds: BOUNDS }).catch((error: unknown) => error);
  if (!(outcome instanceof OutsideError)) throw new Error("it did not fail from outside", { cause: outcome });
  return outcome;
}

describe("boundedFetch()", () => {
  test("returns status, headers and text, and sends the request unchanged", async () => {
    const { url, requests } = await serve((_, response) => {
      response.writeHead(200, { "x-own": "yes" });
      response.end("grüße");
    });
    const init = { method: "POST", headers: { "x-sent": "1" }, body: "hello" };
    const answer = await boundedFetch(realFetch, { url: `${url}/path?q=1`, init, bounds: BOUNDS });
    expect(answer).toMatchObject({ status: 200, text: "grüße" });
    expect(answer.headers.get("x-own")).toBe("yes");
    expect(requests).toMatchObject([
      { method: "POST", path: "/path?q=1", body: "hello", headers: { "x-sent": "1" } },
    ]);
  });

  test.each([200, 204, 404, 429, 500, 503])("returns status %i as an answer", async (status) => {
    const { url } = await serve((_, response) => {
      response.writeHead(status);
      response.end();
    });
    expect(await boundedFetch(realFetch, { url, bounds: BOUNDS })).toMatchObject({ status, text: "" });
  });

  test("does not follow redirects", async () => {
    const { url, requests } = await serve((_, response) => {
      response.writeHead(302, { location: "/next" });
      response.end("moved");
    });
    expect(await boundedFetch(realFetch, { url, bounds: BOUNDS })).toMatchObject({
      status: 302,
      text: "moved",
    });
    expect(requests.map(({ path }) => path)).toEqual(["/"]);
  });

  test("joins characters that arrive in pieces", async () => {
    const bytes = Buffer.from("€uro");
    const { url } = await serve((_, response) => {
      response.write(bytes.subarray(0, 1));
      setTimeout(() => response.end(bytes.subarray(1)), 20);
    });
    expect((await boundedFetch(realFetch, { url, bounds: BOUNDS })).text).toBe("€uro");
  });
});

describe("boundedFetch() timeout", () => {
  test("covers a silent server", async () => {
    const passed: number[] = [];
    const { url } = await serve(() => passed.push(deadlines.expire()));
    expect(await failureOf(url)).toMatchObject({ kind: "timeout", message: "no answer within 400 ms" });
    expect(passed).toEqual([400]);
  });

  test("covers a body that comes byte by byte (viem's own does not)", async () => {
    const { url } = await serve((_, response) => sendSlowly(response, 10));
    expect((await failureOf(url, fetchOfLateBodies(deadlines))).kind).toBe("timeout");
  });

  test("covers a body that stops half way", async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
    });
    expect((await failureOf(url, fetchOfLateBodies(deadlines))).kind).toBe("timeout");
  });

  test("is not replaced by a signal of the caller", async () => {
    const { url } = await serve(() => deadlines.expire());
    const init = { signal: new AbortController().signal };
    const outcome = boundedFetch(realFetch, { url, init, bounds: BOUNDS });
    await expect(outcome).rejects.toMatchObject({ kind: "timeout" });
  });
});

describe("boundedFetch() size limit", () => {
  test.each([999, 1_000])("takes %i bytes of a thousand", async (length) => {
    const { url } = await serve((_, response) => response.end("x".repeat(length)));
    expect((await boundedFetch(realFetch, { url, bounds: BOUNDS })).text).toHaveLength(length);
  });

  test("refuses a body that declares more, without reading it", async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-length": "1001" });
      response.write("x");
    });
    const failed = await failureOf(url);
    expect(failed).toMatchObject({
      kind: "too_large",
      message: "the answer declares 1001 bytes, 1000 are read",
    });
  });

  test.each([
    [1_000, true],
    [1_001, false],
  ])("takes %i bytes that were not declared: %s", async (length, taken) => {
    const { url } = await serve((_, response) => {
      response.write("x".repeat(length - 1));
      response.end("x");
    });
    const asked = boundedFetch(realFetch, { url, bounds: BOUNDS });
    if (taken) expect((await asked).text).toHaveLength(length);
    else await expect(asked).rejects.toMatchObject({ kind: "too_large" });
  });

  test("refuses a body that declares nothing and goes on, as soon as it is too much", async () => {
    const { url } = await serve((_, response) => {
      const timer = setInterval(() => response.write("x".repeat(400)), 5);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failureOf(url)).toMatchObject({
      kind: "too_large",
      message: "the answer exceeds 1000 bytes",
    });
  });

  test("counts bytes, not characters", async () => {
    const { url } = await serve((_, response) => response.end("€".repeat(334)));
    expect((await failureOf(url)).kind).toBe("too_large");
  });
});

describe("boundedFetch() connection failure", () => {
  test("is a network failure when nobody listens", async () => {
    const failed = await failureOf("http://127.0.0.1:1");
    expect(failed).toMatchObject({ kind: "network", status: null, message: "the connection failed" });
    expect(failed.cause).toBeInstanceOf(Error);
  });

  test("is a network failure when it is cut before the head", async () => {
    const { url } = await serve((_, response) => response.destroy());
    expect((await failureOf(url)).kind).toBe("network");
  });

  test("is a network failure when it is cut within the body", async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    expect((await failureOf(url)).kind).toBe("network");
  });
});
