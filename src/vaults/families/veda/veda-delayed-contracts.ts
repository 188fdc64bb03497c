import type { Address } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import type { Vault } from "../../vault.ts";
import { addressesParam, addressParam } from "../../vault-params.ts";

/** Maximum number of accepted delayed-withdrawal contracts that a registry entry remembers. */
const MAX_CONTRACTS = 4;

/**
 * Returns the accepted delayed-withdrawal contracts (registry parameter `delayed_requests`) after one was accepted: the
 * first one, by whose requests' ids no contract is named, then the others, the last accepted one last. Of more than
 * four, the oldest but the first is forgotten.
 */
export function withAccepted(contracts: readonly Address[], accepted: Address): Address[] {
  const [first = accepted, ...others] = contracts;
  if (sameAddress(contracts.at(-1) ?? accepted, accepted)) return [first, ...others];
  const between = others.filter((one) => ![first, accepted].some((kept) => sameAddress(one, kept)));
  return [first, ...[...between, accepted].slice(1 - MAX_CONTRACTS)];
}

/**
 * Returns the delayed-withdrawal contracts whose open requests are read, claimed and cancelled: the accepted ones, the
 * first one first, and that of the registry entry. Throws an Error if a parameter is invalid.
 */
export function delayedContracts(vault: Vault): Address[] {
  const named = addressParam(vault, "delayed_withdraw");
  const all = [...addressesParam(vault, "delayed_requests"), ...(named === null ? [] : [named])];
  return all.filter((one, index) => all.findIndex((other) => sameAddress(other, one)) === index);
}

/**
 * Returns the delayed-withdrawal contract of the registry entry or, once the vault no longer lets it pay, the last that
 * was accepted. Null if there is none. Throws an Error if a parameter is invalid.
 */
export const delayedContract = (vault: Vault): Address | null =>
  addressParam(vault, "delayed_withdraw") ?? addressesParam(vault, "delayed_requests").at(-1) ?? null;

/**
 * Returns an id for the account's request for a token at a delayed-withdrawal contract, which does not number requests:
 * `0` for the vault's asset, the lowercase address of any other token; at any but the vault's first such contract,
 * `@<address>` follows. So a request keeps its id when another contract takes over.
 */
export function delayedRequestId(vault: Vault, of: { contract: Address; token: Address }): string {
  const { contract, token } = of;
  const id = sameAddress(token, vault.asset.address) ? "0" : token.toLowerCase();
  const isFirst = sameAddress(contract, delayedContracts(vault)[0] ?? contract);
  return isFirst ? id : `${id}@${contract.toLowerCase()}`;
}

/** Returns the delayed-withdrawal contract of a request by its id, or null if the vault has none. */
export function delayedContractOf(vault: Vault, requestId: string): Address | null {
  const [first = null, ...others] = delayedContracts(vault);
  const [, named] = requestId.split("@");
  return named === undefined ? first : (others.find((one) => sameAddress(one, named)) ?? null);
}
