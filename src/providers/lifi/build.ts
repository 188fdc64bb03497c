import type { BuiltMove, DestinationCall, MoveRequest, ProviderScope } from "../provider.ts";
import { QUOTE_TIMEOUT_MS } from "./client.ts";
import type { LifiContext } from "./lifi-context.ts";
import { requestedTools, slippageFor } from "./request.ts";
import { LifiQuote } from "./schema.ts";
import { verifyMove } from "./verify/verify.ts";

interface Asked {
  request: MoveRequest;
  tools: string[] | null;
  integrator: string;
}

/**
 * Asks for a transaction and verifies it: a plain quote delivers to the user, a contract call delivers into
 * the call and to the user when that fails. Throws `no_route`, `rate_limited`, `upstream_rejected`,
 * `upstream_unavailable`, `upstream_timeout`. Source: LI.FI `GET /quote`, `POST /quote/contractCalls`.
 */
export async function buildMove(
  context: LifiContext,
  input: { scope: ProviderScope; request: MoveRequest },
): Promise<BuiltMove> {
  const { scope, request } = input;
  const { client, deployments, integrator } = context;
  const asked = { request, tools: requestedTools(context, request), integrator };
  const quote = await client.ask(scope, {
    family: "quote",
    ...(request.call === null ? plainQuote(asked) : contractCalls(asked, request.call)),
    timeoutMs: QUOTE_TIMEOUT_MS,
    schema: LifiQuote,
  });
  const now = Math.floor(scope.now() / 1000);
  return verifyMove({ request, quote, deployments, integrator, now });
}

function plainQuote({ request, tools, integrator }: Asked) {
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
      slippage: String(slippageFor(request)),
      integrator,
      // We simulate ourselves, and an empty wallet is no reason for having no quote.
      skipSimulation: "true",
      // A swap on arrival has no minimum that the chain enforces.
      allowDestinationCall: "false",
      ...(tools === null ? {} : { allowBridges: tools.join(",") }),
    },
  };
}

/** The call declares to spend the least it needs, and no output: shares go to the user directly. */
function contractCalls({ request, tools, integrator }: Asked, call: DestinationCall) {
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
      slippage: slippageFor(request),
      integrator,
      ...(tools === null ? {} : { allowBridges: tools }),
    },
  };
}
