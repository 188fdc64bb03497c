import { getAddress, type Hex } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { isNative } from "../lib/address.ts";
import { findByReference } from "./find-by-reference.ts";
import { findTransfers } from "./find-transfers.ts";
import type { Look } from "./look.ts";

/**
 * Transactions in which the user paid, since the delivery, exactly what a second step was handed out for: what
 * arrived or what was guaranteed. Where to look, not proof: a vault that must see its user names no deposit. Native
 * money leaves no such trace, but only the Router deposits it, which names the deposit.
 * Throws what reading the chain throws.
 */
export async function findSecondStep(
  ctx: Context,
  { row, look }: { row: DepositRow; look: Look },
): Promise<Hex[]> {
  const { vaultChainId, deliveredAmount, moveToken, destinationTxHash } = row;
  const client = ctx.chains.client(vaultChainId);
  if (client === null || deliveredAmount === null || moveToken === null || destinationTxHash === null)
    return [];
  const token = getAddress(moveToken);
  if (isNative(token)) return [...(await findByReference(ctx, [row])).values()];
  const { receipt, confirmations } = await look(vaultChainId, destinationTxHash as Hex);
  if (receipt === null) return [];
  const delivered = Number(receipt.blockNumber);
  return findTransfers(client, {
    tokens: [token],
    party: { from: getAddress(row.userAddress) },
    amounts: [BigInt(deliveredAmount), BigInt(row.moveMin ?? deliveredAmount)],
    from: delivered,
    head: delivered + confirmations - 1,
  });
}
