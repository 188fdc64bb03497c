import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../../src/providers/lifi/lifi-provider.ts";
import { answerOf } from "../../support/lifi/answers.ts";
import { fakeLifi, scopeOf } from "../../support/lifi/fake-lifi.ts";
import { callOf, INTEGRATOR, NATIVE, requestOf, tokens, USER } from "../../support/lifi/parts.ts";
import { scenarioOf } from "../../support/lifi/scenarios.ts";

const providerAt = (apiUrl: string) =>
  createLifi({ apiUrl, apiKey: null, integrator: INTEGRATOR, rateLimits: new RateLimitMemory() });

function routeOf(name: string, change: object = {}) {
  const { transactionRequest, transactionId, ...step } = answerOf(scenarioOf(name));
  const figures = { toAmount: "1", toAmountMin: "1", gasCostUSD: "0.1", fromAmountUSD: "100" };
  return { id: "r", ...figures, steps: [{ ...step, ...change }], tags: ["CHEAPEST"] };
}

const routes = (...list: object[]) => ({
  body: { routes: list, unavailableRoutes: { filteredOut: [], failed: [] } },
});

describe("quote()", () => {
  test("returns a quote for every route with one transaction", async () => {
    await using server = await fakeLifi(routes(routeOf("across, fee"), routeOf("stargate, fee")));
    const options = await providerAt(server.url).quote(scopeOf(), requestOf({}));
    expect(options).toEqual([
      {
        provider: "lifi",
        bridge: "across",
        bridgeName: "Across",
        bridgeLogo: "https://example.org/logos/tool.svg",
        toAmount: 99_740_000n,
        toAmountMin: 99_740_000n,
        declaredFee: 2_500_000n,
        nativeFee: 0n,
        estimatedSeconds: 3,
        gas: 500_000n,
        supportsCall: true,
        supportsPlain: true,
      },
      {
        provider: "lifi",
        bridge: "stargate",
        bridgeName: "Stargate",
        bridgeLogo: "https://example.org/logos/tool.svg",
        toAmount: 99_740_000n,
        toAmountMin: 99_241_300n,
        declaredFee: 2_500_000n,
        nativeFee: 110_000_000_000_000n,
        estimatedSeconds: 3,
        gas: 500_000n,
        supportsCall: true,
        supportsPlain: true,
      },
    ]);
    expect(server.received[0]).toMatchObject({ method: "POST", path: "/v1/advanced/routes" });
    expect(server.received[0]?.body).toEqual({
      fromChainId: 8453,
      toChainId: 42161,
      fromTokenAddress: tokens.usdc[8453],
      toTokenAddress: tokens.usdc[42161],
      fromAmount: "100000000",
      fromAddress: USER,
      toAddress: USER,
      options: {
        integrator: INTEGRATOR,
        slippage: 0.027,
        allowSwitchChain: false,
        allowDestinationCall: false,
        bridges: {
          allow: [
            "across",
            "stargateV2",
            "stargateV2Bus",
            "celercircle",
            "polymerStandard",
            "celercirclefast",
            "polymer",
          ],
        },
      },
    });
  });

  test("returns only the best quote of a bridge with several tools", async () => {
    const figures = (toAmountMin: string) => {
      const { estimate } = answerOf(scenarioOf("celer, fee")) as { estimate: object };
      return { estimate: { ...estimate, toAmountMin } };
    };
    const [celer, polymer] = ["99600001", "99600003"].map(figures);
    const list = [
      routeOf("celer, fee", celer),
      routeOf("celer, fee", { ...polymer, tool: "polymerStandard" }),
      routeOf("celer, fee", { ...figures("99600002"), tool: "celercirclefast" }),
    ];
    await using server = await fakeLifi(routes(...list));
    const { request } = scenarioOf("celer, fee");
    const options = await providerAt(server.url).quote(scopeOf(), request);
    expect(options.map(({ bridge, toAmountMin }) => [bridge, toAmountMin])).toEqual([
      ["cctp", 99_600_003n],
      ["cctp_fast", 99_600_002n],
    ]);
  });

  test("quotes wrapped native money as native money, since Across delivers it only into a call", async () => {
    const step = routeOf("across, fee").steps[0] as { action: object };
    const action = {
      ...step.action,
      fromChainId: 1,
      toChainId: 8453,
      fromToken: { chainId: 1, address: NATIVE, symbol: "ETH", decimals: 18 },
      toToken: { chainId: 8453, address: NATIVE, symbol: "ETH", decimals: 18 },
    };
    await using server = await fakeLifi(routes(routeOf("across, fee", { action })));
    const chains = { fromChainId: 1, toChainId: 8453 };
    const request = requestOf({ ...chains, fromToken: NATIVE, toToken: tokens.weth[8453] });
    const [option] = await providerAt(server.url).quote(scopeOf(), request);
    expect(server.received[0]?.body).toMatchObject({
      toTokenAddress: NATIVE,
      options: { bridges: { allow: ["across"] } },
    });
    expect(option).toMatchObject({ bridge: "across", supportsCall: true, supportsPlain: false });
  });

  test("says that Across wraps native money for an account with code", async () => {
    await using server = await fakeLifi(routes(routeOf("across, native")));
    const { request } = scenarioOf("across, native");
    const [option] = await providerAt(server.url).quote(scopeOf(), request);
    expect(option).toMatchObject({ bridge: "across", supportsPlain: true, wrapsNative: true });
  });

  test("names no bridge for a swap on one chain", async () => {
    await using server = await fakeLifi(routes(routeOf("swap, tokens")));
    const { request } = scenarioOf("swap, tokens");
    const [option] = await providerAt(server.url).quote(scopeOf(), request);
    expect(option).toMatchObject({ bridge: null, bridgeName: null, bridgeLogo: null });
    expect(server.received[0]?.body).not.toHaveProperty("options.bridges");
  });

  test("sends no request for a call that takes the paid token itself", async () => {
    await using server = await fakeLifi(routes());
    const { request } = scenarioOf("execute");
    const [option] = await providerAt(server.url).quote(scopeOf(), request);
    expect(option).toMatchObject({ toAmount: request.amount, toAmountMin: request.amount });
    expect(server.received).toHaveLength(0);
  });

  test("requests only bridges that can make a destination call", async () => {
    await using server = await fakeLifi(routes(routeOf("across, fee")));
    await providerAt(server.url).quote(scopeOf(), requestOf({ call: callOf(1n) }));
    expect(server.received[0]?.body).toMatchObject({
      options: { bridges: { allow: ["across", "stargateV2"] } },
    });
  });

  test("omits displayed texts of an unexpected shape", async () => {
    const estimate = answerOf(scenarioOf("across, fee"))["estimate"] as object;
    const odd = routeOf("across, fee", {
      toolDetails: { name: "<b>Across</b>", logoURI: "javascript:alert(1)" },
      estimate: {
        ...estimate,
        gasCosts: [{ estimate: "much" }],
        executionDuration: null,
      },
    });
    await using server = await fakeLifi(routes(odd));
    const [option] = await providerAt(server.url).quote(scopeOf(), requestOf({}));
    expect(option).toMatchObject({
      bridgeName: "Across",
      bridgeLogo: null,
      gas: null,
      estimatedSeconds: null,
    });
  });

  const shown: readonly object[] = [
    { toolDetails: null },
    { toolDetails: { name: 7, logoURI: 7 } },
    ...[
      { fromAmountUSD: 1 },
      { toAmountUSD: {} },
      { gasCosts: "none" },
      { gasCosts: [{ estimate: null }] },
    ].map((estimate) => ({ estimate })),
    { estimate: { executionDuration: "soon" } },
  ];

  test.each(shown)("accepts a route with a displayed field of another shape: %j", async (odd) => {
    const { estimate = {}, ...change } = odd as { estimate?: object };
    const own = answerOf(scenarioOf("across, fee"))["estimate"] as object;
    const route = routeOf("across, fee", { ...change, estimate: { ...own, ...estimate } });
    await using server = await fakeLifi(routes(route));
    const options = await providerAt(server.url).quote(scopeOf(), requestOf({}));
    expect(options).toMatchObject([{ bridge: "across", toAmountMin: 99_740_000n }]);
  });

  test("skips an unreadable route and keeps the others", async () => {
    const { action: _, ...unread } = routeOf("across, fee").steps[0] ?? {};
    const list = [{ steps: [unread] }, routeOf("stargate, fee"), "none", { steps: [] }];
    await using server = await fakeLifi({ body: { routes: list } });
    const options = await providerAt(server.url).quote(scopeOf(), requestOf({}));
    expect(options.map(({ bridge }) => bridge)).toEqual(["stargate"]);
  });
});

describe("quote() without routes", () => {
  test("throws no_route with the reasons of the tools", async () => {
    const failed = [{ overallPath: "x", subpaths: { y: [{ code: "AMOUNT_TOO_LOW", tool: "across" }] } }];
    await using server = await fakeLifi({
      body: { routes: [], unavailableRoutes: { filteredOut: [], failed } },
    });
    const promise = providerAt(server.url).quote(scopeOf(), requestOf({}));
    await expect(promise).rejects.toMatchObject({
      code: "no_route",
      members: { reasons: [{ code: "amount_too_low" }] },
    });
  });
});

describe("quote() with hostile routes", () => {
  test("rejects routes with two transactions, other tools, other tokens or impossible amounts", async () => {
    const estimate = answerOf(scenarioOf("across, fee"))["estimate"] as object;
    const twice = routeOf("across, fee");
    twice.steps.push(...twice.steps);
    const hostile = [
      twice,
      routeOf("across, fee", { tool: "relaydepository" }),
      routeOf("across, native"),
      routeOf("across, fee", { estimate: { ...estimate, toAmountMin: "0" } }),
      routeOf("across, fee", { estimate: { ...estimate, toAmount: "1" } }),
      { steps: "none" },
    ];
    await using server = await fakeLifi(routes(...hostile));
    const failure = await providerAt(server.url)
      .quote(scopeOf(), requestOf({}))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ code: "upstream_rejected" });
  });
});
