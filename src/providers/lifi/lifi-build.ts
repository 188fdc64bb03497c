import type { DestinationCall, ProviderScope, TransferRequest, VerifiedTransfer } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./api/lifi-client.ts";
import { LifiQuote } from "./api/lifi-schemas.ts";
import type { LifiContext } from "./lifi-context.ts";
import { lifiSlippage, requestedTools } from "./lifi-request-params.ts";
import { verifyLifiTransfer } from "./verify/verify-lifi-transfer.ts";

interface QuoteInput {
  request: TransferRequest;
  tools: string[] | null;
  integrator: string;
}

/**
 * Requests a transaction and verifies it. A plain quote delivers to the user; a contract call delivers into the
 * destination call, and to the user when that fails. Throws `no_route`, `rate_limited`, `upstream_rejected`,
 * `upstream_unavailable`, `upstream_timeout`. Source: LI.FI `GET /quote`, `POST /quote/contractCalls`.
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
  return verifyLifiTransfer({ request, quote, deployments, integrator, now });
}

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
      // We simulate ourselves, and LI.FI's simulation would refuse a wallet without balance.
      skipSimulation: "true",
      // A swap on the destination has no minimum that a contract enforces.
      allowDestinationCall: "false",
      ...(tools === null ? {} : { allowBridges: tools.join(",") }),
    },
  };
}

/**
 * Returns the contract-call request. It declares the call's minimum input and no output token: shares go to the user
 * directly.
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
