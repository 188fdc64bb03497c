import { type Address, encodeFunctionData, type Hex, stringToHex } from "viem";
import { KYBER_NATIVE, kyberRouterAbi } from "../../../src/providers/kyber/kyber-calldata.ts";
import {
  type KyberDeployment,
  resolveKyberDeployments,
} from "../../../src/providers/kyber/kyber-deployments.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { USDC_1, USER, WETH_1 } from "../across/stage.ts";

export const ATTACKER: Address = "0xbadbadbadbadbadbadbadbadbadbadbadbadbad0";
export const EXECUTOR: Address = "0x6E4141d33021b52C91c28608403db4A0FFB50Ec6";
export const AMOUNT = 100_000_000n;
export const AMOUNT_OUT = 40_000_000_000_000_000n;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

/** KyberSwap on Ethereum. */
export const deployment: KyberDeployment = resolveKyberDeployments([]).get(1) ?? missing();

function missing(): never {
  throw new Error("no deployment on Ethereum");
}

/** A request to swap 100 USDC to WETH on Ethereum, with 3 % slippage. */
export function swapRequest(change: Partial<TransferRequest> = {}): TransferRequest {
  return {
    fromChainId: 1,
    toChainId: 1,
    fromToken: USDC_1,
    toToken: WETH_1,
    amount: AMOUNT,
    user: USER,
    slippage: 30_000_000n,
    call: null,
    bridges: null,
    ...change,
  };
}

/** Fields of a swap's calldata. */
export interface SwapFields {
  kind: "swap" | "swapSimpleMode";
  executor: Address;
  approveTarget: Address;
  executorData: Hex;
  clientData: Hex;
  srcToken: Address;
  dstToken: Address;
  srcReceivers: Address[];
  srcAmounts: bigint[];
  feeReceivers: Address[];
  feeAmounts: bigint[];
  dstReceiver: Address;
  amount: bigint;
  minReturnAmount: bigint;
  flags: bigint;
  permit: Hex;
}

/** Returns the fields of a correct swap for a request, as the user may send it, with changes. */
export function honestFields(request: TransferRequest, change: Partial<SwapFields> = {}): SwapFields {
  const name = (token: Address) => (token === NOBODY ? KYBER_NATIVE : token);
  return {
    kind: "swap",
    executor: EXECUTOR,
    approveTarget: NOBODY,
    executorData: `0x${"5a".repeat(100)}`,
    clientData: stringToHex('{"Source":"causeway"}'),
    srcToken: name(request.fromToken),
    dstToken: name(request.toToken),
    srcReceivers: [EXECUTOR],
    srcAmounts: [request.amount],
    feeReceivers: [],
    feeAmounts: [],
    dstReceiver: request.user,
    amount: request.amount,
    minReturnAmount: (AMOUNT_OUT * 97n) / 100n,
    flags: 0x04n,
    permit: "0x",
    ...change,
  };
}

/** Encodes a swap's calldata. */
export function encodeFields(fields: SwapFields): Hex {
  const { kind, executor, approveTarget, executorData, clientData, ...desc } = fields;
  return kind === "swap"
    ? encodeFunctionData({
        abi: kyberRouterAbi,
        functionName: "swap",
        args: [{ callTarget: executor, approveTarget, targetData: executorData, desc, clientData }],
      })
    : encodeFunctionData({
        abi: kyberRouterAbi,
        functionName: "swapSimpleMode",
        args: [executor, desc, executorData, clientData],
      });
}

/** Returns the fields that KyberSwap answers: they pay its router, which passes on what it gets. */
export const answeredFields = (request: TransferRequest, change: Partial<SwapFields> = {}): SwapFields =>
  honestFields(request, { dstReceiver: deployment.router, ...change });

/** Returns a response of `GET /{chain}/api/v1/routes`, with changes. */
export function routesBody(request: TransferRequest, change: Record<string, unknown> = {}) {
  const { srcToken, dstToken } = honestFields(request);
  const routeSummary = {
    tokenIn: srcToken.toLowerCase(),
    amountIn: request.amount.toString(),
    amountInUsd: "100.01",
    tokenOut: dstToken.toLowerCase(),
    amountOut: AMOUNT_OUT.toString(),
    amountOutUsd: "99.9",
    gas: "260000",
    gasUsd: "0.5",
    route: [[{ pool: EXECUTOR, exchange: "uniswapv3" }]],
    checksum: "17",
    ...change,
  };
  return { code: 0, message: "successfully", data: { routeSummary, routerAddress: deployment.router } };
}

/** Returns a response of `POST /{chain}/api/v1/route/build`, with changes. */
export function buildBody(request: TransferRequest, change: Record<string, unknown> = {}) {
  const data = {
    amountIn: request.amount.toString(),
    amountInUsd: "100.01",
    amountOut: AMOUNT_OUT.toString(),
    amountOutUsd: "99.9",
    gas: "260000",
    gasUsd: "0.5",
    data: encodeFields(answeredFields(request)),
    routerAddress: deployment.router,
    transactionValue: request.fromToken === NOBODY ? request.amount.toString() : "0",
    ...change,
  };
  return { code: 0, message: "successfully", data };
}
