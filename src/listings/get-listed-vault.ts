import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultDetail } from "../schemas/vault-schema.ts";
import { toWireVault } from "../vaults/describe-vault.ts";
import { findVault, listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { depositEntryForDisplay } from "../vaults/vault-deposit-entry.ts";
import { vaultLinks } from "../vaults/vault-figures.ts";
import { readVaultState, type VaultStateAtBlock } from "../vaults/vault-state.ts";
import { noYields, readYields, type Yields } from "../vaults/vault-yields.ts";
import { assetValue, type PricesByToken, readAssetPrices } from "./listed-asset-prices.ts";

/**
 * Vault responses by the on-chain state that they were built from, so that an unchanged state returns the same object.
 */
const written = new WeakMap<VaultStateAtBlock, Written>();
/** A vault response with the inputs that it was built from. */
interface Written {
  vault: Vault;
  stale: boolean;
  via: string;
  yields: Yields;
  prices: PricesByToken;
  detail: VaultDetail;
}

/**
 * Returns one vault with its on-chain state, limits, yields and value, null where unknown or not applicable (an unknown
 * pause false, an unknown Router not used). If the chain cannot be read, the state may be up to seven days old, with
 * `stale` true from a minute on. Throws `vault_not_found` and `store_unavailable`.
 */
export async function getVault(ctx: Context, key: VaultKey): Promise<VaultDetail> {
  const vault = await findVault(ctx, formatVaultId(key));
  const { facts } = await listRegistry(ctx);
  const chain = ctx.chains.definitions.get(vault.chainId);
  if (chain === undefined) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const [current, entry, allYields, prices] = await Promise.all([
    readVaultState(ctx, vault),
    depositEntryForDisplay(ctx, vault),
    readYields(ctx),
    readAssetPrices(ctx, vault.chainId),
  ]);
  const yields = allYields[vault.vaultId] ?? noYields;
  const read = current?.read ?? null;
  const stale = current?.stale ?? false;
  const known = read === null ? undefined : written.get(read);
  const isSame = known?.vault === vault && known.stale === stale && known.via === entry.via;
  if (isSame && known.yields === yields && known.prices === prices) return known.detail;
  const state = read?.state ?? null;
  const detail: VaultDetail = {
    ...toWireVault(vault, {
      chain,
      entry,
      pausedOnChain: state?.paused ?? false,
      minDeposit: state?.minDeposit ?? null,
    }),
    ...yields,
    ...vaultLinks(vault, chain),
    exit_fee: state?.exitFee ?? null,
    signals: facts.get(vault.vaultId)?.signals ?? { high: 0, medium: 0 },
    tvl_usd: assetValue(vault, { assets: state?.totalAssets ?? null, prices }),
    total_assets: state?.totalAssets?.toString() ?? null,
    total_supply: state?.totalSupply?.toString() ?? null,
    share_price: state?.sharePrice?.toString() ?? null,
    share_token: vault.shareToken,
    share_decimals: vault.shareDecimals,
    max_deposit: state?.maxDeposit?.toString() ?? null,
    read_at:
      read === null
        ? null
        : { block_number: read.block.number, block_timestamp: toTime(read.block.timestamp) },
    stale,
  };
  if (read !== null) written.set(read, { vault, stale, via: entry.via, yields, prices, detail });
  return detail;
}

const toTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
