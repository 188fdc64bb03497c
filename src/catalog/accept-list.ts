import { isNative, sameAddress } from "../lib/address.ts";
import type { ListedToken } from "../providers/provider.ts";
import type { Token } from "../vaults/vault.ts";

/** How many tokens of a list are taken; those that matter come first in it. */
const MAX_TOKENS = 500;
const MAX_DECIMALS = 36;
/** Whatever people can read, and nothing that steers what shows it. */
const TEXT = /^[^\p{C}\p{Z}]{1,32}$/u;
const NAME = /^[^\p{C}]{0,128}$/u;

/**
 * What of an upstream's list can be believed before the chain was asked; null when it contradicts itself or what is
 * known for certain, so that nothing of it is worth anything. A token that calls itself as one of `own` from another
 * address is left out. Pure.
 */
export function acceptList(listed: readonly ListedToken[], own: readonly Token[]): ListedToken[] | null {
  const addresses = new Set(listed.map(({ address }) => address.toLowerCase()));
  if (addresses.size !== listed.length) return null;
  const contradicts = listed.some((token) =>
    own.some(({ address, decimals }) => sameAddress(address, token.address) && decimals !== token.decimals),
  );
  if (contradicts) return null;
  return listed.filter((token) => isSound(token) && !isImpostor(token, own)).slice(0, MAX_TOKENS);
}

function isSound({ address, symbol, name, decimals }: ListedToken): boolean {
  const inRange = decimals >= 0 && decimals <= MAX_DECIMALS;
  return inRange && TEXT.test(symbol) && NAME.test(name) && !isNative(address);
}

function isImpostor({ symbol, address }: ListedToken, own: readonly Token[]): boolean {
  const namesake = own.filter((token) => token.symbol.toUpperCase() === symbol.toUpperCase());
  return namesake.length > 0 && !namesake.some((token) => sameAddress(token.address, address));
}
