import { describe, expect, test } from "vitest";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { acceptedTokens } from "../../src/vaults/vault-deposit-entry.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { native, OTHER, USDC, VAULT, vault, WETH, wethVault } from "../support/deposits/fixtures.ts";

const router = { via: "router", address: depositRouterAddress } as const;
const user = { via: "user", address: VAULT } as const;

describe("acceptedTokens()", () => {
  const symbols = (own: typeof vault, entry: typeof router | typeof user, chain = testChain) =>
    acceptedTokens(own, { chain, entry }).map(({ symbol }) => symbol);
  const dai = { address: OTHER, symbol: "DAI", decimals: 18 };

  test("lists the asset first and no token twice", () => {
    expect(symbols(vault, router)).toEqual(["USDC"]);
    expect(symbols({ ...vault, acceptedAssets: [dai] }, router)).toEqual(["USDC", "DAI"]);
    const lower = { ...vault.asset, address: USDC.toLowerCase() as typeof USDC };
    expect(symbols({ ...vault, acceptedAssets: [dai, lower] }, router)).toEqual(["DAI", "USDC"]);
  });

  test("includes native money when the Router can wrap it into the asset", () => {
    expect(acceptedTokens(wethVault, { chain: testChain, entry: router }).at(-1)).toEqual(native);
    expect(symbols(wethVault, user)).toEqual(["WETH"]);
    expect(symbols(wethVault, router, { ...testChain, wrappedNative: null })).toEqual(["WETH"]);
    expect(symbols({ ...wethVault, asset: { ...wethVault.asset, address: OTHER } }, router)).toEqual([
      "WETH",
    ]);
    expect(wethVault.asset.address).toBe(WETH);
  });
});
