import { describe, expect, test } from "vitest";
import type { VaultProof } from "../../src/db/tables/vault-tables.ts";
import { listVaults, type VaultFilter, type VaultPosition } from "../../src/listings/list-vaults.ts";
import { vaultRoutes } from "../../src/routes/vaults-routes.ts";
import { SortedVaultCursor } from "../../src/schemas/cursor-schema.ts";
import { appOf } from "../support/http/app.ts";
import {
  address,
  contextHolding,
  contextOf,
  figuresOf,
  holder,
  id,
  stored,
} from "../support/vaults/listed.ts";

describe("listVaults() filters and orders by figures", () => {
  const proof = (at: string): VaultProof => ({
    ...{ ok: true, blockNumber: 1, at, amount: null, shares: null, returned: null, reason: "" },
  });
  const rows = [
    stored({ address: address(1), name: "b", figures: figuresOf({ tvlUsd: "900.5", apy7d: 0.2 }) }),
    stored({
      address: address(2),
      name: "C",
      figures: figuresOf({ tvlUsd: "1000" }),
      proof: proof("2026-01-02"),
    }),
    stored({
      address: address(3),
      name: "a",
      figures: figuresOf({ apy7d: -0.1 }),
      proof: proof("2026-01-01"),
    }),
    stored({
      ...{ address: address(4), name: "a", adapter: "lagoon", proof: proof("2026-01-02") },
      figures: figuresOf({ tvlUsd: "1000", apy7d: 0.2 }),
    }),
    stored({ address: address(5), name: "d", figures: null }),
  ];
  test.each<[Partial<VaultFilter>, number[]]>([
    [{ minTvlUsd: 900.5 }, [1, 2, 4]],
    [{ minTvlUsd: 900.51 }, [2, 4]],
    [{ minTvlUsd: 0 }, [1, 2, 4]],
    [{ family: "lagoon" }, [4]],
    [{ depositSettlement: "request" }, [4]],
    [{ withdrawSettlement: "instant" }, [1, 2, 3, 5]],
    [{ ids: [id(4), id(2), id(9)] }, [2, 4]],
    [{ sort: "tvl_usd" }, [2, 4, 1, 3, 5]],
    [{ sort: "tvl_usd", order: "asc" }, [1, 2, 4, 3, 5]],
    [{ sort: "apy_7d" }, [1, 4, 3, 2, 5]],
    [{ sort: "apy_7d", order: "asc" }, [3, 1, 4, 2, 5]],
    [{ sort: "name" }, [3, 4, 1, 2, 5]],
    [{ sort: "name", order: "desc" }, [5, 2, 1, 3, 4]],
    [{ sort: "proven_at" }, [2, 4, 3, 1, 5]],
    [{ sort: "proven_at", order: "asc", ids: [id(2), id(3), id(5)] }, [3, 2, 5]],
  ])("%j, and so in pages of one", async (filter, expected) => {
    const ids = expected.map((n) => id(n));
    const whole = await listVaults(contextOf({ rows }), { limit: 500, ...filter });
    expect(whole.rows.map(({ vault_id }) => vault_id)).toEqual(ids);
    const seen: string[] = [];
    let after: VaultPosition | undefined;
    for (let page = 0; page <= rows.length; page += 1) {
      const { rows: vaults, next } = await listVaults(contextOf({ rows }), { ...filter, limit: 1, after });
      seen.push(...vaults.map(({ vault_id }) => vault_id));
      if (next === null) break;
      after = SortedVaultCursor.parse(next);
    }
    expect(seen).toEqual(ids);
  });

  test("shows old figures as stale, and a vault that was never read without figures", async () => {
    const old = stored({ address: address(1), figures: figuresOf({ blockTime: new Date(-601_000) }) });
    const never = stored({ address: address(2), figures: null });
    const { rows: vaults } = await listVaults(contextOf({ rows: [old, never] }), { limit: 9 });
    expect(vaults.map(({ stale, read_at }) => [stale, read_at])).toEqual([
      [true, { block_number: 1, block_timestamp: "1969-12-31T23:49:59.000Z" }],
      [false, null],
    ]);
  });

  test("shows the latest pause that was read, whatever the figures say", async () => {
    const row = stored({ address: address(1), figures: figuresOf({ maxDeposit: "5" }) });
    const flags = { [id(1)]: { paused: true, minDeposit: null } };
    const held = holder({ rows: [row] });
    const ctx = contextHolding(
      (key) => (key === "flags:31337" ? flags : held(key)),
      ({ schema }, value) => schema.parse(value),
    );
    const { rows: vaults } = await listVaults(ctx, { limit: 9 });
    expect(vaults).toMatchObject([{ paused: true, max_deposit: "0" }]);
  });
});

describe("GET /v1/vaults with an order", () => {
  const rows = [1, 2, 3].map((n) => stored({ address: address(n), name: `Vault ${n}` }));
  const { send } = appOf(vaultRoutes, {}, () => contextOf({ rows }));

  test.each([
    ["?sort=tvl_usd", "?sort=name"],
    ["?sort=tvl_usd", "?sort=tvl_usd&order=asc"],
    ["?sort=tvl_usd", "?"],
    ["?", "?sort=tvl_usd"],
  ])("a cursor of %s is none of %s: 422", async (asked, other) => {
    const link = (await send(`/v1/vaults${asked}&limit=1`)).headers.get("link") ?? "";
    const cursor = /cursor=([^&>]+)/.exec(link)?.[1] ?? "";
    expect(cursor).not.toBe("");
    expect((await send(`/v1/vaults${asked}&limit=1&cursor=${cursor}`)).status).toBe(200);
    expect((await send(`/v1/vaults${other}&limit=1&cursor=${cursor}`)).status).toBe(422);
  });

  test.each([
    ["order=asc", "order"],
    ["ids=x", "ids"],
    [`ids=${Array.from({ length: 101 }, (_, n) => id(n)).join()}`, "ids"],
    ["min_tvl_usd=-1", "min_tvl_usd"],
    ["min_tvl_usd=1e9", "min_tvl_usd"],
    ["sort=tvl", "sort"],
    ["deposit_settlement=cooldown", "deposit_settlement"],
  ])("%s is refused: 422", async (query, name) => {
    const response = await send(`/v1/vaults?${query}`);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { detail: [{ loc: ["query", name] }] },
    ]);
  });
});
