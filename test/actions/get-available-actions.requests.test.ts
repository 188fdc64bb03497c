import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import type { Database } from "../../src/db/database-client.ts";
import { USER, vault } from "../support/deposits/fixtures.ts";
import { createWithdrawalFixture, storedOf } from "../support/withdrawals/withdrawing.ts";

test("getActions() does not say that there is no request while the stored ids are unread", async () => {
  const veda = { ...vault, adapter: "veda", params: { teller: "d" } };
  const { ctx } = await createWithdrawalFixture({ vaults: [storedOf(veda)] });
  const claimOf = async (db: Database) =>
    (await getActions({ ...ctx, db }, { user: USER, vaultId: veda.vaultId })).claim.code;
  // Keeps the vault in memory.
  await claimOf(ctx.db);
  const rows = [{ chains: [], requests: [], asked: [], unlisted: [] as string[] }];
  const storing = (found: typeof rows) => ({ run: async () => ({ rows: found }) }) as unknown as Database;
  const failing = { run: () => Promise.reject(new Error("down")) } as unknown as Database;
  expect(await claimOf(storing(rows))).toBe("nothing_to_withdraw");
  expect(await claimOf(failing)).toBe("simulation_unavailable");
  const lacking = rows.map((row) => ({ ...row, unlisted: [veda.vaultId] }));
  expect(await claimOf(storing(lacking))).toBe("simulation_unavailable");
});

test("getActions() shows no deposit request where only what the flows may count of one is unknown", async () => {
  const queue = "0x6666666666666666666666666666666666666666";
  const params = { queue: "sync", deposit_queues: queue };
  const mellow = { ...vault, adapter: "mellow", type: "lido" as const, params };
  const { ctx } = await createWithdrawalFixture({ vaults: [storedOf(mellow)] });
  // Keeps the vault in memory.
  await getActions(ctx, { user: USER, vaultId: mellow.vaultId }).catch(() => null);
  const rows = [{ chains: [], requests: [], asked: [], unlisted: [] }];
  const db = { run: async () => ({ rows }) } as unknown as Database;
  const { requests, claim } = await getActions({ ...ctx, db }, { user: USER, vaultId: mellow.vaultId });
  expect(requests).toEqual([]);
  expect(claim.code).not.toBe("request_pending");
});
