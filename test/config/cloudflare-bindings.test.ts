import { expect, test } from "vitest";
import { type EdgeCacheControl, edgeCacheOf, purgeEdge } from "../../src/config/cloudflare-bindings.ts";
import { createLogger } from "../../src/lib/logger.ts";

/** Purges tags from a cache with the given answer. Returns the purges and the log lines. */
async function purged(tags: readonly string[], answer: EdgeCacheControl["purge"] | null) {
  const [calls, lines]: [string[][], string[]] = [[], []];
  const log = createLogger((line) => lines.push(line), {});
  const cache: EdgeCacheControl | null =
    answer === null
      ? null
      : {
          purge: (what) => {
            calls.push(what.tags);
            return answer(what);
          },
        };
  await purgeEdge({ cache, log }, tags);
  return { calls, events: lines.map((line) => JSON.parse(line)) };
}
const accepted = async () => ({ success: true, errors: [] });

test("purgeEdge() purges every tag once, in one request", async () => {
  expect(await purged(["vaults", "vault:1:0xab", "vaults"], accepted)).toEqual({
    calls: [["vaults", "vault:1:0xab"]],
    events: [],
  });
});

test("purgeEdge() sends at most 100 tags, and nothing for none", async () => {
  const many = Array.from({ length: 300 }, (_, index) => `vault:1:${index}`);
  expect((await purged(many, accepted)).calls.map(({ length }) => length)).toEqual([100]);
  expect((await purged([], accepted)).calls).toEqual([]);
});

test("purgeEdge() does nothing without a cache", async () => {
  expect(await purged(["vaults"], null)).toEqual({ calls: [], events: [] });
});

test("purgeEdge() logs a refused and a failed purge, and does not throw", async () => {
  const limited = async () => ({ success: false, errors: [{ message: "rate limited" }] });
  expect((await purged(["vaults"], limited)).events).toMatchObject([
    { level: "warn", event: "edge_not_purged", tags: 1, error: "rate limited" },
  ]);
  const broken = () => Promise.reject(new Error("no purge here"));
  expect((await purged(["vaults"], broken)).events).toMatchObject([
    { event: "edge_not_purged", error: expect.stringContaining("no purge here") },
  ]);
});

test("edgeCacheOf() recognises the platform's cache", () => {
  const cache = { purge: accepted };
  expect([edgeCacheOf({ cache }), edgeCacheOf({}), edgeCacheOf({ cache: {} }), edgeCacheOf(null)]).toEqual([
    cache,
    ...[null, null, null],
  ]);
});
