import { getAddress } from "viem";
import type { Context } from "../context.ts";
import { isNative, sameAddress } from "../lib/address.ts";
import type { TokenRef } from "../schemas/step-schema.ts";
import { listRegistry } from "./find-vault.ts";

/**
 * Identifies a token by chain id and address. The address may be in any case; its checksum is not checked. The zero
 * address is the chain's native currency.
 */
export interface TokenKey {
  chainId: number;
  address: string;
}

/**
 * Returns the symbol and decimals of a native currency or of a token that a vault in `listRegistry` accepts, or only
 * the decimals of such a vault's share token. The symbol is empty and the decimals are null if not known. Throws viem's
 * InvalidAddressError, and `store_unavailable`.
 */
export async function findToken(ctx: Context, { chainId, address }: TokenKey): Promise<TokenRef> {
  const own = { address: getAddress(address) };
  const native = ctx.chains.definitions.get(chainId)?.native;
  if (isNative(address) && native !== undefined) return { ...own, ...native };
  const { all } = await listRegistry(ctx);
  for (const vault of all) {
    if (vault.chainId !== chainId) continue;
    const tokens = [vault.asset, ...vault.acceptedAssets];
    const found = tokens.find((token) => sameAddress(token.address, address));
    if (found !== undefined) return { ...own, symbol: found.symbol, decimals: found.decimals };
    if (sameAddress(vault.shareToken, address)) return { ...own, symbol: "", decimals: vault.shareDecimals };
  }
  return { ...own, symbol: "", decimals: null };
}
