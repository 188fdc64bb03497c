import type { Database } from "../../../src/db/database-client.ts";
import type { DepositChange, DepositRow } from "../../../src/db/queries/deposit-queries.ts";

export interface OneRow {
  db: Database;
  /** Changes of all updates, in order. */
  changes: DepositChange[];
}

/** Creates a database with a single deposit, which every read returns and every update changes. */
export function oneRow(row: DepositRow): OneRow {
  let held = row;
  const changes: DepositChange[] = [];
  const statement = (): object => {
    const answer: object = new Proxy(Object.create(null), {
      get(_target, name) {
        if (name === "batch") return async (list: readonly unknown[]) => list.map(() => [held]);
        if (name === "then") return (resolve: (rows: DepositRow[]) => void) => resolve([held]);
        return (change: unknown) => {
          if (name === "set") {
            const { updatedAt: _updatedAt, ...own } = change as DepositChange & { updatedAt: unknown };
            changes.push(own);
            held = { ...held, ...own };
          }
          return answer;
        };
      },
    });
    return answer;
  };
  const db: Database = { run: async (make) => make(statement() as Parameters<typeof make>[0]) };
  return { db, changes };
}
