import type { Hex } from "viem";
import { type BridgeChain, isNative, tokenAt } from "../../bridge/bridge-chains.ts";
import { type NodeReceipt, receiptOf, timeOfBlock } from "../../bridge/node-requests.ts";
import type { SentAmount } from "./sent-amount.ts";
import { describeToken, usdValue } from "./wire-format.ts";

/** Explorer link in the service's form; the local chains have no explorer. */
const linkOf = ({ chainId }: BridgeChain, hash: Hex): string =>
  `https://explorer.invalid/${chainId}/tx/${hash}`;

/** One side of a transfer with its chain and hash only. */
export const bareInfo = (chain: BridgeChain, txHash: Hex) => ({
  txHash,
  txLink: linkOf(chain, txHash),
  chainId: chain.chainId,
});

/** One side of a transfer with amount, gas and time, as far as they are known. */
export async function fullInfo(
  chain: BridgeChain,
  { hash, moved }: { hash: Hex; moved: SentAmount | null },
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
          amountUSD: usdValue(token, moved.amount),
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
      : { gasToken: describeToken(native), gasAmountUSD: usdValue(native, gasAmount) }),
    timestamp: await timeOfBlock(chain.url, receipt.blockNumber),
  };
}
