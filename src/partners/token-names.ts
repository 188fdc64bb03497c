import type { Context } from "../context.ts";
import { isNativeAlias } from "../lib/address.ts";
import { describeError } from "../lib/log.ts";
import { listRegistry } from "../vaults/registry.ts";

export interface TokenName {
  symbol: string;
  decimals: number | null;
}

const UNKNOWN: TokenName = { symbol: "", decimals: null };

/**
 * Names the tokens that vaults of ours take, and the chains' native ones; any other is unnamed, as all are
 * while the registry cannot be read. Never throws.
 */
export async function readTokenNames(ctx: Context): Promise<(chainId: number, address: string) => TokenName> {
  const names = new Map<string, TokenName>();
  try {
    for (const vault of (await listRegistry(ctx)).all) {
      for (const token of [vault.asset, ...vault.acceptedAssets])
        names.set(`${vault.chainId}:${token.address.toLowerCase()}`, token);
    }
  } catch (error) {
    ctx.log.warn("tokens_unnamed", { error: describeError(error) });
  }
  return (chainId, address) => {
    if (isNativeAlias(address)) return ctx.chains.definitions.get(chainId)?.native ?? UNKNOWN;
    return names.get(`${chainId}:${address.toLowerCase()}`) ?? UNKNOWN;
  };
}
