import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { orderTargetTokens } from "../../src/deposits/deposit-target-tokens.ts";
import { sameBridgedAssetAs } from "../../src/providers/provider-bridged-assets.ts";
import type { Token } from "../../src/vaults/vault.ts";
import { OTHER, USDC, USER, WETH } from "../support/deposits/fixtures.ts";

const usdc: Token = { address: USDC, symbol: "USDC", decimals: 6 };
const usdt: Token = { address: OTHER, symbol: "USDT", decimals: 6 };
const dai: Token = { address: USER, symbol: "DAI", decimals: 18 };
const weth: Token = { address: WETH, symbol: "WETH", decimals: 18 };
const eth: Token = { address: zeroAddress, symbol: "ETH", decimals: 18 };

const order = (accepted: Token[], primary: Token, symbol: string) =>
  orderTargetTokens({ accepted, primary, symbol, same: () => false }).map((token) => token.symbol);

describe("orderTargetTokens()", () => {
  test("returns the only accepted token", () => {
    expect(order([usdc], usdc, "")).toEqual(["USDC"]);
    expect(order([usdc], usdc, "WBTC")).toEqual(["USDC"]);
  });

  test("ranks a token of the same symbol before the vault's asset, ignoring case", () => {
    expect(order([usdc, usdt, dai], usdc, "USDT")).toEqual(["USDT", "USDC"]);
    expect(order([usdc, usdt, dai], usdc, "usdt")).toEqual(["USDT", "USDC"]);
  });

  test("lists the vault's asset once", () => {
    expect(order([usdc, usdt], usdc, "USDC")).toEqual(["USDC"]);
  });

  test("omits other accepted tokens, which need one more swap", () => {
    expect(order([usdc, usdt, dai], usdc, "WBTC")).toEqual(["USDC"]);
  });

  test("ranks native money last", () => {
    expect(order([weth, eth], weth, "WETH")).toEqual(["WETH", "ETH"]);
    expect(order([weth, eth], weth, "ETH")).toEqual(["WETH", "ETH"]);
  });

  test("matches no token without a symbol", () => {
    const nameless = { ...dai, symbol: "" };
    expect(order([usdc, nameless], usdc, "")).toEqual(["USDC"]);
  });

  test("ranks a token that bridges treat as the same asset first", () => {
    const same = (address: string) => address === usdt.address;
    const accepted = [usdc, usdt, dai];
    const symbols = (symbol: string) =>
      orderTargetTokens({ accepted, primary: usdc, symbol, same }).map((token) => token.symbol);
    expect(symbols("USD₮0")).toEqual(["USDT", "USDC"]);
    expect(symbols("DAI")).toEqual(["DAI", "USDT", "USDC"]);
  });

  test("treats Arbitrum's USD₮0 and Ethereum's USDT as the same asset", () => {
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
