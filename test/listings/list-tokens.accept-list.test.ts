import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { acceptTokenList } from "../../src/listings/list-tokens.ts";
import type { ListedToken } from "../../src/providers/provider.ts";
import { OTHER, USDC, USER, vault, WETH } from "../support/deposits/fixtures.ts";

const own = [vault.asset];
const token = (address: Address, change: Partial<ListedToken> = {}): ListedToken => ({
  chainId: 8453,
  address,
  symbol: "DAI",
  name: "Dai",
  decimals: 18,
  ...change,
});
const usdc = token(USDC, { symbol: "USDC", name: "USD Coin", decimals: 6 });
const accepted = (...listed: ListedToken[]) =>
  acceptTokenList(listed, own)?.map(({ address }) => address) ?? "refused";

describe("acceptTokenList()", () => {
  test("returns a plausible list unchanged", () => {
    expect(accepted(usdc, token(OTHER), token(WETH, { symbol: "USD₮0" }))).toEqual([USDC, OTHER, WETH]);
  });

  test("leaves out an impostor with the symbol of an own token", () => {
    expect(accepted(usdc, token(OTHER, { symbol: "usdc" }))).toEqual([USDC]);
  });

  test.each<[string, Partial<ListedToken>]>([
    ["no symbol", { symbol: "" }],
    ["a long symbol", { symbol: "X".repeat(33) }],
    ["a symbol that turns the text around", { symbol: "\u202ECDSU" }],
    ["a line break in the symbol", { symbol: "DA\nI" }],
    ["a control character in the name", { name: "D\u0000ai" }],
    ["a long name", { name: "D".repeat(129) }],
    ["more decimals than make sense", { decimals: 77 }],
    ["the address of native", { address: zeroAddress }],
  ])("leaves out a token with %s", (_name, change) => {
    expect(accepted(usdc, token(OTHER, change))).toEqual([USDC]);
  });

  test("cuts a list at 500 tokens", () => {
    const address = (index: number): Address => `0x${index.toString(16).padStart(40, "0")}`;
    const many = Array.from({ length: 2_000 }, (_, index) =>
      token(address(index + 1), { symbol: `T${index}` }),
    );
    expect(accepted(...many)).toHaveLength(500);
  });
});

describe("acceptTokenList() rejects a list that", () => {
  test("repeats an address", () => {
    expect(accepted(usdc, token(USER), token(USER, { decimals: 6 }))).toBe("refused");
  });

  test("contradicts the decimals of an own token", () => {
    expect(accepted({ ...usdc, decimals: 18 }, token(OTHER))).toBe("refused");
  });
});
