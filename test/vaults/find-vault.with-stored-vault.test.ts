import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database-client.ts";
import { withStoredVault } from "../../src/vaults/find-vault.ts";
import type { StoredVault, Vault } from "../../src/vaults/vault.ts";
import { address, contextOf, key, stored } from "../support/vaults/listed.ts";

const row = stored({ address: address(1), status: "active" });
const OLD = getAddress(address(7));

/** Runs withStoredVault() with given rows of vault 1 in Postgres and in the cache. */
async function work({ postgres, cached }: { postgres: StoredVault | null; cached: StoredVault | null }) {
  const db = { run: async () => (postgres === null ? [] : [postgres]) } as unknown as Database;
  const ctx = { ...contextOf({ rows: cached === null ? [] : [cached] }), db };
  const tried: Vault[] = [];
  const outcome = withStoredVault(ctx, {
    key: key(1),
    work: async (vault) => {
      tried.push(vault);
      if (vault.spender === OLD) throw new Error("of the cache");
      return vault.entryPoint;
    },
  });
  return { outcome: await outcome.catch(({ code, message }) => code ?? message), tried: tried.length };
}

const own = getAddress(row.entryPoint);

describe("withStoredVault()", () => {
  test("runs the work once when Postgres and the cache agree, or the cache has no active row", async () => {
    expect(await work({ postgres: row, cached: row })).toEqual({ outcome: own, tried: 1 });
    expect(await work({ postgres: row, cached: null })).toEqual({ outcome: own, tried: 1 });
    const paused = { ...row, status: "paused" } as const;
    expect(await work({ postgres: row, cached: paused })).toEqual({ outcome: own, tried: 1 });
  });

  test("repeats the work when the rows differ, and returns no cached address", async () => {
    const cached = { ...row, entryPoint: address(9) };
    expect(await work({ postgres: row, cached })).toEqual({ outcome: own, tried: 2 });
  });

  test("runs the work once when only the vault's proof was renewed", async () => {
    const proof = {
      ok: true,
      blockNumber: 1,
      at: "",
      amount: null,
      shares: null,
      returned: null,
      reason: "",
    };
    expect(await work({ postgres: { ...row, proof }, cached: row })).toEqual({ outcome: own, tried: 1 });
  });

  test("ignores a failure with the cached row", async () => {
    expect(await work({ postgres: row, cached: { ...row, spender: OLD } })).toEqual({
      outcome: own,
      tried: 2,
    });
  });

  test("throws vault_not_found for a vault that Postgres lacks or does not serve", async () => {
    expect(await work({ postgres: null, cached: row })).toMatchObject({ outcome: "vault_not_found" });
    const unsupported = { ...row, status: "unsupported" } as const;
    expect(await work({ postgres: unsupported, cached: row })).toMatchObject({ outcome: "vault_not_found" });
  });
});
