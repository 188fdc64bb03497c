import type { Address } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import {
  acceptedRequestId,
  contractOfRequest,
  contractsOf,
  requestContracts,
} from "../../accepted-contracts.ts";
import type { Vault } from "../../vault.ts";
import { addressesParam, addressParam } from "../../vault-params.ts";

/** Returns the vault's delayed-withdrawal contracts; see `contractsOf`. Throws an Error if a parameter is invalid. */
export const delayedContracts = (vault: Vault): Address[] => contractsOf(vault, requestContracts.delayed);

/**
 * Returns the delayed-withdrawal contract of the registry entry or, once the vault no longer lets it pay, the last that
 * was accepted. Null if there is none. Throws an Error if a parameter is invalid.
 */
export const delayedContract = (vault: Vault): Address | null =>
  addressParam(vault, requestContracts.delayed.present) ??
  addressesParam(vault, requestContracts.delayed.accepted).at(-1) ??
  null;

/**
 * Returns an id for the account's request for a token at a delayed-withdrawal contract, which does not number requests:
 * `0` for the vault's asset, the lowercase address of any other token; see `acceptedRequestId`.
 */
export function delayedRequestId(vault: Vault, of: { contract: Address; token: Address }): string {
  const { contract, token } = of;
  const id = sameAddress(token, vault.asset.address) ? "0" : token.toLowerCase();
  return acceptedRequestId(delayedContracts(vault), { contract, id });
}

/** Returns the delayed-withdrawal contract of a request by its id, or null if the vault has none. */
export const delayedContractOf = (vault: Vault, requestId: string): Address | null =>
  contractOfRequest(delayedContracts(vault), requestId);
