import type { DestinationCall, ProviderScope, TransferRequest, VerifiedTransfer } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./api/lifi-client.ts";
import { LifiQuote } from "./api/lifi-schemas.ts";
import type { LifiContext } from "./lifi-context.ts";
import { lifiSlippage, requestedTools } from "./lifi-tool-selection.ts";
import { verifyLifiTransfer } from "./verify/verify-lifi-transfer.ts";

/** Input of a request for a transaction. `tools` is null if LI.FI may choose the exchange. */
interface QuoteInput {
  request: TransferRequest;
  tools: string[] | null;
  integrator: string;
}

/**
 * Requests the transaction of a transfer from LI.FI and verifies it. Throws `no_route`, `rate_limited`,
 * `upstream_rejected`, `upstream_unavailable` or `upstream_timeout`. Source: `GET /quote`, `POST /quote/contractCalls`.
 */
export async function buildLifiTransfer(
  context: LifiContext,
  input: { scope: ProviderScope; request: TransferRequest },
): Promise<VerifiedTransfer> {
  const { scope, request } = input;
  const { client, deployments, integrator } = context;
  const params = { request, tools: requestedTools(context, request), integrator };
  const quote = await client.ask(scope, {
    family: "quote",
    ...(request.call === null ? quoteParams(params) : contractCallParams(params, request.call)),
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiQuote,
  });
  const now = Math.floor(scope.now() / 1000);
  return verifyLifiTransfer({ request, quote, deployments, now });
}

/** Returns path and query of the request for a transfer that is delivered to the user. */
function quoteParams({ request, tools, integrator }: QuoteInput) {
  return {
    path: "/quote",
    query: {
      fromChain: String(request.fromChainId),
      toChain: String(request.toChainId),
      fromToken: request.fromToken,
      toToken: request.toToken,
      fromAmount: request.amount.toString(),
      fromAddress: request.user,
      toAddress: request.user,
      slippage: String(lifiSlippage(request)),
      integrator,
      // LI.FI's simulation would reject a wallet without balance; transactions are simulated here instead.
      skipSimulation: "true",
      // No contract enforces a minimum output for a swap on the destination chain.
      allowDestinationCall: "false",
      ...(tools === null ? {} : { allowBridges: tools.join(",") }),
    },
  };
}

/**
 * Returns path and body of the request for a transfer into a destination call. The body declares the call's
 * minimum input and no output token, because the vault's shares go directly to the user.
 */
function contractCallParams({ request, tools, integrator }: QuoteInput, call: DestinationCall) {
  return {
    path: "/quote/contractCalls",
    body: {
      fromChain: request.fromChainId,
      toChain: request.toChainId,
      fromToken: request.fromToken,
      toToken: request.toToken,
      fromAmount: request.amount.toString(),
      fromAddress: request.user,
      toFallbackAddress: request.user,
      contractCalls: [
        {
          fromAmount: call.minIn.toString(),
          fromTokenAddress: request.toToken,
          toContractAddress: call.target,
          toContractCallData: call.data,
          toContractGasLimit: call.gasLimit.toString(),
          toApprovalAddress: call.target,
        },
      ],
      slippage: lifiSlippage(request),
      integrator,
      ...(tools === null ? {} : { allowBridges: tools }),
    },
  };
}
