import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type { Database } from "../client.ts";
import { deposits } from "../schema.ts";

/** A request to an asynchronous vault that was not seen to end. Addresses are lower case. */
export interface OpenRequest {
  chainId: number;
  vaultAddress: string;
  requestId: string;
}

/** A user's numbered requests that are open, of every vault. */
export function selectOpenRequests(db: Database, user: string): Promise<OpenRequest[]> {
  return db.run(async (sql) => {
    const rows = await sql
      .select({
        chainId: deposits.vaultChainId,
        vaultAddress: deposits.vaultAddress,
        requestId: deposits.requestId,
      })
      .from(deposits)
      .where(
        and(
          eq(deposits.userAddress, user.toLowerCase()),
          inArray(deposits.state, ["requested", "claimable"]),
          isNotNull(deposits.requestId),
        ),
      )
      .limit(500);
    return rows.flatMap(({ requestId, ...vault }) => (requestId === null ? [] : [{ ...vault, requestId }]));
  });
}
