import { type Address, type Hex, keccak256, pad, stringToHex, zeroAddress } from "viem";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { TRANSACTION_ID } from "./abi.ts";
import type { BridgeTree, MessageTree, SwapTree } from "./calls.ts";

/** Derives a stable address from a name. */
export const addressOf = (name: string): Address => `0x${keccak256(stringToHex(name)).slice(-40)}`;

export const USER = addressOf("user");
export const ATTACKER = addressOf("attacker");
export const ROUTER = addressOf("router");
export const RELAYER = addressOf("relayer");
export const DEX = addressOf("dex");
export const DIAMOND: Address = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
export const FEE_CONTRACT: Address = "0xCE40449B773a3E6E5e769ADb4e567179d4828cbd";
export const LIFI_FEES: Address = "0xC06ebbefD94032B85424D51906e2A335EFAe264B";
export const NATIVE = zeroAddress;
export const INTEGRATOR = "causeway";
/** Time of every scenario, in unix seconds. */
export const NOW = 1_790_000_000;

export const tokens = {
  usdc: {
    1: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    56: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
    143: "0x754704Bc059F8C67012fEd69BC8A327a5aafb603",
    8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    42161: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  },
  usdt: {
    56: "0x55d398326f99059fF775485246999027B3197955",
    42161: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
  },
  weth: {
    1: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    8453: "0x4200000000000000000000000000000000000006",
  },
} as const satisfies Record<string, Record<number, Address>>;

export const DEPOSIT_DATA: Hex = `0xd0e1d2c3${"ab".repeat(200)}`;

/** Creates a request with the default user, 3 % slippage and no destination call. */
export function requestOf(fields: Partial<TransferRequest>): TransferRequest {
  return {
    fromChainId: 8453,
    toChainId: 42161,
    fromToken: tokens.usdc[8453],
    toToken: tokens.usdc[42161],
    amount: 100_000_000n,
    user: USER,
    slippage: 30_000_000n,
    call: null,
    bridges: null,
    ...fields,
  };
}

/** Creates a destination call of the Router that needs at least `minIn`. */
export function callOf(minIn: bigint): TransferRequest["call"] {
  return { target: ROUTER, data: DEPOSIT_DATA, minIn, gasLimit: 600_000n };
}

export const feeOf = (amount: bigint): bigint => (amount * 25n) / 10_000n;

/** Creates LI.FI's fee call, which takes 0.25 %. */
export function feeStep(token: Address, amount: bigint): SwapTree {
  return {
    callTo: FEE_CONTRACT,
    approveTo: FEE_CONTRACT,
    sendingAssetId: token,
    receivingAssetId: token,
    fromAmount: amount,
    callData: { feeToken: token, distributions: [{ recipient: LIFI_FEES, amount: feeOf(amount) }] },
    requiresDeposit: true,
  };
}

/** Creates a swap on an exchange, with calldata of unknown format. */
export function dexStep(
  fields: Pick<SwapTree, "sendingAssetId" | "receivingAssetId" | "fromAmount">,
): SwapTree {
  const callData: Hex = `0x12aa3caf${"cd".repeat(64)}`;
  return { callTo: DEX, approveTo: DEX, ...fields, callData, requiresDeposit: false };
}

/** Creates the destination call as LI.FI encodes it. */
export function finalStep(request: TransferRequest, fromAmount: bigint): SwapTree {
  return {
    callTo: request.call?.target ?? ROUTER,
    approveTo: request.call?.target ?? ROUTER,
    sendingAssetId: request.toToken,
    receivingAssetId: zeroAddress,
    fromAmount,
    callData: request.call?.data ?? "0x",
    requiresDeposit: true,
  };
}

export function messageOf(request: TransferRequest): MessageTree {
  const final = finalStep(request, request.call?.minIn ?? 0n);
  return { transactionId: TRANSACTION_ID, swaps: [final], receiver: request.user };
}

/** Creates the `BridgeData` of a request. */
export function bridgeDataOf(
  request: TransferRequest,
  fields: Pick<BridgeTree["bridge"], "bridge" | "sendingAssetId" | "minAmount" | "hasSourceSwaps">,
): BridgeTree["bridge"] {
  return {
    transactionId: TRANSACTION_ID,
    integrator: INTEGRATOR,
    referrer: zeroAddress,
    receiver: request.user,
    destinationChainId: BigInt(request.toChainId),
    hasDestinationCall: request.call !== null,
    ...fields,
  };
}

export const word = (address: Address): Hex => pad(address, { size: 32 }).toLowerCase() as Hex;
