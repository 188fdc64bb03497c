import type { Context } from "../context.ts";
import { stringifyExact } from "../lib/json.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import { findVaultForDeposit, listRegistry } from "./registry.ts";
import type { Vault } from "./vault.ts";

/**
 * Does work on a vault as Postgres has it, without waiting for Postgres first: the work starts on the cached
 * row while the stored one is fetched, and is done again in the rare case that they differ. Nothing that
 * rests on a cached address is ever returned. `work` must have no effects outside.
 * Throws `vault_not_found`, `store_unavailable`, and what the work throws.
 */
export async function withStoredVault<T>(
  ctx: Context,
  input: { key: VaultKey; work: (vault: Vault) => Promise<T> },
): Promise<T> {
  const { key, work } = input;
  const stored = findVaultForDeposit(ctx, key);
  stored.catch(() => undefined);
  const guess = await guessVault(ctx, key);
  if (guess === null) return work(await stored);
  const early = work(guess);
  early.catch(() => undefined);
  const vault = await stored;
  return stringifyExact(vault) === stringifyExact(guess) ? early : work(vault);
}

async function guessVault(ctx: Context, key: VaultKey): Promise<Vault | null> {
  try {
    const guess = (await listRegistry(ctx)).byId.get(formatVaultId(key)) ?? null;
    return guess?.status === "active" ? guess : null;
  } catch {
    return null;
  }
}
