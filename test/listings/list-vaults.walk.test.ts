import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  listVaults,
  type VaultFilter,
  type VaultPosition,
  type VaultSort,
} from "../../src/listings/list-vaults.ts";
import { vaultRoutes } from "../../src/routes/vaults-routes.ts";
import { SortedVaultCursor } from "../../src/schemas/cursor-schema.ts";
import type { ListedVault } from "../../src/schemas/vault-schema.ts";
import { families } from "../../src/vaults/families/vault-families.ts";
import { appOf } from "../support/http/app.ts";
import { address, contextOf, figuresOf, type ListedRow, stored, WETH } from "../support/vaults/listed.ts";

const sorts: readonly (VaultSort | undefined)[] = ["tvl_usd", "apy_7d", "name", "proven_at", undefined];
const orders = ["asc", "desc"] as const;
const weth = { assetAddress: WETH, assetSymbol: "WETH", assetDecimals: 18 };

/** Rows in which every filter takes some vaults and every sort key has equal and unknown values. */
const rows: ListedRow[] = Array.from({ length: 29 }, (_, n) =>
  stored({
    ...{ address: address(n + 1), chainId: n % 4 === 0 ? 8453 : 31337, name: `Vault ${"abC"[n % 3]}` },
    ...(n % 5 === 0 ? weth : {}),
    ...(n % 3 === 1 ? { adapter: "lagoon" } : {}),
    ...(n % 7 === 2 ? { type: "morpho" as const } : {}),
    ...(n % 7 === 3 ? { acceptedAssets: [{ address: WETH, symbol: "WETH", decimals: 18 }] } : {}),
    ...(n % 6 === 4 ? { status: "paused" as const, statusReason: "under review" } : {}),
    curator: n % 2 === 0 ? "Ann" : "",
    figures: figuresOf({
      tvlUsd: n % 8 === 0 ? null : String((n % 4) * 1_000 + 0.5),
      apy7d: n % 9 === 0 ? null : (n % 3) / 10,
    }),
    proof: n % 4 === 1 ? null : proofAt(n % 5),
  }),
);

function proofAt(day: number): NonNullable<ListedRow["proof"]> {
  const at = `2026-01-0${day + 1}T00:00:00.000Z`;
  return { ok: true, blockNumber: 1, at, amount: null, shares: null, returned: null, reason: "" };
}

/** One value of each filter, and what it means for a vault as the list shows it. */
const filters: readonly [Partial<VaultFilter>, (vault: ListedVault) => boolean][] = [
  [{ chainId: 31337 }, ({ chain_id }) => chain_id === 31337],
  [{ asset: "usdc" }, ({ asset }) => asset.symbol === "USDC"],
  [{ accepts: WETH }, ({ accepted_assets }) => accepted_assets.some(({ symbol }) => symbol === "WETH")],
  [{ type: "custom" }, ({ type }) => type === "custom"],
  [{ family: "lagoon" }, ({ family }) => family === "lagoon"],
  [{ depositSettlement: "instant" }, ({ settlement }) => settlement.deposit === "instant"],
  [{ withdrawSettlement: "request" }, ({ settlement }) => settlement.withdraw === "request"],
  [{ curator: "ann" }, ({ curator }) => curator === "Ann"],
  [{ q: "c" }, ({ name }) => name.toLowerCase().includes("c")],
  [{ paused: false }, ({ paused }) => !paused],
  [{ minTvlUsd: 1_000 }, ({ tvl_usd }) => tvl_usd !== null && Number(tvl_usd) >= 1_000],
  [
    { ids: rows.slice(3, 20).map(({ address: own, chainId }) => `${chainId}:${own}`) },
    ({ address: own }) => Number(own) >= 4 && Number(own) <= 20,
  ],
];

/** Follows the cursors to the end. `before` runs before each page and returns the rows of that moment. */
async function walk(filter: Partial<VaultFilter>, of: { limit: number; at: (page: number) => ListedRow[] }) {
  const seen: ListedVault[] = [];
  let after: VaultPosition | undefined;
  for (let page = 0; page <= 2 * rows.length; page += 1) {
    const found = await listVaults(contextOf({ rows: of.at(page) }), { ...filter, limit: of.limit, after });
    seen.push(...found.rows);
    if (found.next === null) return seen;
    after = SortedVaultCursor.parse(found.next);
  }
  throw new Error("the pages have no end");
}

const idsOf = (vaults: readonly ListedVault[]): string[] => vaults.map(({ vault_id }) => vault_id);

/** The values by which a list is sorted, as the list shows them. */
function valuesOf(vaults: readonly ListedVault[], sort: VaultSort): (string | number | null)[] {
  return vaults.map(({ tvl_usd, apy_7d, name, proof }) => {
    if (sort === "tvl_usd") return tvl_usd === null ? null : Number(tvl_usd);
    if (sort === "apy_7d") return apy_7d;
    return sort === "name" ? name.toLowerCase() : (proof?.at ?? null);
  });
}

function expectSorted(vaults: readonly ListedVault[], by: { sort: VaultSort; order: "asc" | "desc" }): void {
  const values = valuesOf(vaults, by.sort);
  for (const [index, value] of values.entries()) {
    const before = values[index - 1] ?? null;
    if (index === 0 || value === null) continue;
    // Unknown values come last.
    expect(before).not.toBeNull();
    if (before !== null) expect(by.order === "asc" ? before <= value : before >= value).toBe(true);
  }
}

/** Every sort order, and every single filter, pair of filters and no filter. */
const combinations = [-1, ...filters.keys()].flatMap((one) =>
  [...filters.keys()].filter((other) => other > one).map((other) => [one, other].filter((n) => n >= 0)),
);

describe.each(sorts)("pages sorted by %s", (sort) => {
  const directions = sort === undefined ? [undefined] : orders;
  test.each(directions)("%s give each vault of every pair of filters once and in order", async (order) => {
    const whole = await walk({}, { limit: 500, at: () => rows });
    expect(whole).toHaveLength(rows.length);
    for (const chosen of [[], ...combinations]) {
      const named = chosen.flatMap((index) => (filters[index] === undefined ? [] : [filters[index]]));
      const filter: Partial<VaultFilter> = Object.assign({}, ...named.map(([given]) => given), {
        sort,
        order,
      });
      const seen = await walk(filter, { limit: 1 + chosen.length * 3, at: () => rows });
      const expected = whole.filter((vault) => named.every(([, holds]) => holds(vault)));
      expect([idsOf(seen).toSorted(), filter]).toEqual([idsOf(expected).toSorted(), filter]);
      if (sort !== undefined && order !== undefined) expectSorted(seen, { sort, order });
      else expect(idsOf(seen)).toEqual(idsOf(expected));
    }
  });
});

test("any combination of filters, order and size of page gives each vault once", async () => {
  const property = fc.asyncProperty(
    fc.subarray([...filters]),
    fc.constantFrom(...sorts),
    fc.constantFrom(...orders),
    fc.integer({ min: 1, max: 9 }),
    async (named, sort, order, limit) => {
      const by = sort === undefined ? {} : { sort, order };
      const filter: Partial<VaultFilter> = Object.assign({}, ...named.map(([given]) => given), by);
      const whole = await walk({}, { limit: 500, at: () => rows });
      const seen = await walk(filter, { limit, at: () => rows });
      const expected = whole.filter((vault) => named.every(([, holds]) => holds(vault)));
      expect(idsOf(seen).toSorted()).toEqual(idsOf(expected).toSorted());
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test("while other vaults change, come and go between the pages, each that stays is given once", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...sorts),
    fc.constantFrom(...orders),
    fc.integer({ min: 1, max: 6 }),
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 28 }),
        fc.constantFrom("gone", "richer", "poorer", "renamed", "new"),
      ),
      { maxLength: 12 },
    ),
    async (sort, order, limit, changes) => {
      const at = (page: number): ListedRow[] => {
        let current = rows;
        for (const [n, change] of changes.slice(0, page)) current = changed(current, { n, change });
        return current;
      };
      const touched = new Set(changes.map(([n]) => `${rows[n]?.chainId}:${rows[n]?.address}`));
      const seen = idsOf(await walk(sort === undefined ? {} : { sort, order }, { limit, at }));
      for (const { chainId, address: own } of rows) {
        const vaultId = `${chainId}:${own}`;
        const times = seen.filter((one) => one === vaultId).length;
        if (!touched.has(vaultId)) expect([vaultId, times]).toEqual([vaultId, 1]);
      }
      // Where the order does not depend on what changes, no vault comes twice.
      if (sort === undefined) expect(new Set(seen).size).toBe(seen.length);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

function changed(current: ListedRow[], { n, change }: { n: number; change: string }): ListedRow[] {
  const own = rows[n];
  if (own === undefined) return current;
  const isOwn = (row: ListedRow) => row.chainId === own.chainId && row.address === own.address;
  if (change === "gone") return current.filter((row) => !isOwn(row));
  if (change === "new") {
    const added = stored({ ...own, address: address(1_000 + n) });
    // The table's key allows each vault once.
    return [
      ...current.filter((row) => row.chainId !== added.chainId || row.address !== added.address),
      added,
    ];
  }
  const figures = figuresOf({
    tvlUsd: change === "richer" ? "99999" : "0.1",
    apy7d: change === "richer" ? 3 : -3,
  });
  const made = change === "renamed" ? { name: "Zzz", proof: proofAt(8) } : { figures };
  return current.map((row) => (isOwn(row) ? { ...row, ...made } : row));
}

describe("GET /v1/vaults with a value that does not exist", () => {
  const { send } = appOf(vaultRoutes, {}, () => contextOf({ rows }));
  test.each([
    ["family", "metamorfo", families.map(({ adapter }) => adapter.name)],
    ["type", "yearn", ["custom", "morpho", "veda", "midas", "lido", "ipor", "accountable"]],
    ["deposit_settlement", "cooldown", ["instant", "request"]],
    ["withdraw_settlement", "later", ["instant", "request", "cooldown"]],
    ["sort", "tvl", ["tvl_usd", "apy_7d", "name", "proven_at"]],
    ["order", "down", ["asc", "desc"]],
    ["paused", "maybe", ["true", "false"]],
  ])("%s=%s is 422 and names those that do", async (name, value, known) => {
    const response = await send(`/v1/vaults?${name}=${value}${name === "order" ? "&sort=name" : ""}`);
    const body = (await response.json()) as { detail: { loc: string[]; msg: string }[] };
    expect([response.status, body.detail[0]?.loc]).toEqual([422, ["query", name]]);
    for (const one of known) expect(body.detail[0]?.msg).toContain(one);
  });

  test("a filter that does not exist is 422 with the one that was probably meant", async () => {
    const response = await send("/v1/vaults?familly=lagoon");
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { detail: [{ loc: ["query", "familly"], msg: expect.stringContaining("family") }] },
    ]);
  });

  test.each(families.map(({ adapter }) => adapter.name))("family=%s is accepted", async (name) => {
    expect((await send(`/v1/vaults?family=${name}`)).status).toBe(200);
  });
});
