import { encodeFunctionData, type Hex, isAddressEqual, maxUint256, zeroHash } from "viem";
import { stackTokenAbi } from "#stand-ins/standard";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { callOnlyStep, encodeRouterCall } from "../../../src/router/router-codec.ts";
import { type BridgeChain, tokenOfAsset } from "../bridge/bridge-chains.ts";
import type { NodeReceipt } from "../bridge/node-requests.ts";
import { sendFromRelayer } from "./send-transaction.ts";
import { type Transfer, toAddress } from "./transfer.ts";

/**
 * Delivers from within a deposit of the relayer's own, while the DepositRouter's reentrancy lock is set, so that the
 * deposit at the end of the delivery fails. It uses public functions only: any relayer could do it, without a gain.
 */
export function deliverWithFailingDeposit(
  { relay }: Transfer,
  { destination, target, data }: { destination: BridgeChain; target: Hex; data: Hex },
): Promise<NodeReceipt> {
  const { relayer } = destination.contracts;
  const asset = toAddress(relay.outputToken);
  const usdc = tokenOfAsset(destination, "USDC").address;
  // The Router needs a different share token; every account may mint these.
  const shareToken = isAddressEqual(asset, usdc) ? tokenOfAsset(destination, "USDT").address : usdc;
  const mint = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [relayer, 1n] });
  const deliver = callOnlyStep({ target, value: 0n, data });
  const steps = [
    { ...deliver, approveToken: asset, spender: target },
    callOnlyStep({ target: shareToken, value: 0n, data: mint }),
  ];
  const order = {
    tokenIn: asset,
    amountIn: relay.outputAmount,
    minIn: relay.outputAmount,
    nativeFee: 0n,
    tokenOut: shareToken,
    receiver: relayer,
    minOut: 1n,
    minOutPerIn: 0n,
    direct: true,
    deadline: maxUint256,
    refundTo: relayer,
    ref: zeroHash,
    partnerId: zeroHash,
    partnerType: 0,
  };
  const call = encodeRouterCall({ order, steps, sweep: [] });
  return sendFromRelayer(destination, { to: depositRouterAddress, data: call });
}
