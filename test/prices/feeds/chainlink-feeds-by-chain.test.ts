import { checksumAddress, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import { chainFeeds } from "../../../src/prices/feeds/chainlink-feed-rows.ts";
import { feedTables } from "../../../src/prices/feeds/chainlink-feeds-by-chain.ts";

const chains = Object.entries(feedTables).map(([chainId, feeds]) => ({ chainId: Number(chainId), feeds }));

describe("feedTables", () => {
  test("price the native currency and the wrapped one of every chain in code alike", () => {
    for (const { chainId, wrappedNative } of knownChains) {
      const { tokens } = feedTables[chainId] ?? { tokens: [] };
      const native = tokens.find(({ token }) => token === zeroAddress);
      const wrapped = tokens.find(({ token }) => token.toLowerCase() === wrappedNative?.toLowerCase());
      expect(native?.feeds.length, String(chainId)).toBeGreaterThan(0);
      if (wrappedNative !== null) expect(wrapped?.feeds, String(chainId)).toEqual(native?.feeds);
    }
  });

  test("name each token once per chain, and each feed by a valid address", () => {
    for (const { chainId, feeds } of chains) {
      const tokens = feeds.tokens.map(({ token }) => token.toLowerCase());
      expect(new Set(tokens).size, String(chainId)).toBe(tokens.length);
      for (const feed of feeds.tokens.flatMap((row) => row.feeds)) {
        expect(feed.proxy).toBe(checksumAddress(feed.proxy));
      }
    }
  });

  test("lead every token to dollars", () => {
    for (const { token, feeds } of chains.flatMap((chain) => chain.feeds.tokens)) {
      const ends = feeds.map(({ pairs }) => (pairs[0] ?? "").split("/"));
      for (const [index, [, quote]] of ends.entries()) {
        expect(quote, token).toBe(ends[index + 1]?.[0] ?? "USD");
      }
    }
  });

  test("state sane heartbeats, deviations and decimals", () => {
    for (const feed of chains.flatMap((chain) => chain.feeds.tokens.flatMap((row) => row.feeds))) {
      expect(feed.heartbeatS).toBeGreaterThanOrEqual(27);
      expect(feed.heartbeatS).toBeLessThanOrEqual(86_400);
      expect(feed.deviationBps).toBeLessThanOrEqual(200);
      expect([8, 18]).toContain(feed.decimals);
    }
  });

  test("watch the sequencer where Chainlink does", () => {
    const watched = chains.filter(({ feeds }) => feeds.sequencer !== null).map(({ chainId }) => chainId);
    expect(watched).toEqual([10, 8453, 42161]);
  });
});

test("chainFeeds() refuses a token whose pair has no feed", () => {
  const tokens = [[zeroAddress, "ETH", "ETH/USD"]] as const;
  expect(() => chainFeeds({ sequencer: null, feeds: {}, tokens })).toThrow("no feed of ETH/USD");
});
