import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { isTokenRefusal } from "../../../src/deposits/build/preflight.ts";
import { orderTargetTokens } from "../../../src/deposits/build/target-tokens.ts";
import { AppError, type ErrorCode } from "../../../src/errors.ts";
import { sameBridgedAssetAs } from "../../../src/providers/bridged-assets.ts";
import type { Token } from "../../../src/vaults/vault.ts";
import { OTHER, USDC, USER, WETH } from "../../support/deposits/fixtures.ts";

const usdc: Token = { address: USDC, symbol: "USDC", decimals: 6 };
const usdt: Token = { address: OTHER, symbol: "USDT", decimals: 6 };
const dai: Token = { address: USER, symbol: "DAI", decimals: 18 };
const weth: Token = { address: WETH, symbol: "WETH", decimals: 18 };
const eth: Token = { address: zeroAddress, symbol: "ETH", decimals: 18 };

const order = (accepted: Token[], primary: Token, symbol: string) =>
  orderTargetTokens({ accepted, primary, symbol, same: () => false }).map((token) => token.symbol);

describe("in which token a transfer arrives", () => {
  test("the only one", () => {
    expect(order([usdc], usdc, "")).toEqual(["USDC"]);
    expect(order([usdc], usdc, "WBTC")).toEqual(["USDC"]);
  });

  test("that of the same symbol before the vault's own asset, whatever the case", () => {
    expect(order([usdc, usdt, dai], usdc, "USDT")).toEqual(["USDT", "USDC"]);
    expect(order([usdc, usdt, dai], usdc, "usdt")).toEqual(["USDT", "USDC"]);
  });

  test("the vault's own asset once", () => {
    expect(order([usdc, usdt], usdc, "USDC")).toEqual(["USDC"]);
  });

  test("never another of the accepted ones: that would be one more swap", () => {
    expect(order([usdc, usdt, dai], usdc, "WBTC")).toEqual(["USDC"]);
  });

  test("native last, for it cannot be deposited by a bridge", () => {
    expect(order([weth, eth], weth, "WETH")).toEqual(["WETH", "ETH"]);
    expect(order([weth, eth], weth, "ETH")).toEqual(["WETH", "ETH"]);
  });

  test("a token without a symbol is like no other", () => {
    const nameless = { ...dai, symbol: "" };
    expect(order([usdc, nameless], usdc, "")).toEqual(["USDC"]);
  });

  test("that which bridges know as the same asset, whatever its name there", () => {
    const same = (address: string) => address === usdt.address;
    const accepted = [usdc, usdt, dai];
    const symbols = (symbol: string) =>
      orderTargetTokens({ accepted, primary: usdc, symbol, same }).map((token) => token.symbol);
    expect(symbols("USD₮0")).toEqual(["USDT", "USDC"]);
    expect(symbols("DAI")).toEqual(["DAI", "USDT", "USDC"]);
  });

  test("Arbitrum's USD₮0 is Ethereum's USDT, and no token that nobody bridges", () => {
    const same = sameBridgedAssetAs(
      { chainId: 42161, token: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9" },
      1,
    );
    expect(same("0xdAC17F958D2ee523a2206206994597C13D831ec7")).toBe(true);
    expect(same("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")).toBe(false);
    const unknown = sameBridgedAssetAs({ chainId: 42161, token: OTHER }, 1);
    expect(unknown(USER)).toBe(false);
    expect(unknown("0xdAC17F958D2ee523a2206206994597C13D831ec7")).toBe(false);
  });
});

describe("another of the vault's tokens may do", () => {
  test.each<[ErrorCode, boolean]>([
    ["vault_paused", true],
    ["token_unsupported", true],
    ["below_minimum", true],
    ["above_maximum", true],
    ["price_stale", true],
    ["price_unsafe", true],
    ["zero_shares", true],
    ["not_allowed", false],
    ["share_locked", false],
    ["would_revert", false],
    ["upstream_unavailable", false],
  ])("after %s: %s", (code, may) => {
    expect(isTokenRefusal(new AppError(code, ""))).toBe(may);
  });
});
