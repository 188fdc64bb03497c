import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLogger, describeError, type LogFields, redact } from "../../src/lib/logger.ts";

const logTo = (base: LogFields | (() => LogFields) = {}) => {
  const lines: string[] = [];
  return { lines, log: createLogger((line) => lines.push(line), base) };
};

describe("redact", () => {
  test.each([
    ["https://eth.example/v2/s3cret", "[redacted]"],
    ["fetch https://user:s3cret@node.example failed", "fetch [redacted] failed"],
    ["postgres://user:s3cret@db.example/causeway", "[redacted]"],
    ["postgresql://user:s3cret@db.example/causeway?x=1", "[redacted]"],
    ["rediss://default:s3cret@redis.example:6379", "[redacted]"],
    ["redis://:s3cret@redis.example", "[redacted]"],
    ['url "HTTPS://NODE.EXAMPLE/s3cret" refused', 'url "[redacted]" refused'],
    ["Authorization: Bearer s3cret.s3cret-s3cret", "Authorization: [redacted]"],
    ["key cw_live_s3cret and cw_secret_s3cret", "key [redacted] and [redacted]"],
    ["a https://a/s3cret b http://b/s3cret c", "a [redacted] b [redacted] c"],
    ["session cw_session_s3cret", "session [redacted]"],
  ])("%s", (text, clean) => {
    expect(redact(text)).toBe(clean);
    expect(redact(text)).not.toMatch(/s3cret/i);
  });

  test("leaves what is no secret", () => {
    expect(redact("no node of Base gave a usable answer")).toBe("no node of Base gave a usable answer");
  });

  test.each([
    ["a digest", `params: ${"5e".repeat(32)},1`, "params: [redacted],1"],
    ["a token", `token=${"0a".repeat(24)}`, "token=[redacted]"],
    ["in capitals", "AB".repeat(20), "[redacted]"],
    ["a signature", `0x${"1c".repeat(65)}`, "[redacted]"],
    ["calldata", `data 0x${"ab".repeat(300)}.`, "data [redacted]."],
  ])("hides long hex: %s", (_what, text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  test.each([
    ["a hash", `0x${"5e".repeat(32)}`],
    ["an address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["an id of ours", `trk_${"0a".repeat(16)}`],
    ["an amount", "1".repeat(39)],
  ])("leaves %s, which a log is read for", (_what, text) => {
    expect(redact(`of ${text} there`)).toBe(`of ${text} there`);
  });

  test("takes no longer for a longer text than its length asks for", () => {
    for (const text of ["0x", "f", "a0x", "cw_"].map((part) => part.repeat(200_000 / part.length)))
      expect(redact(text).length).toBeLessThanOrEqual(500);
  });

  test("hides a credential before it cuts, so that no part of one is left over", () => {
    const text = `${"x".repeat(490)} https://node.example/s3cret`;
    expect(redact(text)).toBe(`${"x".repeat(490)} [redacted`);
    expect(redact("y".repeat(2_000))).toHaveLength(500);
  });

  test("hides the rest of a URL wherever it stands", () => {
    const around = fc.constantFrom("", " ", "\n", "(", "error: ", "'", '"');
    fc.assert(
      fc.property(around, fc.stringMatching(/^[\w/?=&.:@%-]{1,40}$/), around, (before, rest, after) => {
        expect(redact(`${before}https://s3cret${rest}${after}`)).not.toContain("s3cret");
      }),
    );
  });
});

describe("createLogger", () => {
  test("writes one line of JSON per event, with what every line carries", () => {
    const { lines, log } = logTo({ request_id: "r1" });
    log.info("started");
    log.warn("slow", { ms: 5, ok: true, none: null, absent: undefined });
    log.error("failed", { error: "at https://node.example/key" });
    expect(lines).toEqual([
      '{"level":"info","event":"started","request_id":"r1"}',
      '{"level":"warn","event":"slow","request_id":"r1","ms":5,"ok":true,"none":null}',
      '{"level":"error","event":"failed","request_id":"r1","error":"at [redacted]"}',
    ]);
  });

  test("asks for what every line carries only when it writes one", () => {
    let asked = 0;
    const { lines, log } = logTo(() => ({ request_id: `r${++asked}` }));
    expect(asked).toBe(0);
    log.info("started");
    log.info("ended", { request_id: "own" });
    expect(lines).toEqual([
      '{"level":"info","event":"started","request_id":"r1"}',
      '{"level":"info","event":"ended","request_id":"own"}',
    ]);
  });

  test("cleans what every line carries, too, and keeps a text with line breaks on one line", () => {
    const { lines, log } = logTo({ from: "Bearer abc" });
    log.info("note", { text: 'two\nlines "quoted"' });
    expect(lines).toEqual([
      '{"level":"info","event":"note","from":"[redacted]","text":"two\\nlines \\"quoted\\""}',
    ]);
  });
});

describe("describeError", () => {
  test("joins the messages of a chain of causes, outermost first, each on one line", () => {
    const inner = new Error("connection refused\n    at somewhere");
    const middle = new Error("fetch failed", { cause: inner });
    expect(describeError(new Error("no answer", { cause: middle }))).toBe(
      "no answer <- fetch failed <- connection refused at somewhere",
    );
  });

  test("stops after four, and at a chain that bites its own tail", () => {
    const loop = new Error("loop");
    loop.cause = loop;
    expect(describeError(loop)).toBe("loop <- loop <- loop <- loop");
  });

  test.each([
    ["a text", "a text"],
    [undefined, "undefined"],
    [null, "null"],
    [{ a: 1 }, "[object Object]"],
  ])("takes what is no error as it is: %s", (thrown, text) => {
    expect(describeError(thrown)).toBe(text);
  });
});
