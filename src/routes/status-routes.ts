import * as z from "zod";
import { getStatus } from "../deposits/status/get-status.ts";
import { type AnyRoute, defineRoute } from "../http/define-route.ts";
import { TransferStatus } from "../schemas/deposit-schema.ts";
import { ChainIdParam, TxHashInput } from "../schemas/primitive-schemas.ts";

const statusGet = defineRoute({
  operationId: "status.get",
  method: "get",
  path: "/v1/status",
  summary: "Track a transfer",
  description:
    "Status of a transfer by its source transaction. An unknown hash has the status NOT_FOUND, with 200.",
  tag: "Deposits",
  access: "public",
  limit: "status",
  cache: "no-store",
  query: z.object({
    tx_hash: TxHashInput.meta({
      description:
        "Hash of the transaction that the user sent on the source chain; those of the delivery and of the second step " +
        "are found too.",
    }),
    from_chain_id: ChainIdParam.meta({ description: "EIP-155 id of the source chain." }),
    to_chain_id: ChainIdParam.optional().meta({
      description: "EIP-155 id of the vault's chain. Default: `from_chain_id`.",
    }),
  }),
  response: { schema: TransferStatus, description: "The transfer's status" },
  errors: ["chain_unsupported", "upstream_unavailable", "upstream_timeout", "store_unavailable"],
  handler: (ctx, { query }) =>
    getStatus(ctx, {
      txHash: query.tx_hash,
      fromChainId: query.from_chain_id,
      toChainId: query.to_chain_id ?? query.from_chain_id,
    }),
});

/** Route of a transfer's status by its source transaction. */
export const statusRoutes: readonly AnyRoute[] = [statusGet];
