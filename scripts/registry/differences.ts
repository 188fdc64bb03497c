import { sameAddress } from "../../src/lib/address.ts";
import type { StoredVault } from "../../src/vaults/vault.ts";
import type { DerivedVault } from "../../src/vaults/vault-deriver.ts";

/**
 * Describes each difference between a row and the chain; empty when they agree. A row that names the user as caller, or
 * fewer tokens or parameters than the chain, agrees with it.
 */
export function differencesOf(row: StoredVault, found: { adapter: string; vault: DerivedVault }): string[] {
  const { vault } = found;
  const pairs: readonly [string, string | number, string | number][] = [
    ["adapter", row.adapter, found.adapter],
    ["asset", row.assetAddress, vault.asset.address],
    ["asset decimals", row.assetDecimals, vault.asset.decimals],
    ["share token", row.shareToken, vault.shareToken],
    ["share decimals", row.shareDecimals, vault.shareDecimals],
    ["entry point", row.entryPoint, vault.entryPoint],
    ["spender", row.spender, vault.spender],
    ["pricer", row.pricer, vault.pricer],
  ];
  const differing = pairs
    .filter(([, said, is]) => String(said).toLowerCase() !== String(is).toLowerCase())
    .map(([name, said, is]) => `${name} is ${is}, not ${said}`);
  return [...differing, ...callerOf(row, vault), ...tokensOf(row, vault), ...paramsOf(row, vault)];
}

/**
 * Describes a wrong caller in a row. A row with the caller `user` is accepted, because it always works, at worst in two
 * steps; the opposite mistake makes deposits revert.
 */
function callerOf(row: StoredVault, vault: DerivedVault): string[] {
  return vault.caller === "user" && row.caller === "router" ? ["only the user may call it"] : [];
}

function tokensOf(row: StoredVault, vault: DerivedVault): string[] {
  return row.acceptedAssets.flatMap((said) => {
    const taken = vault.acceptedAssets.find((token) => sameAddress(token.address, said.address));
    if (taken === undefined) return [`${said.symbol} is not taken`];
    return taken.decimals === said.decimals ? [] : [`${said.symbol} has ${taken.decimals} decimals`];
  });
}

function paramsOf(row: StoredVault, vault: DerivedVault): string[] {
  return Object.entries(vault.params ?? {}).flatMap(([name, is]) => {
    const said = row.params[name];
    return said === undefined || said === is ? [] : [`${name} is ${is}, not ${said}`];
  });
}
