import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { readSeedFile, UNPROVEN } from "../../scripts/db/seed.ts";
import { SeedRow } from "../../scripts/db/seed-row.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { formatVaultId } from "../../src/lib/vault-id.ts";
import { findAdapter, findFamily } from "../../src/vaults/families/vault-families.ts";

const rows = readSeedFile().map((row) => [formatVaultId(row), row] as const);
/** Rows whose contracts are all known, so that only the proof is missing. */
const complete = rows.filter(([, row]) => row.statusReason === UNPROVEN);
const chainIds = new Set(knownChains.map(({ chainId }) => chainId));

/** What others collected of real vaults; it stays outside the repository. */
const FACTS = join(import.meta.dirname, "../../../shared/facts/known-vaults.json");
const present = existsSync(FACTS);

test("the seed lists every vault once, ordered by id", () => {
  const order = rows.map(([, { chainId, address }]) => `${String(chainId).padStart(9, "0")}:${address}`);
  expect(order).toEqual([...new Set(order)].sort());
});

test("no row is open before its proof", () => {
  const open = rows.filter(([, { status }]) => status === "active" || status === "paused");
  expect(open).toEqual([]);
  expect(complete.length).toBeGreaterThan(10);
});

describe.each(rows)("%s", (_id, row) => {
  test("has the right tokens and family", () => {
    const tokens = row.acceptedAssets.map(({ address }) => address);
    expect(tokens).toEqual([...new Set(tokens)].map((address) => getAddress(address.toLowerCase())));
    // A family whose adapter is not written yet has no row that takes deposits.
    const family = findFamily(row.adapter);
    if (family !== null) expect(row.type).toBe(family.type);
    for (const text of [row.name, row.curator, row.statusReason]) expect(text).toBe(text.trim());
    expect(row.statusReason).not.toBe("");
  });
});

describe.each(complete)("%s is complete", (_id, row) => {
  test("on a known chain with a known adapter and a complete row", () => {
    expect(chainIds).toContain(row.chainId);
    expect(findAdapter(row.adapter)?.name).toBe(row.adapter);
    const [asset] = row.acceptedAssets;
    expect(asset).toMatchObject({ symbol: row.assetSymbol, decimals: row.assetDecimals });
    expect(asset?.address.toLowerCase()).toBe(row.assetAddress);
    expect(row.shareDecimals).toBeGreaterThanOrEqual(row.assetDecimals);
    expect(row.assetDecimals).toBeGreaterThan(0);
    if (row.adapter === "metamorpho") expect(row.shareDecimals).toBe(Math.max(18, row.assetDecimals));
  });
});

test("the seed refuses a row without an asset unless it is unsupported", () => {
  const [, known] = complete[0] ?? [];
  const bare = {
    ...known,
    status: "active",
    acceptedAssets: [],
    assetSymbol: "",
    assetAddress: `0x${"0".repeat(40)}`,
  };
  expect(SeedRow.safeParse(bare).success).toBe(false);
  expect(SeedRow.safeParse({ ...bare, status: "paused" }).success).toBe(false);
  expect(SeedRow.safeParse({ ...bare, status: "unsupported" }).success).toBe(true);
});

test.runIf(!present)("what others collected is absent here: the file is not compared with it", () => {
  expect(present).toBe(false);
});

describe.runIf(present)("what others collected of real vaults", () => {
  type Known = {
    chain_id: number;
    address: string;
    name: string;
    asset: { address: string; decimals: number } | null;
  };
  const known: Known[] = present ? JSON.parse(readFileSync(FACTS, "utf8")).vaults : [];

  test("is in the file with its assets", () => {
    const own = new Map(rows);
    expect(known.length).toBeGreaterThan(0);
    for (const { chain_id: chainId, address, asset } of known) {
      const row = own.get(formatVaultId({ chainId, address }));
      expect(row, `${chainId}:${address}`).toBeDefined();
      if (asset === null) continue;
      expect(row).toMatchObject({ assetAddress: asset.address.toLowerCase(), assetDecimals: asset.decimals });
    }
  });
});
