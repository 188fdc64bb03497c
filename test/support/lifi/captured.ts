import type { Address } from "viem";
import { LifiQuote } from "../../../src/providers/lifi/api/lifi-schemas.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";

/** A parsed JSON object. */
export type Json = Record<string, unknown>;

/** Returns the request that belongs to a captured response. */
export function requestFor(body: Json, fields: Partial<TransferRequest> = {}): TransferRequest {
  const { action, transactionRequest } = LifiQuote.parse(body);
  return {
    fromChainId: action.fromChainId,
    toChainId: action.toChainId,
    fromToken: action.fromToken.address as Address,
    toToken: action.toToken.address as Address,
    amount: action.fromAmount,
    user: transactionRequest.from,
    slippage: 5_000_001n,
    call: null,
    bridges: null,
    ...fields,
  };
}

/** A completed response, the time of its quote in unix seconds, and the output that it guarantees. */
export interface WholeAnswer {
  body: Json;
  now: number;
  quoted: bigint;
}

/** Restores the parts that were removed from a captured response, by decoding its transaction's calldata. */
export function wholeAnswer(entry: Json): WholeAnswer {
  const { bridgeData, acrossData } = entry["decoded"] as {
    bridgeData: Record<string, string>;
    acrossData: Record<string, string | number>;
  };
  const toChainId = Number(bridgeData["destinationChainId"]);
  const token = (chainId: number, address: unknown) => ({ chainId, address, symbol: "USDC", decimals: 6 });
  const amount = String(entry["fromAmount"]);
  const output = String(acrossData["outputAmount"]);
  const body = {
    tool: entry["tool"],
    action: {
      fromChainId: 8453,
      toChainId,
      fromToken: token(8453, bridgeData["sendingAssetId"]),
      toToken: token(toChainId, `0x${String(acrossData["receivingAssetId"]).slice(-40)}`),
      fromAmount: amount,
    },
    estimate: {
      fromAmount: amount,
      toAmount: output,
      toAmountMin: output,
      approvalAddress: "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    },
    transactionRequest: {
      ...(entry["transactionRequest"] as Json),
      from: bridgeData["receiver"],
      chainId: 8453,
    },
    transactionId: bridgeData["transactionId"],
  };
  return { body, now: Number(acrossData["quoteTimestamp"]), quoted: BigInt(output) };
}
