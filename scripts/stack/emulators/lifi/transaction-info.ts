import type { Hex } from "viem";
import { type NodeReceipt, receiptOf, timeOfBlock } from "../../bridge/node.ts";
import { type BridgeChain, isNative, tokenAt } from "../../bridge/world.ts";
import { describeToken, usd } from "./describe.ts";
import type { Sent } from "./sent.ts";

/** Explorer link in the service's form; the local chains have no explorer. */
const linkOf = ({ chainId }: BridgeChain, hash: Hex): string =>
  `https://explorer.invalid/${chainId}/tx/${hash}`;

/** One side of a transfer with its chain and hash only. */
export const bareInfo = (chain: BridgeChain, txHash: Hex) => ({
  txHash,
  txLink: linkOf(chain, txHash),
  chainId: chain.chainId,
});

/** One side of a transfer with amount, gas and time. */
export async function fullInfo(
  chain: BridgeChain,
  { hash, moved }: { hash: Hex; moved: Sent | null },
): Promise<Record<string, unknown>> {
  const receipt = await receiptOf(chain.url, hash);
  const token = moved === null ? null : tokenAt(chain, moved.token);
  return {
    ...bareInfo(chain, hash),
    ...(moved === null || token === null
      ? {}
      : {
          amount: moved.amount.toString(),
          token: describeToken(token),
          amountUSD: usd(token, moved.amount),
        }),
    ...(receipt === null ? {} : await gasInfo(chain, receipt)),
    value: "0",
    includedSteps: [],
  };
}

async function gasInfo(chain: BridgeChain, receipt: NodeReceipt) {
  const native = chain.tokens.find(isNative);
  const gasAmount = receipt.gasUsed * receipt.effectiveGasPrice;
  return {
    gasPrice: receipt.effectiveGasPrice.toString(),
    gasUsed: receipt.gasUsed.toString(),
    gasAmount: gasAmount.toString(),
    ...(native === undefined
      ? {}
      : { gasToken: describeToken(native), gasAmountUSD: usd(native, gasAmount) }),
    timestamp: await timeOfBlock(chain.url, receipt.blockNumber),
  };
}
