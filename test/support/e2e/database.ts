import { inject } from "vitest";
import { connect } from "../../../scripts/db/connect.ts";

/** Runs a statement on the stack's database by the protocol that the Worker uses. */
export async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const { database_url: databaseUrl, emulators } = inject("stack");
  const sql = connect({ databaseUrl, endpoint: `${emulators.neon}/sql` });
  return (await sql.query(text, values)) as Record<string, unknown>[];
}

/** Returns the number of stored deposits. */
export async function countDeposits(): Promise<number> {
  const [row] = await query("select count(*)::int as count from deposits");
  return Number(row?.["count"]);
}
