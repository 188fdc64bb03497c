import { expect, test } from "vitest";
import { listPrices } from "../../src/listings/list-prices.ts";
import { contractsClient, head } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { ETHER, feedContracts, STABLE, testFeeds, USD_FEED } from "../support/prices/fake-feeds.ts";

const { chainId, timestamp } = head;
const unknown = { usd: null, source: null, at: null, confidence: null };

test("listPrices() answers once per token, in order, with null for what is unknown", async () => {
  const client = contractsClient(feedContracts({ [USD_FEED]: { answer: 99_991_200n } }));
  const config = { prices: { apiUrl: null, feeds: new Map([[chainId, testFeeds]]) } } as never;
  const ctx = testContext({ clients: [client], config });
  const tokens = [
    { chainId, address: STABLE },
    { chainId: 5, address: STABLE },
    { chainId, address: ETHER },
    { chainId, address: STABLE },
  ];
  const at = new Date((timestamp - 60) * 1000).toISOString();
  const feed = { source: "feed", at, confidence: null };
  expect(await listPrices(ctx, tokens)).toEqual([
    { chain_id: chainId, address: STABLE, usd: "0.999912", ...feed },
    { chain_id: 5, address: STABLE, ...unknown },
    { chain_id: chainId, address: ETHER, usd: "2000.00", ...feed },
  ]);
  expect(client.calls).toHaveLength(1);
});

test("listPrices() answers with nulls when the chain is down", async () => {
  const client = contractsClient(() => {
    throw new Error("down");
  });
  const config = { prices: { apiUrl: null, feeds: new Map([[chainId, testFeeds]]) } } as never;
  const ctx = testContext({ clients: [client], config });
  expect(await listPrices(ctx, [{ chainId, address: STABLE }])).toEqual([
    { chain_id: chainId, address: STABLE, ...unknown },
  ]);
});
