import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { resolveAcrossDeployments } from "../../../src/providers/across/across-deployments.ts";
import { findAcrossRoute } from "../../../src/providers/across/across-route.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import {
  deployments,
  failureOf,
  HANDLER,
  requestOf,
  routeOf,
  SPOKE_1,
  USDC_42161,
  WETH_1,
  WETH_42161,
} from "../../support/across/stage.ts";

const STRANGER: Address = "0x2222222222222222222222222222222222222222";

describe("findAcrossRoute()", () => {
  test("finds the same asset on the destination, with the handler making the call", () => {
    const route = routeOf(requestOf());
    expect(route).toMatchObject({ native: false, handler: HANDLER });
    expect(route.origin.spokePool).toBe(SPOKE_1);
    expect(route.output.address).toBe(USDC_42161);
  });

  test("delivers to the user without a destination call", () => {
    expect(routeOf(requestOf({ call: null })).handler).toBeNull();
  });

  test.each([zeroAddress, "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"] as const)(
    "pays native %s as the wrapped token",
    (fromToken) => {
      const route = routeOf(requestOf({ fromToken, toToken: WETH_42161 }));
      expect(route).toMatchObject({ native: true, input: { address: WETH_1 } });
    },
  );

  test("delivers wrapped native money through the handler, since the SpokePool would unwrap it", () => {
    expect(routeOf(requestOf({ fromToken: WETH_1, toToken: WETH_42161, call: null })).handler).toBe(HANDLER);
  });

  test("accepts bridged USDC as USDC", () => {
    const bridged: Address = "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8";
    expect(routeOf(requestOf({ toToken: bridged })).output.asset).toBe("USDC");
  });
});

const refusals: [name: string, change: Partial<TransferRequest>, reason: string][] = [
  ["another bridge", { bridges: ["stargate"] }, "bridge_excluded"],
  ["no bridge", { bridges: [] }, "bridge_excluded"],
  ["one chain", { toChainId: 1 }, "same_chain"],
  ["a source chain without Across", { fromChainId: 56 }, "chain_unsupported"],
  ["a destination chain without Across", { toChainId: 747474 }, "chain_unsupported"],
  ["an unknown token", { fromToken: STRANGER }, "asset_unsupported"],
  ["an unknown output", { toToken: STRANGER }, "asset_unsupported"],
  ["another asset", { toToken: WETH_42161 }, "asset_unsupported"],
  ["native as output", { fromToken: zeroAddress, toToken: zeroAddress }, "asset_unsupported"],
  ["native that is no bridged asset", { fromChainId: 137, fromToken: zeroAddress }, "asset_unsupported"],
];

test.each(refusals)("findAcrossRoute() throws no_route for %s", async (_, change, reason) => {
  const { code, reasons } = await failureOf(Promise.resolve().then(() => routeOf(requestOf(change))));
  expect([code, reasons]).toEqual(["no_route", [reason]]);
});

describe("findAcrossRoute() to a chain without a handler", () => {
  const token = { asset: "USDC", address: STRANGER, decimals: 6 };
  const weth = { asset: "WETH", address: HANDLER, decimals: 18 };
  const extra = {
    chainId: 31337,
    spokePool: SPOKE_1,
    multicallHandler: null,
    wrappedNative: weth.address,
    tokens: [token, weth],
  };
  const all = resolveAcrossDeployments([extra]);
  const ask = (change: Partial<TransferRequest>) =>
    findAcrossRoute(requestOf({ toChainId: 31337, toToken: STRANGER, ...change }), all);

  test("delivers without a destination call", () => {
    expect(ask({ call: null }).handler).toBeNull();
  });

  test.each<Partial<TransferRequest>>([{}, { fromToken: WETH_1, toToken: weth.address, call: null }])(
    "makes no calls",
    async (change) => {
      const { reasons } = await failureOf(Promise.resolve().then(() => ask(change)));
      expect(reasons).toEqual(["destination_call_unsupported"]);
    },
  );

  test("refuses native money when the wrapped token is unknown", () => {
    const without = resolveAcrossDeployments([{ ...extra, wrappedNative: null }]);
    const request = requestOf({ fromChainId: 31337, toChainId: 1, fromToken: zeroAddress, toToken: WETH_1 });
    expect(() => findAcrossRoute(request, without)).toThrow("no route");
    expect(deployments.has(31337)).toBe(false);
  });
});
