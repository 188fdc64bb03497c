import { beforeEach, describe, expect, test } from "vitest";
import { listRegistry } from "../../../src/vaults/find-vault.ts";
import { Api } from "../../support/e2e/api.ts";
import { addressOf, vaultNamed } from "../../support/e2e/chain.ts";
import { programContext } from "../../support/e2e/cross-chain.ts";
import { query } from "../../support/e2e/database.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";

const api = new Api();
const vault = vaultNamed("Remote USDC");
const body = bodyFor(vault, { user: "0x00000000000000000000000000000000000A11cE" });

/** Changes the vault's row for as long as the work takes. */
async function withRow(change: Record<string, string>, work: () => Promise<void>): Promise<void> {
  const key = [vault.chain_id, addressOf(vault)];
  const columns = Object.keys(change);
  const [before = {}] = await query(
    `select ${columns.join(", ")} from vaults where chain_id = $1 and address = $2`,
    key,
  );
  const set = (values: Record<string, unknown>) =>
    query(
      `update vaults set ${columns.map((column, index) => `${column} = $${index + 3}`).join(", ")} where chain_id = $1 and address = $2`,
      [...key, ...columns.map((column) => values[column])],
    );
  await set(change);
  try {
    await work();
  } finally {
    await set(before);
  }
}

/**
 * Puts the registry into the cache that all isolates share, so that none reads it from the database for half a minute:
 * who did while a row is changed would show the change to the tests that follow.
 */
beforeEach(async () => {
  const ctx = await programContext();
  await ctx.cache.drop("registry");
  await listRegistry(ctx);
  await expect.poll(() => ctx.redis.get("cache:registry")).not.toBeNull();
});

describe("builds read the registry from the database, not from a cache", () => {
  test("a paused vault refuses deposits at once", async () => {
    await api.build(body);
    await withRow({ status: "paused", status_reason: "under review" }, async () => {
      expect(await api.refusal(body)).toMatchObject({ code: "vault_paused", reason: "under review" });
    });
    await api.build(body);
  });

  test("a vault that was never open is unknown; one that was refuses deposits at once", async () => {
    await withRow({ status: "unsupported", was_active: "false" }, async () => {
      expect(await api.refusal(body)).toMatchObject({ status: 404, code: "vault_not_found" });
    });
    await withRow({ status: "unsupported", status_reason: "gone", was_active: "true" }, async () => {
      expect(await api.refusal(body)).toMatchObject({ code: "vault_paused", reason: "gone" });
    });
    await api.build(body);
  });

  test("a corrected address is used at once", async () => {
    const other = addressOf(vaultNamed("Remote Prime USDC"));
    const row = {
      entry_point: other,
      spender: other,
      share_token: other,
      pricer: other,
      share_decimals: "18",
    };
    const before = await api.build(body);
    await withRow(row, async () => {
      const { transaction_request: request } = await api.build(body);
      expect(request.data).toContain(other.slice(2));
      expect(request.data).not.toContain(addressOf(vault).slice(2));
    });
    expect(before.transaction_request.data).toContain(addressOf(vault).slice(2));
  });

  test("an address without a vault is refused", async () => {
    const nothing = "0x00000000000000000000000000000000000000ff";
    await withRow({ entry_point: nothing, spender: nothing }, async () => {
      const { code } = await api.refusal(body);
      expect(["upstream_rejected", "would_revert", "price_unsafe"]).toContain(code);
    });
  });

  test("the registry's minimum deposit applies when the chain has none", async () => {
    await withRow({ min_deposit: "2000000000" }, async () => {
      expect(await api.refusal(body)).toMatchObject({ code: "below_minimum", min_deposit: "2000000000" });
      await api.build({ ...body, from_amount: "2000000000" });
    });
  });
});
