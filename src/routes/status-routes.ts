import * as z from "zod";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { TransferStatus } from "../schemas/deposit-schema.ts";
import { ChainIdParam, TxHashInput } from "../schemas/primitive-schemas.ts";
import { getStatus } from "../status/get-status.ts";

const statusGet = defineRoute({
  operationId: "status.get",
  method: "get",
  path: "/v1/status",
  summary: "Track a transfer",
  description:
    "Returns the status of a transfer by the hash of its source transaction. For an unknown hash the response is 200 with " +
    "the status `NOT_FOUND`. The claim or cancellation of a request that was made elsewhere is `DONE` with what it brought, " +
    "if its own receipt shows that, and otherwise `INVALID`.",
  tag: "Deposits",
  access: "public",
  limit: "status",
  cache: "no-store",
  // Clients of bridges send parameters that only their bridge knows.
  ignoresUnknownQuery: true,
  query: z.object({
    tx_hash: TxHashInput.meta({
      description:
        "Hash of the transaction that the user sent on the source chain. The hash of the delivery or of the second step " +
        "is accepted too, and that of a smart account's user operation (ERC-4337), which is searched in the newest 20,000 " +
        "blocks of both chains.",
    }),
    from_chain_id: ChainIdParam.meta({ description: "EIP-155 id of the source chain." }),
    to_chain_id: ChainIdParam.optional().meta({
      description:
        "EIP-155 id of the destination chain: the vault's, or the payout's of a withdrawal. Default: `from_chain_id`.",
    }),
  }),
  response: { schema: TransferStatus, description: "Status of the transfer" },
  errors: [
    "chain_unsupported",
    "vault_not_found",
    "upstream_unavailable",
    "upstream_timeout",
    "store_unavailable",
  ],
  handler: (ctx, { query }) =>
    getStatus(ctx, {
      txHash: query.tx_hash,
      fromChainId: query.from_chain_id,
      toChainId: query.to_chain_id ?? query.from_chain_id,
    }),
});

/** Route that returns the status of a transfer by the hash of one of its transactions. */
export const statusRoutes: readonly AnyRoute[] = [statusGet];
