import { and, asc, eq, inArray, isNotNull, ne, or } from "drizzle-orm";
import type { Database } from "../client.ts";
import { deposits } from "../schema.ts";
import type { DepositRow } from "./deposits.ts";

/** Far more requests than an account has open with one vault. */
const MOST = 50;

/**
 * Other requests of a deposit's account to its vault that the chain has shown: open ones, and those whose claim was
 * seen; the oldest first, 50 at most. Throws `store_unavailable`.
 */
export function selectOtherRequests(
  db: Database,
  { trackingId, userAddress, vaultChainId, vaultAddress }: DepositRow,
): Promise<DepositRow[]> {
  const open = inArray(deposits.state, ["requested", "claimable"]);
  const claimed = and(eq(deposits.state, "completed"), isNotNull(deposits.claimTxHash));
  const own = and(
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    ne(deposits.trackingId, trackingId),
    eq(deposits.depositProven, true),
    or(open, claimed),
  );
  return db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(own)
      .orderBy(asc(deposits.createdAt), asc(deposits.trackingId))
      .limit(MOST),
  );
}
