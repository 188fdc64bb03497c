import { describe, expect, test } from "vitest";
import { listVaults, type VaultFilter } from "../../src/listings/list-vaults.ts";
import type { CachePolicy } from "../../src/redis/two-level-cache.ts";
import {
  address,
  contextHolding,
  figuresOf,
  holder,
  id,
  key,
  type ListedRow,
  stored,
} from "../support/vaults/listed.ts";

/** The row of vault 2 as the registry's cache holds it. */
const read = (change: Partial<ListedRow>) => ({
  ...stored({ address: address(2) }),
  ...{ figures: figuresOf(), highSignals: 0, mediumSignals: 0 },
  ...change,
});

describe("listVaults() caching", () => {
  const catalog = { rows: [stored({ address: address(1) }), stored({ address: address(2) })] };
  /** Gives the very same objects again, as an isolate's memory does, until one is replaced. */
  function isolate() {
    const first = holder(catalog);
    const held = new Map<string, unknown>();
    const hold = (key: string): unknown => {
      if (!held.has(key)) held.set(key, first(key));
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
    ["registry", [read({ name: "New" })], { name: "New" }],
    ["flags:31337", { [id(2)]: { paused: true, minDeposit: null } }, { paused: true }],
    ["registry", [read({ figures: figuresOf({ apy1d: 0.1 }) })], { apy_1d: 0.1 }],
    ["registry", [read({ figures: figuresOf({ routerDeployed: false }) })], { external_router: true }],
    ["registry", [read({ highSignals: 2 })], { signals: { high: 2, medium: 0 } }],
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
