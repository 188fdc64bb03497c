import { getAddress, type Hex } from "viem";
import type { Receipt } from "../chains/transaction.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { requestsOf } from "../vaults/adapters.ts";
import type { Observation } from "./move.ts";
import { vaultOf } from "./vault-of.ts";

/**
 * The request to an asynchronous vault that the user's own transaction shows; nothing for a vault that gives
 * shares at once. Throws `vault_not_found`, `store_unavailable`.
 */
export async function observeRequest(
  ctx: Context,
  at: { row: DepositRow; hash: Hex; receipt: Receipt; confirmed: boolean },
): Promise<Observation[]> {
  const { row, hash, receipt, confirmed } = at;
  const vault = await vaultOf(ctx, row);
  const user = getAddress(row.userAddress);
  const request = requestsOf(vault)?.requestIn(vault, { user, logs: receipt.logs }) ?? null;
  if (request === null) return [];
  const change = {
    substatus: null,
    depositTxHash: hash,
    depositProven: true,
    requestId: request.requestId,
    receivedAmount: request.assets?.toString() ?? null,
  };
  const evidence = { kind: "chain", shows: "vault_requested", confirmed } as const;
  return [{ evidence, change, noted: "when_moving" }];
}
