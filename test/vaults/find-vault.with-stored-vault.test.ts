import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/client.ts";
import { withStoredVault } from "../../src/vaults/find-vault.ts";
import type { StoredVault, Vault } from "../../src/vaults/vault.ts";
import { address, contextOf, key, stored } from "../support/vaults/listed.ts";

const row = stored({ address: address(1), status: "active" });
const OLD = getAddress(address(7));

/** Works on vault 1 while Postgres has one row of it and the cache another; gives what was worked on. */
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

describe("what rests on a vault", () => {
  test("is done once where Postgres and the cache agree, or the cache has nothing to start with", async () => {
    expect(await work({ postgres: row, cached: row })).toEqual({ outcome: own, tried: 1 });
    expect(await work({ postgres: row, cached: null })).toEqual({ outcome: own, tried: 1 });
    const paused = { ...row, status: "paused" } as const;
    expect(await work({ postgres: row, cached: paused })).toEqual({ outcome: own, tried: 1 });
  });

  test("is done again where they differ, and no address of the cache is returned", async () => {
    const cached = { ...row, entryPoint: address(9) };
    expect(await work({ postgres: row, cached })).toEqual({ outcome: own, tried: 2 });
  });

  test("does not fail by what the cache alone says", async () => {
    expect(await work({ postgres: row, cached: { ...row, spender: OLD } })).toEqual({
      outcome: own,
      tried: 2,
    });
  });

  test("is never returned of a vault that Postgres has no more, or does not serve", async () => {
    expect(await work({ postgres: null, cached: row })).toMatchObject({ outcome: "vault_not_found" });
    const unsupported = { ...row, status: "unsupported" } as const;
    expect(await work({ postgres: unsupported, cached: row })).toMatchObject({ outcome: "vault_not_found" });
  });
});
