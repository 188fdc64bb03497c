import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { feedPrices, feedQuery } from "../../../src/prices/feeds/chainlink-feed-reads.ts";
import type { FeedDefinition } from "../../../src/prices/feeds/price-feed.ts";
import { callsOf, contractsClient, head } from "../../support/chains/multicall.ts";
import {
  ETH_FEED,
  ETHER,
  type FakeFeed,
  feedContracts,
  feedPriceOf,
  RATE_FEED,
  SEQUENCER,
  STABLE,
  STAKED,
  testFeeds,
  USD_FEED,
} from "../../support/prices/fake-feeds.ts";

const USD = 10n ** 18n;
const chainId = head.chainId;

interface Asked {
  changes?: Readonly<Record<Address, FakeFeed>>;
  tokens?: readonly Address[];
  sequencer?: Address;
  confirmed?: readonly Address[];
}

/** Reads feeds in one request and judges them at the head. */
async function read({ changes, tokens = [ETHER, STABLE, STAKED], sequencer, confirmed = [] }: Asked) {
  const client = contractsClient(feedContracts(changes));
  const feeds = { ...testFeeds, sequencer: sequencer ?? null };
  const isConfirmed = (feed: FeedDefinition) => confirmed.includes(feed.proxy);
  const { value } = await runQuery(client, feedQuery({ chainId, feeds, tokens, isConfirmed }));
  const made = client.calls.flatMap(({ params }) => {
    const [{ data }] = params as [{ data: `0x${string}` }];
    return callsOf(data);
  });
  const { prices, unused } = feedPrices(value, head.timestamp);
  const usd = Object.fromEntries([...prices].map(([key, price]) => [key.split(":")[1], price.usd / USD]));
  return { value, prices, unused, usd, reads: made.length, requests: client.calls.length };
}

describe("feedQuery()", () => {
  test("reads round, decimals and description of each feed once, in one request", async () => {
    const { reads, requests, usd, unused } = await read({});
    expect({ reads, requests, usd, unused }).toEqual({
      ...{ reads: 9, requests: 1, unused: [] },
      usd: { [ETHER]: 2_000n, [STABLE]: 1n, [STAKED]: 2_400n },
    });
  });

  test("reads a confirmed feed's round only, and nothing for tokens without feeds", async () => {
    const confirmed = [ETH_FEED, USD_FEED, RATE_FEED];
    expect((await read({ confirmed })).reads).toBe(3);
    const unknown: Address = "0x9999999999999999999999999999999999999999";
    expect((await read({ tokens: [unknown], sequencer: SEQUENCER })).reads).toBe(0);
  });

  test("confirms the feeds that say what the table expects", async () => {
    const { value } = await read({ changes: { [USD_FEED]: { decimals: 18 } } });
    expect(value.confirmed).toEqual([ETH_FEED, RATE_FEED].map((feed) => feed.toLowerCase()));
    expect([...value.mismatches]).toEqual([[USD_FEED.toLowerCase(), "decimals"]]);
  });
});

test("feedQuery() uses a feed whose confirmation expires while its round is read", async () => {
  const left = new Set([ETH_FEED]);
  const isConfirmed = ({ proxy }: FeedDefinition): boolean => left.delete(proxy);
  const feeds = { ...testFeeds, sequencer: null };
  const query = feedQuery({ chainId, feeds, tokens: [ETHER], isConfirmed });
  const { value } = await runQuery(contractsClient(feedContracts()), query);
  expect(feedPrices(value, head.timestamp).unused).toEqual([]);
});

describe("feedPrices()", () => {
  test("keeps what judging needs: unit, error and whether the price can see a depeg", async () => {
    const { prices } = await read({});
    const at = head.timestamp - 60;
    expect(prices.get(`${chainId}:${STABLE}`)).toEqual(feedPriceOf(USD, { at, unit: "USD" }));
    expect(prices.get(`${chainId}:${STAKED}`)).toEqual(
      feedPriceOf(2_400n * USD, { at, unit: "ETH", judges: false, errorBps: 100 }),
    );
  });

  test.each<[string, FakeFeed]>([
    ["decimals", { decimals: 18 }],
    ["description", { description: "USDT / USD" }],
    ["unread", { reverts: true }],
    ["stale", { ageS: 5_701 }],
    ["not_positive", { answer: 0n }],
    ["not_positive", { answer: -(10n ** 8n) }],
    ["incomplete", { roundId: 8n, answeredInRound: 7n }],
    ["out_of_bounds", { answer: 2n ** 180n }],
    ["future", { ageS: -90 }],
  ])("leaves out the price of a feed that is %s: %o", async (problem, said) => {
    const { usd, unused } = await read({ changes: { [USD_FEED]: said } });
    expect(usd).toEqual({ [ETHER]: 2_000n, [STAKED]: 2_400n });
    expect(unused).toEqual([{ chainId, feed: USD_FEED.toLowerCase(), problem }]);
  });

  test("leaves out every price that a bad feed is a factor of", async () => {
    const { usd, unused } = await read({ changes: { [ETH_FEED]: { answer: 0n } } });
    expect([usd, unused.length]).toEqual([{ [STABLE]: 1n }, 1]);
  });

  test("has no price of nothing, the product of two tiny answers", async () => {
    const changes = { [RATE_FEED]: { answer: 10n ** 6n }, [ETH_FEED]: { answer: 1n } };
    expect((await read({ changes, tokens: [STAKED] })).prices.size).toBe(0);
  });

  test("says nothing of a sequencer where it prices nothing", async () => {
    expect((await read({ tokens: [], sequencer: SEQUENCER })).unused).toEqual([]);
  });

  test("shows a depeg", async () => {
    const { prices } = await read({ changes: { [USD_FEED]: { answer: 88_000_000n } } });
    expect(prices.get(`${chainId}:${STABLE}`)?.usd).toBe((USD * 88n) / 100n);
  });

  test("takes the time of the oldest factor", async () => {
    const { prices } = await read({ changes: { [RATE_FEED]: { ageS: 3_000 } } });
    expect(prices.get(`${chainId}:${STAKED}`)?.at).toBe(head.timestamp - 3_000);
  });

  test.each<[string, FakeFeed]>([
    ["is down", { answer: 1n }],
    ["has just come up", { startedAgeS: 1_799 }],
    ["is unread", { reverts: true }],
  ])("prices nothing while the sequencer %s", async (_what, said) => {
    const { prices, unused } = await read({ sequencer: SEQUENCER, changes: { [SEQUENCER]: said } });
    expect(prices.size).toBe(0);
    expect(unused).toEqual([{ chainId, feed: "sequencer", problem: "sequencer_down" }]);
  });

  test("prices again once the sequencer has been up for half an hour", async () => {
    const changes = { [SEQUENCER]: { startedAgeS: 1_800 } };
    expect((await read({ sequencer: SEQUENCER, changes })).prices.size).toBe(3);
  });
});
