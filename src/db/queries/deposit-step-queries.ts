import { eq } from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { deposits } from "../schema/deposit-tables.ts";
import { depositSteps } from "../schema/deposit-tracking-tables.ts";
import type { NewDeposit } from "./deposit-queries.ts";

/** Inserts a tracked deposit with the plan of what its user does. Throws `store_unavailable`. */
export async function insertDepositWithPlan(
  db: Database,
  { row, plan }: { row: NewDeposit; plan: object },
): Promise<void> {
  await db.run((sql) =>
    sql.batch([
      sql.insert(deposits).values(row),
      sql.insert(depositSteps).values({ trackingId: row.trackingId, plan }),
    ]),
  );
}

/** Selects the plan of a deposit's steps, or returns null if none is stored. Throws `store_unavailable`. */
export async function selectStepPlan(db: Database, trackingId: string): Promise<unknown> {
  const rows = await db.run((sql) =>
    sql
      .select({ plan: depositSteps.plan })
      .from(depositSteps)
      .where(eq(depositSteps.trackingId, trackingId))
      .limit(1),
  );
  return rows[0]?.plan ?? null;
}
