import { zeroAddress } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import { createKyber } from "../../../src/providers/kyber/kyber-provider.ts";
import type { Provider, ProviderScope, TransferRequest } from "../../../src/providers/provider.ts";
import { type Reply, serveApi } from "../../support/across/emulator.ts";
import { call, failureOf, scopeOf, USER } from "../../support/across/stage.ts";
import {
  AMOUNT_OUT,
  ATTACKER,
  buildBody,
  deployment,
  routesBody,
  swapRequest,
} from "../../support/kyber/stage.ts";

const api = serveApi();
let scope: ProviderScope;
let kyber: Provider;
beforeEach(() => {
  scope = scopeOf();
  kyber = createKyber({ apiUrl: api.url, clientId: "causeway" });
});

const json = (body: unknown): Reply => ({ kind: "json", body });
/** Answers as the service does for a request, with changes to the route or the transaction. */
function serve(request: TransferRequest, change: { route?: object; build?: object } = {}): void {
  api.answer(({ method }) =>
    json(
      method === "GET" ? routesBody(request, { ...change.route }) : buildBody(request, { ...change.build }),
    ),
  );
}

describe("quote()", () => {
  test("asks for a route that a user has minutes to sign, and quotes its output less the slippage", async () => {
    serve(swapRequest());
    const quotes = await kyber.quote(scope, swapRequest());
    expect(quotes).toEqual([
      {
        provider: "kyber",
        bridge: null,
        bridgeName: null,
        bridgeLogo: null,
        toAmount: AMOUNT_OUT,
        toAmountMin: (AMOUNT_OUT * 97n) / 100n,
        declaredFee: 0n,
        nativeFee: 0n,
        estimatedSeconds: null,
        gas: 260_000n,
        supportsCall: false,
        supportsPlain: true,
      },
    ]);
    expect(api.requests).toMatchObject([
      {
        method: "GET",
        path: "/api/ethereum/api/v1/routes",
        query: { amountIn: "100000000", excludeRFQSources: "true", origin: USER },
      },
    ]);
  });

  test("names the native currency as KyberSwap does", async () => {
    const request = swapRequest({ fromToken: zeroAddress });
    serve(request);
    await kyber.quote(scope, request);
    expect(api.requests[0]?.query["tokenIn"]).toBe("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE");
  });

  test.each([
    ["amountIn", { amountIn: "1" }],
    ["tokenIn", { tokenIn: ATTACKER }],
    ["tokenOut", { tokenOut: ATTACKER }],
    ["amountOut", { amountOut: "0" }],
  ])("refuses a route with another %s", async (_field, route) => {
    serve(swapRequest(), { route });
    expect((await failureOf(kyber.quote(scope, swapRequest()))).code).toBe("upstream_rejected");
  });

  test("refuses a route through another router", async () => {
    const body = routesBody(swapRequest());
    api.replyWith(json({ ...body, data: { ...body.data, routerAddress: ATTACKER } }));
    expect((await failureOf(kyber.quote(scope, swapRequest()))).code).toBe("upstream_rejected");
  });

  test.each([null, undefined, -1, "NaN", "1".repeat(13)])("takes gas of %j for unknown", async (gas) => {
    serve(swapRequest(), { route: { gas } });
    expect(await kyber.quote(scope, swapRequest())).toMatchObject([{ gas: null }]);
  });
});

describe("build()", () => {
  test("sends the route back unchanged, with the user as sender and the router as recipient", async () => {
    serve(swapRequest());
    const built = await kyber.build(scope, swapRequest());
    expect(built).toMatchObject({
      transaction: { to: deployment.router, value: 0n },
      spender: deployment.router,
      executor: null,
      tool: "kyber",
      toAmount: AMOUNT_OUT,
    });
    expect(built.validSeconds).toBeGreaterThanOrEqual(180);
    const sent = JSON.parse(api.requests[1]?.body ?? "{}") as Record<string, unknown>;
    expect(sent).toMatchObject({
      routeSummary: routesBody(swapRequest()).data.routeSummary,
      sender: USER,
      recipient: deployment.router,
      slippageTolerance: 300,
    });
    expect(Number(sent["deadline"])).toBeGreaterThan(scope.now() / 1000 + built.validSeconds);
  });

  test("needs no approval for the native currency", async () => {
    const request = swapRequest({ fromToken: zeroAddress });
    serve(request);
    const built = await kyber.build(scope, request);
    expect(built.spender).toBeNull();
    expect(built.transaction.value).toBe(request.amount);
    expect(kyber.spenders(request)).toEqual([]);
  });

  test.each([
    [30_000_000n, 300],
    [99_999n, 0],
    [1_550_000n, 15],
    [500_000_000n, 2_000],
  ])("rounds a slippage of %s parts down to %i basis points, at most 20 %%", async (slippage, bps) => {
    serve(swapRequest(), { build: {} });
    await kyber.build(scope, swapRequest({ slippage })).catch(() => undefined);
    expect(JSON.parse(api.requests[1]?.body ?? "{}")).toMatchObject({ slippageTolerance: bps });
  });

  test("refuses a minimum below the user's own", async () => {
    serve(swapRequest());
    expect((await failureOf(kyber.build(scope, swapRequest({ slippage: 29_000_000n })))).code).toBe(
      "upstream_rejected",
    );
  });
});

describe("KyberSwap refuses without a request", () => {
  test.each<[string, Partial<TransferRequest>]>([
    ["a transfer to another chain", { toChainId: 42161 }],
    ["a chain that it does not serve", { fromChainId: 100, toChainId: 100 }],
    ["a destination call", { call }],
    ["a bridge", { bridges: ["across"] }],
    ["a token for itself", { toToken: swapRequest().fromToken }],
  ])("%s", async (_name, change) => {
    const request = swapRequest(change);
    expect((await failureOf(kyber.quote(scope, request))).code).toBe("no_route");
    expect((await failureOf(kyber.build(scope, request))).code).toBe("no_route");
    expect(api.requests).toEqual([]);
  });
});

test("status() never claims anything: a swap's receipt shows its result", async () => {
  const transfer = { txHash: `0x${"11".repeat(32)}`, fromChainId: 1, toChainId: 1, tool: "kyber" } as const;
  expect(await kyber.status(scope, transfer)).toMatchObject({ phase: "unknown", proof: null });
  const { swapChains, ...others } = kyber.capabilities();
  expect(others).toEqual({ bridges: [], swaps: true, destinationCall: false });
  expect(swapChains).toContain(1);
  expect(swapChains).not.toContain(100);
});

test("events() names the router's event of a swap for native payments, where KyberSwap is", () => {
  const topic = "0xd6d4f5681c246c9f42c203e287975af1601f8df8035a9251f79aab5c8f09e2f8";
  const contracts = [deployment.router];
  expect(kyber.events?.(1)).toEqual([
    { side: "source", contracts, topic, userTopic: null, nativeOnly: true },
  ]);
  expect(kyber.events?.(100)).toEqual([]);
});
