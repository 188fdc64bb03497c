import { expect, test } from "vitest";
import { toTokenList } from "../../src/listings/list-tokens.ts";
import type { TokenSummary } from "../../src/schemas/token-schema.ts";
import { TokenListRules } from "../support/standards/token-list-rules.ts";

const token = (own: Partial<TokenSummary>): TokenSummary => ({
  ...{ chain_id: 42161, address: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", decimals: 6 },
  ...{ symbol: "USDC", name: "USD Coin", price_usd: "1.00", price_source: "feed", price_at: null },
  ...own,
});
const listOf = (tokens: TokenSummary[]) => toTokenList(tokens, { chainId: 42161, now: 1_790_000_000_000 });

test("toTokenList() converts tokens to a valid list", () => {
  const list = listOf([token({})]);
  expect(TokenListRules.parse(list)).toEqual(list);
  expect(list).toMatchInlineSnapshot(`
    {
      "name": "Causeway 42161",
      "timestamp": "2026-09-21T14:00:00.000Z",
      "tokens": [
        {
          "address": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
          "chainId": 42161,
          "decimals": 6,
          "name": "USD Coin",
          "symbol": "USDC",
        },
      ],
      "version": {
        "major": 1,
        "minor": 0,
        "patch": 497222,
      },
    }
  `);
});

test.each([
  ["a name of 128 characters", { name: "n".repeat(128) }, "n".repeat(60)],
  ["a name that would be cut within a character", { name: `${"n".repeat(59)}😀` }, "n".repeat(59)],
  ["no name", { name: "", symbol: "USD\u20ae0" }, "USD\u20ae0"],
  ["a name with other kinds of space", { name: "USD\u00a0Coin" }, "USD Coin"],
])("toTokenList() makes a valid entry of a token with %s", (_what, own, name) => {
  const list = listOf([token(own)]);
  expect(TokenListRules.parse(list).tokens).toMatchObject([{ name }]);
});

test("toTokenList() leaves out the native currency and symbols that no list may have", () => {
  const native = token({ address: "0x0000000000000000000000000000000000000000", symbol: "ETH" });
  expect(listOf([native, token({ symbol: "S".repeat(21) }), token({})]).tokens).toHaveLength(1);
});

test("toTokenList() gives equal lists of one version equal bytes, and the next hour's another version", () => {
  const at = (now: number) => toTokenList([token({})], { chainId: 42161, now });
  const hour = 1_789_999_200_000;
  expect(at(hour + 3_599_999)).toEqual(at(hour));
  expect(at(hour + 3_600_000).version.patch).toBe(at(hour).version.patch + 1);
  expect(at(hour).timestamp).toBe("2026-09-21T14:00:00.000Z");
});
