import { describe, expect, test } from "vitest";
import { RateLimitMemory, retryAfterSeconds } from "../../../../src/providers/lifi/api/lifi-rate-limits.ts";

const NOW = Date.UTC(2026, 9, 1, 12, 0, 0);

describe("retryAfterSeconds()", () => {
  test.each<[Record<string, string>, number]>([
    [{ "retry-after": "12" }, 12],
    [{ "retry-after": "Thu, 01 Oct 2026 12:01:00 GMT" }, 60],
    [{ "retry-after": "Thu, 01 Oct 2026 11:00:00 GMT" }, 1],
    [{ "retry-after": "soon", "ratelimit-reset": "40" }, 40],
    [{ "retry-after": "1000000000" }, 60],
    [{ "ratelimit-reset": "7200" }, 60],
    [{ "ratelimit-reset": "0" }, 1],
    [{ "ratelimit-reset": "-5" }, 60],
    [{}, 60],
  ])("reads %j as %i seconds", (headers, seconds) => {
    expect(retryAfterSeconds(new Headers(headers), NOW)).toBe(seconds);
  });
});

describe("RateLimitMemory", () => {
  test("limits one endpoint family and not the others", () => {
    const memory = new RateLimitMemory();
    const headers = new Headers({ "ratelimit-remaining": "0", "ratelimit-reset": "10" });
    memory.record("quote", { status: 200, headers, now: NOW });
    expect(memory.waitSeconds("quote", NOW)).toBe(10);
    expect(memory.waitSeconds("quote", NOW + 9_001)).toBe(1);
    expect(memory.waitSeconds("quote", NOW + 10_000)).toBeNull();
    expect(memory.waitSeconds("routes", NOW)).toBeNull();
  });

  test("keeps the longer of two waits", () => {
    const memory = new RateLimitMemory();
    for (const wait of ["30", "3"])
      memory.record("quote", { status: 429, headers: new Headers({ "retry-after": wait }), now: NOW });
    expect(memory.waitSeconds("quote", NOW)).toBe(30);
  });

  test("ignores responses with requests remaining", () => {
    const memory = new RateLimitMemory();
    const headers = new Headers({ "ratelimit-remaining": "1", "ratelimit-reset": "10" });
    memory.record("quote", { status: 200, headers, now: NOW });
    memory.record("quote", { status: 200, headers: new Headers(), now: NOW });
    expect(memory.waitSeconds("quote", NOW)).toBeNull();
  });
});
