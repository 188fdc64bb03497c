import { and, asc, eq, inArray, lte } from "drizzle-orm";
import type { Database } from "../client.ts";
import { deposits } from "../schema.ts";
import type { DepositRow } from "./deposits.ts";

/**
 * Takes deposits that are due to be looked at, longest due first, and puts them off until `leaseUntil`: whoever
 * runs at the same time takes others, and what a run leaves undone is due again then.
 */
export async function claimDueDeposits(
  db: Database,
  claim: { now: Date; leaseUntil: Date; limit: number },
): Promise<DepositRow[]> {
  return db.run((sql) => {
    const due = sql
      .select({ trackingId: deposits.trackingId })
      .from(deposits)
      .where(lte(deposits.nextCheckAt, claim.now))
      .orderBy(asc(deposits.nextCheckAt))
      .limit(claim.limit)
      .for("update", { skipLocked: true });
    return sql
      .update(deposits)
      .set({ nextCheckAt: claim.leaseUntil })
      .where(inArray(deposits.trackingId, due))
      .returning();
  });
}

/** Writes down when a deposit is looked at again, unless a report or another run has meanwhile said when. */
export async function scheduleCheck(
  db: Database,
  schedule: { trackingId: string; leaseUntil: Date; nextCheckAt: Date | null; checks: number },
): Promise<void> {
  const { trackingId, leaseUntil, nextCheckAt, checks } = schedule;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt, checks })
      .where(and(eq(deposits.trackingId, trackingId), eq(deposits.nextCheckAt, leaseUntil))),
  );
}

/** Gives deposits back that a run took and did not look at. */
export async function postponeChecks(
  db: Database,
  postponed: { trackingIds: readonly string[]; leaseUntil: Date; until: Date },
): Promise<void> {
  const { trackingIds, leaseUntil, until } = postponed;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt: until })
      .where(and(inArray(deposits.trackingId, [...trackingIds]), eq(deposits.nextCheckAt, leaseUntil))),
  );
}
