import { type Address, type Hex, pad, zeroAddress } from "viem";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import {
  AUGUSTUS_METHOD,
  type AugustusSwap,
  encodeAugustusSwap,
  VELORA_NATIVE,
} from "../../../src/providers/velora/velora-calldata.ts";
import {
  resolveVeloraDeployments,
  type VeloraDeployment,
} from "../../../src/providers/velora/velora-deployments.ts";
import { USER } from "../across/stage.ts";

export const GNOSIS = 100;
export const USDC_100: Address = "0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0";
export const WETH_100: Address = "0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1";
export const ATTACKER: Address = "0xbadbadbadbadbadbadbadbadbadbadbadbadbad0";
export const EXECUTOR: Address = "0x6f0538001f90d0A5F0000060d01D34C002030900";
export const AMOUNT = 100_000_000n;
export const AMOUNT_OUT = 40_000_000_000_000_000n;
/** The flag that Velora sets by default: at most 1 % of surplus stays in the router. */
export const CAP_SURPLUS = 1n << 92n;

/** Velora on Gnosis. */
export const deployment: VeloraDeployment = resolveVeloraDeployments([]).get(GNOSIS) ?? missing();

function missing(): never {
  throw new Error("no deployment on Gnosis");
}

/** A request to swap 100 USDC to WETH on Gnosis, with 3 % slippage. */
export function swapRequest(change: Partial<TransferRequest> = {}): TransferRequest {
  return {
    fromChainId: GNOSIS,
    toChainId: GNOSIS,
    fromToken: USDC_100,
    toToken: WETH_100,
    amount: AMOUNT,
    user: USER,
    slippage: 30_000_000n,
    call: null,
    bridges: null,
    ...change,
  };
}

const nameOf = (token: Address): Address => (token === zeroAddress ? VELORA_NATIVE : token);

/** The fields of an honest swap for a request. */
export function honestFields(request: TransferRequest, change: Partial<AugustusSwap> = {}): AugustusSwap {
  return {
    executor: EXECUTOR,
    executorData: `0x${"5a".repeat(100)}`,
    srcToken: nameOf(request.fromToken),
    destToken: nameOf(request.toToken),
    fromAmount: request.amount,
    toAmount: (AMOUNT_OUT * 9_701n) / 10_000n,
    quotedAmount: AMOUNT_OUT,
    metadata: pad("0x0123", { size: 32 }),
    beneficiary: request.user,
    partner: zeroAddress,
    feeData: CAP_SURPLUS,
    permit: "0x",
    ...change,
  };
}

/** The calldata of an honest swap but for some fields. */
export const fieldsData = (request: TransferRequest, change: Partial<AugustusSwap> = {}): Hex =>
  encodeAugustusSwap(honestFields(request, change));

/** A response of `GET /prices`. */
export function pricesBody(request: TransferRequest, change: Record<string, unknown> = {}) {
  const priceRoute = {
    blockNumber: 43_000_000,
    network: request.fromChainId,
    srcToken: nameOf(request.fromToken).toLowerCase(),
    srcDecimals: 6,
    srcAmount: request.amount.toString(),
    destToken: nameOf(request.toToken).toLowerCase(),
    destDecimals: 18,
    destAmount: AMOUNT_OUT.toString(),
    gasCost: "240000",
    gasCostUSD: "0.001",
    side: "SELL",
    version: "6.2",
    contractAddress: deployment.router.toLowerCase(),
    contractMethod: AUGUSTUS_METHOD,
    partner: "anon",
    partnerFee: 0,
    srcUSD: "100.01",
    destUSD: "99.9",
    maxImpactReached: false,
    hmac: "00",
    ...change,
  };
  return { priceRoute };
}

/** A response of `GET /swap`; `change` applies to the transaction, `route` to its price. */
export function swapBody(
  request: TransferRequest,
  { change = {}, route = {} }: { change?: Record<string, unknown>; route?: Record<string, unknown> } = {},
) {
  const txParams = {
    from: request.user,
    to: deployment.router.toLowerCase(),
    value: request.fromToken === zeroAddress ? request.amount.toString() : "0",
    data: fieldsData(request),
    gasPrice: "1000000000",
    chainId: request.fromChainId,
    ...change,
  };
  return { ...pricesBody(request, route), txParams };
}
