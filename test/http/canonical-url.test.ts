import { expect, test } from "vitest";
import { isCanonicalUrl } from "../../src/http/canonical-url.ts";

const ORIGIN = "https://causeway.example";
const NAMES = ["sort", "chain_id", "ids", "q", "min_tvl_usd", "cursor", "limit"];
const ADDRESS = `0x${"ab".repeat(20)}`;

test.each([
  "/",
  "/v1/vaults",
  `/v1/vaults/1:${ADDRESS}`,
  `/v1/vaults/1%3A${ADDRESS}`,
  "/v1/vaults?chain_id=1",
  "/v1/vaults?chain_id=1&sort=tvl_usd",
  "/v1/vaults?min_tvl_usd=0.5",
  `/v1/vaults?ids=1:${ADDRESS},2:${ADDRESS}`,
  `/v1/vaults?ids=1%3A${ADDRESS}%2C2%3A${ADDRESS}`,
  "/v1/vaults?q=prime+usdc",
  "/v1/vaults?cursor=WyIxOjB4YWIiXQ&limit=2",
])("%s is canonical", (path) => {
  expect(isCanonicalUrl(ORIGIN + path, NAMES)).toBe(true);
});

test.each([
  "/v1/Vaults",
  "/v1/vaults/",
  `/v1/vaults/1%3a${ADDRESS}`,
  `/v1/vaults/%31:${ADDRESS}`,
  `/v1/vaults/1:0x${"AB".repeat(20)}`,
  "/v1/vaults?",
  "/v1/vaults?sort=tvl_usd&chain_id=1",
  "/v1/vaults?chain_id=1&chain_id=1",
  "/v1/vaults?chain_id=01",
  "/v1/vaults?chain_id=",
  "/v1/vaults?chain_id",
  "/v1/vaults?chain_id=1&",
  "/v1/vaults?chain_id=%31",
  "/v1/vaults?unknown=1",
  "/v1/vaults?min_tvl_usd=1.50",
  "/v1/vaults?min_tvl_usd=1.",
  "/v1/vaults?sort=TVL_USD",
  "/v1/vaults?q=prime%20usdc",
  "/v1/vaults?q=+prime",
  "/v1/vaults?limit=2&cursor=WyIxOjB4YWIiXQ",
  "/v1/vaults?cursor=WyIxOjB4YWIiXQ==",
  "/v1/vaults?cursor=%57yIxOjB4YWIiXQ",
  `/v1/vaults?ids=2:${ADDRESS},1:${ADDRESS}`,
  `/v1/vaults?ids=1:${ADDRESS},1:${ADDRESS}`,
  `/v1/vaults?ids=1%3A${ADDRESS},2:${ADDRESS}`,
])("%s is another spelling", (path) => {
  expect(isCanonicalUrl(ORIGIN + path, NAMES)).toBe(false);
});
