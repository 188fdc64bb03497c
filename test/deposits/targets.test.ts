import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { orderTargets } from "../../src/deposits/targets.ts";
import type { Token } from "../../src/vaults/vault.ts";
import { OTHER, USDC, USER, WETH } from "./fixtures.ts";

const usdc: Token = { address: USDC, symbol: "USDC", decimals: 6 };
const usdt: Token = { address: OTHER, symbol: "USDT", decimals: 6 };
const dai: Token = { address: USER, symbol: "DAI", decimals: 18 };
const weth: Token = { address: WETH, symbol: "WETH", decimals: 18 };
const eth: Token = { address: zeroAddress, symbol: "ETH", decimals: 18 };

const order = (accepted: Token[], primary: Token, symbol: string) =>
  orderTargets({ accepted, primary, symbol }).map((token) => token.symbol);

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
});
