import { type Address, type Hex, zeroAddress } from "viem";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import { AppError, type ErrorCode } from "../../../src/errors.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import { resolveAcrossDeployments } from "../../../src/providers/across/across-deployments.ts";
import { type AcrossRoute, findAcrossRoute } from "../../../src/providers/across/across-route.ts";
import type { DestinationCall, ProviderScope, TransferRequest } from "../../../src/providers/provider.ts";
import { completeClient } from "../chains/complete-client.ts";

export const USER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const ROUTER: Address = "0x4626000000000000000000000000000000004626";
export const USDC_1: Address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
export const USDC_42161: Address = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
export const WETH_1: Address = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
export const WETH_42161: Address = "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1";
export const HANDLER: Address = "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E";
export const SPOKE_1: Address = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
export const SPOKE_42161: Address = "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A";

export const deployments = resolveAcrossDeployments([]);

export const call: DestinationCall = {
  target: ROUTER,
  data: `0xfeedc0de${"5a".repeat(96)}`,
  minIn: 97_000_000n,
  gasLimit: 600_000n,
};

/** A request of 100 USDC from Ethereum into a call on Arbitrum, with 3 % slippage. */
export function requestOf(change: Partial<TransferRequest> = {}): TransferRequest {
  return {
    fromChainId: 1,
    toChainId: 42161,
    fromToken: USDC_1,
    toToken: USDC_42161,
    amount: 100_000_000n,
    user: USER,
    slippage: 30_000_000n,
    call,
    bridges: null,
    ...change,
  };
}

export const routeOf = (request: TransferRequest): AcrossRoute => findAcrossRoute(request, deployments);

/** A response of `suggested-fees` in its documented shape; `at` in unix seconds. */
export function feesBody(request: TransferRequest, at: number): Record<string, unknown> {
  const { input, output, origin, destination } = routeOf({ ...request, bridges: null });
  const fee = request.amount / 1_000n;
  const part = { pct: "1000000000000000", total: fee.toString() };
  return {
    estimatedFillTimeSec: 3,
    timestamp: String(at - 60),
    isAmountTooLow: false,
    quoteBlock: "23070320",
    exclusiveRelayer: zeroAddress,
    exclusivityDeadline: 0,
    spokePoolAddress: origin.spokePool,
    destinationSpokePoolAddress: destination.spokePool,
    totalRelayFee: part,
    lpFee: { pct: "0", total: "0" },
    limits: {
      minDeposit: "1000",
      maxDeposit: "1661211802629989209324",
      maxDepositInstant: "231397155893653275446",
    },
    fillDeadline: String(at + 7_140),
    outputAmount: (request.amount - fee).toString(),
    inputToken: { ...input, symbol: input.asset, chainId: request.fromChainId },
    outputToken: { ...output, symbol: output.asset, chainId: request.toChainId },
    id: "aaaaa-1700000000000-bbbbbbbbbbbb",
  };
}

type Answers = Partial<Record<string, (params: readonly unknown[]) => unknown>>;

/** Creates a chain client with scripted responses. Every other method fails, as if the chain were unreachable. */
export function fakeChain(
  chainId: number,
  answers: Answers,
): ChainClient & { asked: [method: string, params: readonly unknown[]][] } {
  const definition = knownChains.find((chain) => chain.chainId === chainId);
  if (definition === undefined) throw new Error(`chain ${chainId} is not known`);
  const asked: [string, readonly unknown[]][] = [];
  return completeClient({
    definition,
    asked,
    logLimits: {},
    observe() {},
    async request(method: string, params: readonly unknown[]) {
      asked.push([method, params]);
      const answer = answers[method];
      if (answer === undefined) throw new AppError("upstream_unavailable", `no node knows ${method}`);
      return answer(params);
    },
  });
}

/** Creates a provider scope with the real clock and `fetch`, and the given chains. */
export function scopeOf(chains: readonly ChainClient[] = []): ProviderScope {
  const now = (): number => Date.now();
  return {
    fetch: (input, init) => fetch(input, init),
    timing: new Timing(now),
    now,
    chain: (chainId) => chains.find(({ definition }) => definition.chainId === chainId) ?? null,
  };
}

/** Returns the field that the `upstream_rejected` of a check names. Null if it throws nothing. */
export function rejectedField(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "upstream_rejected") throw error;
    return error.cause instanceof Error ? error.cause.message : "";
  }
}

/**
 * Returns the code of the error with which a promise rejects, and the codes of its reasons. Throws if it does not
 * reject with an AppError.
 */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ code: ErrorCode; reasons: string[]; error: AppError }> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`);
  return { code: error.code, reasons: reasonsOf(error), error };
}

export function reasonsOf(error: AppError): string[] {
  const reasons = error.members["reasons"];
  return Array.isArray(reasons) ? reasons.map((reason: { code: string }) => reason.code) : [];
}

export const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
