import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../../src/providers/lifi/lifi-provider.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { answerOf } from "../../support/lifi/answers.ts";
import { fakeLifi, scopeOf } from "../../support/lifi/fake-lifi.ts";
import {
  ATTACKER,
  callOf,
  DIAMOND,
  INTEGRATOR,
  NATIVE,
  NOW,
  ROUTER,
  requestOf,
  tokens,
  USER,
} from "../../support/lifi/parts.ts";
import { scenarioOf } from "../../support/lifi/scenarios.ts";

const providerAt = (apiUrl: string) =>
  createLifi({ apiUrl, apiKey: null, integrator: INTEGRATOR, rateLimits: new RateLimitMemory() });
const scope = () => scopeOf(() => NOW * 1000);

async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error(`no failure of ours: ${String(error)}`);
}

describe("build()", () => {
  test("requests a plain quote over verifiable bridges and returns the verified transaction", async () => {
    const scenario = scenarioOf("across, fee");
    const answer = answerOf(scenario);
    await using server = await fakeLifi({ body: answer });
    const here = scope();
    const built = await providerAt(server.url).build(here, scenario.request);
    expect(server.received[0]).toMatchObject({
      method: "GET",
      path: "/v1/quote",
      query: {
        fromChain: "8453",
        toChain: "42161",
        fromToken: tokens.usdc[8453],
        toToken: tokens.usdc[42161],
        fromAmount: "100000000",
        fromAddress: USER,
        toAddress: USER,
        slippage: "0.027",
        integrator: INTEGRATOR,
        allowDestinationCall: "false",
        skipSimulation: "true",
        allowBridges: "across,stargateV2,stargateV2Bus,celercircle,polymerStandard,celercirclefast,polymer",
      },
    });
    const { data } = answer["transactionRequest"] as { data: string };
    expect(built).toEqual({
      provider: "lifi",
      bridge: "across",
      bridgeName: "Across",
      bridgeLogo: "https://example.org/logos/tool.svg",
      toAmount: 99_740_000n,
      // The multiplier loses a unit, and the promise with it.
      toAmountMin: 99_739_999n,
      declaredFee: 2_500_000n,
      estimatedSeconds: 3,
      gas: 500_000n,
      supportsCall: false,
      supportsPlain: true,
      transaction: { to: DIAMOND, data, value: 0n },
      spender: DIAMOND,
      executor: null,
      tool: "across",
      validSeconds: 180,
      asStep: { receiverOffset: null, leftovers: [] },
      swaps: false,
      nativeFee: 0n,
    });
    expect(here.timing.requests("provider")).toBe(1);
  });

  test("requests a contract call with its minimum input and the user as fallback", async () => {
    const scenario = scenarioOf("across, call");
    await using server = await fakeLifi({ body: answerOf(scenario) });
    const built = await providerAt(server.url).build(scope(), scenario.request);
    expect(server.received[0]).toMatchObject({ method: "POST", path: "/v1/quote/contractCalls" });
    expect(server.received[0]?.body).toEqual({
      fromChain: 8453,
      toChain: 42161,
      fromToken: tokens.usdc[8453],
      toToken: tokens.usdc[42161],
      fromAmount: "100000000",
      fromAddress: USER,
      toFallbackAddress: USER,
      contractCalls: [
        {
          fromAmount: "96000000",
          fromTokenAddress: tokens.usdc[42161],
          toContractAddress: ROUTER,
          toContractCallData: scenario.request.call?.data,
          toContractGasLimit: "600000",
          toApprovalAddress: ROUTER,
        },
      ],
      slippage: 0.027,
      integrator: INTEGRATOR,
      allowBridges: ["across", "stargateV2"],
    });
    expect(built.executor).toBe("0x2dfaDAB8266483beD9Fd9A292Ce56596a2D1378D");
    expect(built.spender).toBe(DIAMOND);
  });

  test("uses the Executor and the allowance of its proxy for a call on one chain", async () => {
    const scenario = scenarioOf("execute");
    await using server = await fakeLifi({ body: answerOf(scenario) });
    const built = await providerAt(server.url).build(scope(), scenario.request);
    expect(server.received[0]?.body).not.toHaveProperty("allowBridges");
    expect(built).toMatchObject({
      bridge: null,
      toAmount: 99_750_000n,
      toAmountMin: 99_750_000n,
      transaction: { to: "0x4DaC9d1769b9b304cb04741DCDEb2FC14aBdF110", value: 0n },
      spender: "0x74a55CaDb12501A3707E9F3C5dfd8b563C6A5940",
      executor: "0x4DaC9d1769b9b304cb04741DCDEb2FC14aBdF110",
      tool: "custom",
    });
  });

  test("guarantees only the call's own minimum after a swap on one chain", async () => {
    const scenario = scenarioOf("execute, swapped");
    await using server = await fakeLifi({ body: answerOf(scenario) });
    const built = await providerAt(server.url).build(scope(), scenario.request);
    expect(built.toAmountMin).toBe(scenario.request.call?.minIn);
  });

  test("needs no approval for a native source", async () => {
    const scenario = scenarioOf("stargate, native");
    await using server = await fakeLifi({ body: answerOf(scenario) });
    const built = await providerAt(server.url).build(scope(), scenario.request);
    expect(built.spender).toBeNull();
    expect(built.transaction.value).toBe(10n ** 18n + 110_000_000_000_000n);
  });
});

describe("a failure of build()", () => {
  test("has the upstream's reasons in our own texts", async () => {
    await using server = await fakeLifi({ status: 404, body: { code: 1002, message: "secret" } });
    const failure = await failureOf(providerAt(server.url).build(scope(), requestOf({})));
    expect(failure.code).toBe("no_route");
    expect(failure.members).toEqual({
      reasons: [{ code: "no_quote", detail: "the provider has no quote for this transfer" }],
    });
  });

  test.each<[string, Partial<TransferRequest>, string]>([
    ["no allowed bridge", { bridges: ["cctp"], call: callOf(1n) }, "bridge_unavailable"],
    ["an unknown bridge", { bridges: ["relay"] }, "bridge_unavailable"],
    ["an unknown chain", { toChainId: 59_144 }, "bridge_unavailable"],
    ["a chain without facets", { fromChainId: 747_474 }, "bridge_unavailable"],
    ["a call with the native token", { toToken: NATIVE, call: callOf(1n) }, "request_refused"],
    ["a transfer without effect", { toChainId: 8453, toToken: tokens.usdc[8453] }, "request_refused"],
  ])("is no_route without a request, for %s", async (_, fields, reason) => {
    await using server = await fakeLifi({ body: {} });
    const failure = await failureOf(providerAt(server.url).build(scope(), requestOf(fields)));
    expect(failure.code).toBe("no_route");
    expect(failure.members).toMatchObject({ reasons: [{ code: reason }] });
    expect(server.received).toHaveLength(0);
  });
});

describe("build() with a hostile quote", () => {
  test("names the differing field only in the cause of upstream_rejected", async () => {
    const scenario = scenarioOf("across, fee");
    const answer = answerOf(scenario);
    (answer["transactionRequest"] as Record<string, unknown>)["to"] = ATTACKER;
    await using server = await fakeLifi({ body: answer });
    const failure = await failureOf(providerAt(server.url).build(scope(), scenario.request));
    expect(failure.code).toBe("upstream_rejected");
    expect(failure.message).toBe("the provider's response does not match the request");
    expect(String(failure.cause)).toBe("Error: li.fi: transactionRequest.to");
  });

  test.each([
    ["no transaction", { transactionRequest: undefined }],
    ["a number for an amount", { estimate: { toAmount: 1 } }],
    ["calldata of more than 128 KiB", { transactionRequest: { data: `0x${"00".repeat(128 * 1024 + 1)}` } }],
  ])("rejects a quote with %s", async (_, change) => {
    const scenario = scenarioOf("across, fee");
    const answer = answerOf(scenario);
    for (const [key, value] of Object.entries(change)) {
      answer[key] = value === undefined ? undefined : { ...(answer[key] as object), ...value };
    }
    await using server = await fakeLifi({ body: answer });
    const failure = await failureOf(providerAt(server.url).build(scope(), scenario.request));
    expect(failure.code).toBe("upstream_rejected");
  });
});
