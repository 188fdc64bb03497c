import { describe, expect, test } from "vitest";
import { listVaults, type VaultFilter } from "../../src/catalog/list-vaults.ts";
import type { CachePolicy } from "../../src/redis/two-level-cache.ts";
import { address, contextHolding, holder, id, key, stored } from "../support/vaults/listed.ts";

describe("listVaults() caching", () => {
  const catalog = { rows: [stored({ address: address(1) }), stored({ address: address(2) })] };
  /** Gives the very same objects again, as an isolate's memory does, until one is replaced. */
  function isolate() {
    const first = holder(catalog);
    const held = new Map<string, unknown>();
    const hold = (key: string): unknown => {
      if (!held.has(key)) held.set(key, key === "yields" ? {} : first(key));
      return held.get(key);
    };
    const context = contextHolding(hold, <T>(_policy: CachePolicy<T>, value: unknown) => value as T);
    return {
      held,
      list: (filter: Partial<VaultFilter> = {}) => listVaults(context, { limit: 9, ...filter }),
    };
  }

  test("returns the same object while nothing changed", async () => {
    const { list } = isolate();
    const page = await list();
    expect(page.rows).toHaveLength(2);
    expect(await list()).toBe(page);
    for (const other of [{ limit: 1 }, { q: "vault" }, { after: key(1) }]) {
      const asked = await list(other);
      expect(asked).not.toBe(page);
      expect(await list(other)).toBe(asked);
    }
  });

  test.each<[key: string, value: unknown, shown: object]>([
    ["registry", [stored({ address: address(2), name: "New" })], { name: "New" }],
    ["flags:31337", { [id(2)]: { paused: true, minDeposit: null } }, { paused: true }],
    ["yields", { [id(2)]: { apy_1d: 0.1, apy_7d: null, apy_30d: null } }, { apy_1d: 0.1 }],
    ["router:31337", { deployed: false, at: 0 }, { external_router: true }],
  ])("returns a new page when %s changed", async (name, value, shown) => {
    const { held, list } = isolate();
    await list();
    const found = [...held.keys()].find((one) => one.startsWith(name)) ?? "";
    held.set(found, value);
    const { rows } = await list();
    expect(rows.at(-1)).toMatchObject({ vault_id: id(2), ...shown });
  });

  test("is separate for each deployment", async () => {
    const [one, other] = [isolate(), isolate()];
    expect(await other.list()).not.toBe(await one.list());
  });
});
