import { getAddress, numberToHex, zeroAddress } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import type { Provider, ProviderScope, TransferRequest } from "../../../src/providers/provider.ts";
import { createVelora } from "../../../src/providers/velora/velora-provider.ts";
import { type Reply, serveApi } from "../../support/across/emulator.ts";
import { call, failureOf, fakeChain, scopeOf, USER } from "../../support/across/stage.ts";
import { answerMulticall } from "../../support/chains/multicall.ts";
import {
  AMOUNT_OUT,
  ATTACKER,
  deployment,
  fieldsData,
  GNOSIS,
  pricesBody,
  swapBody,
  swapRequest,
  USDC_100,
} from "../../support/velora/stage.ts";

const api = serveApi();
let scope: ProviderScope;
let velora: Provider;
let chain: ReturnType<typeof fakeChain>;
beforeEach(() => {
  chain = chainWith(({ to }) => (to === USDC_100 ? 6 : 18));
  scope = scopeOf([chain]);
  velora = createVelora({ apiUrl: api.url });
});

/** A chain whose tokens have decimals; null for an address that has none. */
const chainWith = (decimalsOf: (token: { to: string }) => number | null) =>
  fakeChain(GNOSIS, {
    eth_call: ([transaction]) =>
      answerMulticall((transaction as { data: `0x${string}` }).data, {
        block: { chainId: GNOSIS, number: 1, timestamp: 1 },
        contracts: (read) => {
          const decimals = decimalsOf(read);
          if (decimals === null) return { ok: false, data: "0x" };
          return { ok: true, data: numberToHex(decimals, { size: 32 }) };
        },
      }),
  });

const json = (body: unknown): Reply => ({ kind: "json", body });
/** Answers as the service does for a request, with changes to the price or the transaction. */
function serve(request: TransferRequest, changes: Parameters<typeof swapBody>[1] = {}): void {
  api.answer(({ path }) =>
    json(path.endsWith("/swap") ? swapBody(request, changes) : pricesBody(request, changes.route)),
  );
}

describe("quote()", () => {
  test("asks for the price of the generic function, and quotes what the router will guarantee", async () => {
    serve(swapRequest());
    expect(await velora.quote(scope, swapRequest())).toEqual([
      {
        provider: "velora",
        bridge: null,
        bridgeName: null,
        bridgeLogo: null,
        toAmount: AMOUNT_OUT,
        toAmountMin: (AMOUNT_OUT * 9_701n) / 10_000n - 1n,
        declaredFee: 0n,
        nativeFee: 0n,
        estimatedSeconds: null,
        gas: 240_000n,
        supportsCall: false,
        supportsPlain: true,
      },
    ]);
    const { path, query } = api.requests[0] ?? {};
    expect(path).toBe("/api/prices");
    expect(query).toEqual({
      srcToken: swapRequest().fromToken,
      srcDecimals: "6",
      destToken: swapRequest().toToken,
      destDecimals: "18",
      amount: "100000000",
      side: "SELL",
      network: "100",
      version: "6.2",
      includeContractMethods: "swapExactAmountIn",
      ignoreBadUsdPrice: "true",
    });
  });

  test("reads decimals once, both in one request, and none of the native currency", async () => {
    const request = swapRequest();
    serve(request);
    await velora.quote(scope, request);
    await velora.quote(scope, request);
    expect(chain.asked).toHaveLength(1);
    const native = swapRequest({ fromToken: zeroAddress });
    serve(native);
    await velora.quote(scope, native);
    expect(chain.asked).toHaveLength(1);
    expect(api.requests.at(-1)?.query).toMatchObject({
      srcToken: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
      srcDecimals: "18",
    });
  });

  test("knows the decimals of a pair of which one token was read long before the other", async () => {
    api.answer(({ query }) => {
      const [fromToken, toToken] = [getAddress(query.srcToken ?? ""), getAddress(query.destToken ?? "")];
      return json(pricesBody(swapRequest({ fromToken, toToken })));
    });
    const token = (number: number) => numberToHex(number + 1, { size: 20 });
    const quote = (from: number, to: number) =>
      velora.quote(scope, swapRequest({ fromToken: token(from), toToken: token(to) }));
    for (let pair = 0; pair < 500; pair += 1) await quote(2 * pair, 2 * pair + 1);
    expect(chain.asked).toHaveLength(500);
    expect(await quote(0, 1_000)).toHaveLength(1);
    expect(await quote(2, 1_001)).toHaveLength(1);
    expect(chain.asked).toHaveLength(502);
  });

  test("refuses a token without decimals, and is unavailable with its chain", async () => {
    scope = scopeOf([chainWith(() => null)]);
    expect(await failureOf(velora.quote(scope, swapRequest()))).toMatchObject({
      code: "no_route",
      reasons: ["token_unknown"],
    });
    scope = scopeOf([fakeChain(GNOSIS, {})]);
    expect((await failureOf(velora.quote(scope, swapRequest()))).code).toBe("upstream_unavailable");
    scope = scopeOf();
    expect((await failureOf(velora.quote(scope, swapRequest()))).code).toBe("no_route");
    expect(api.requests).toEqual([]);
  });

  test.each([
    ["amount", { srcAmount: "1" }],
    ["source token", { srcToken: ATTACKER }],
    ["output token", { destToken: ATTACKER }],
    ["output", { destAmount: "0" }],
    ["chain", { network: 1 }],
    ["router", { contractAddress: ATTACKER }],
    ["function", { contractMethod: "swapExactAmountInOnUniswapV3" }],
  ])("refuses a price with another %s", async (_field, route) => {
    serve(swapRequest(), { route });
    expect((await failureOf(velora.quote(scope, swapRequest()))).code).toBe("upstream_rejected");
  });

  test("has no quote for an output of which nothing is left", async () => {
    serve(swapRequest(), { route: { destAmount: "1" } });
    expect((await failureOf(velora.quote(scope, swapRequest()))).reasons).toEqual(["no_quote"]);
  });

  test.each([null, undefined, -1, "NaN", "1".repeat(13)])("takes gas of %j for unknown", async (gasCost) => {
    serve(swapRequest(), { route: { gasCost } });
    expect(await velora.quote(scope, swapRequest())).toMatchObject([{ gas: null }]);
  });
});

describe("build()", () => {
  test("asks for price and transaction in one request, with the user as sender and receiver", async () => {
    serve(swapRequest());
    const built = await velora.build(scope, swapRequest());
    expect(built).toMatchObject({
      transaction: { to: deployment.router, value: 0n },
      spender: deployment.router,
      executor: null,
      tool: "velora",
      swaps: true,
      toAmount: AMOUNT_OUT,
    });
    expect(built.validSeconds).toBeGreaterThanOrEqual(180);
    expect(api.requests).toMatchObject([
      { path: "/api/swap", query: { userAddress: USER, receiver: USER, slippage: "299" } },
    ]);
    expect(Object.keys(api.requests[0]?.query ?? {}).filter((name) => /partner|permit/.test(name))).toEqual(
      [],
    );
  });

  test("needs no approval for the native currency", async () => {
    const request = swapRequest({ fromToken: zeroAddress });
    serve(request);
    const built = await velora.build(scope, request);
    expect(built.spender).toBeNull();
    expect(built.transaction.value).toBe(request.amount);
    expect(velora.spenders(request)).toEqual([]);
  });

  test.each([
    [30_000_000n, "299"],
    [30_000_001n, "300"],
    [99_999n, "0"],
    [1_000_000n, "9"],
    [0n, "0"],
  ])("asks for less than a slippage of %s parts: %s basis points", async (slippage, bps) => {
    serve(swapRequest());
    await velora.build(scope, swapRequest({ slippage })).catch(() => undefined);
    expect(api.requests[0]?.query["slippage"]).toBe(bps);
  });

  test("refuses a minimum below the user's own, and another receiver", async () => {
    serve(swapRequest());
    const strict = swapRequest({ slippage: 29_000_000n });
    expect((await failureOf(velora.build(scope, strict))).code).toBe("upstream_rejected");
    serve(swapRequest(), { change: { data: fieldsData(swapRequest(), { beneficiary: ATTACKER }) } });
    expect((await failureOf(velora.build(scope, swapRequest()))).code).toBe("upstream_rejected");
  });
});

describe("Velora refuses without a request", () => {
  test.each<[string, Partial<TransferRequest>]>([
    ["a transfer to another chain", { toChainId: 42161 }],
    ["a chain that KyberSwap serves", { fromChainId: 1, toChainId: 1 }],
    ["a chain that it does not serve", { fromChainId: 747474, toChainId: 747474 }],
    ["a destination call", { call }],
    ["a bridge", { bridges: ["across"] }],
    ["a token for itself", { toToken: swapRequest().fromToken }],
  ])("%s", async (_name, change) => {
    const request = swapRequest(change);
    expect((await failureOf(velora.quote(scope, request))).code).toBe("no_route");
    expect((await failureOf(velora.build(scope, request))).code).toBe("no_route");
    expect(api.requests).toEqual([]);
    expect(chain.asked).toEqual([]);
  });
});

test("status() never claims anything: a swap's receipt shows its result", async () => {
  const transfer = {
    txHash: `0x${"11".repeat(32)}`,
    fromChainId: 100,
    toChainId: 100,
    tool: "velora",
  } as const;
  expect(await velora.status(scope, transfer)).toMatchObject({ phase: "unknown", proof: null });
  expect(velora.capabilities()).toEqual({
    bridges: [],
    swaps: true,
    swapChains: [100],
    destinationCall: false,
  });
});
