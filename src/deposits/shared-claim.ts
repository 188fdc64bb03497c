import type { Hex } from "viem";
import type { Receipt } from "../chains/transaction.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { transfersOf } from "./evidence.ts";
import type { Look } from "./look.ts";
import { isRequested } from "./requests.ts";

/** How a transaction that gave shares stands to the other requests of the account. */
export type ClaimShare = "own" | "shared" | "another's";

/**
 * Whether the shares that a transaction gave are those of this request alone. A vault that keeps one balance for an
 * account (no numbers, or the same one) settles all of its requests together, and no event says how many shares are
 * whose; one that numbers them sends each its own. Throws what looking a transaction up throws.
 */
export async function shareOfClaim(
  of: { row: DepositRow; others: readonly DepositRow[]; receipt: Receipt; hash: Hex },
  look: Look,
): Promise<ClaimShare> {
  const { row, others, receipt, hash } = of;
  const several = sharesArrivals(row, receipt) > 1;
  const together = (other: DepositRow): boolean => other.requestId === row.requestId || several;
  const claimed = others.filter((other) => other.state === "completed" && other.claimTxHash === hash);
  if (claimed.some((other) => !together(other))) return "another's";
  if (claimed.length > 0) return "shared";
  for (const other of others) {
    if (!isRequested(other) || other.depositTxHash === null || !together(other)) continue;
    const asked = await look(other.vaultChainId, other.depositTxHash as Hex);
    const before = asked.receipt !== null && asked.receipt.blockNumber <= receipt.blockNumber;
    if (before) return "shared";
  }
  return "own";
}

/** How often a transaction sent the account shares. */
export function sharesArrivals({ shareToken, userAddress }: DepositRow, { logs }: Receipt): number {
  return transfersOf(logs, shareToken).filter(({ to }) => sameAddress(to, userAddress)).length;
}
