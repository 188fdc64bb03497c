import type { Address } from "viem";
import { runWholeQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { readContractCode } from "../chains/code-at-block.ts";
import type { Context } from "../context.ts";
import type { DerivedColumns } from "../db/queries/vault-queries.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { deriverOf } from "../vaults/families/vault-families.ts";
import {
  type Derivation,
  type DerivationSubject,
  type DerivedVault,
  MAX_DECIMALS,
  underivable,
} from "../vaults/vault-deriver.ts";
import { readStoredAddress } from "./read-registry-code.ts";

/** Throws `chain_unsupported` if this deployment does not serve the chain. */
export function assertServedChain(ctx: Context, chainId: number): void {
  if (ctx.chains.definitions.has(chainId)) return;
  throw failure("chain_unsupported", `chain ${chainId} is not served`);
}

/**
 * Reads a vault's addresses, tokens and parameters. The derivation fails with a reason if no family is called
 * `adapter`, or if the family's deriver or `confirmDerivation` rejects the contract. Throws `upstream_unavailable` if
 * the nodes made only a part of the reads; errors of the chain client propagate.
 */
export async function deriveFromChain(
  client: ChainClient,
  input: { adapter: string; subject: DerivationSubject },
): Promise<Derivation> {
  const deriver = deriverOf(input.adapter);
  if (deriver === null) return underivable(`no adapter is called ${input.adapter}`);
  const derivation = await runWholeQuery(client, deriver.derive(input.subject));
  return confirmDerivation(client, { ...input, derivation });
}

/**
 * Returns a derivation by the family `adapter`, with the contract that only the vault's storage names (`Deriver.stored`);
 * or a failed one with its reason if the share token has more than 36 decimals, or if the entry point, spender, share
 * token, pricer or asset has no code. The subject's own code is not read. Throws as `deriveFromChain` does.
 */
export async function confirmDerivation(
  client: ChainClient,
  input: { adapter: string; derivation: Derivation; subject: DerivationSubject },
): Promise<Derivation> {
  const { subject } = input;
  const derivation = await completeDerivation(client, input);
  if (!derivation.ok) return derivation;
  const { vault } = derivation;
  if (vault.shareDecimals > MAX_DECIMALS)
    return underivable(`the share token reports ${vault.shareDecimals} decimals, more than ${MAX_DECIMALS}`);
  const touched = [vault.entryPoint, vault.spender, vault.shareToken, vault.pricer, vault.asset.address];
  // The subject has code: a derivation succeeds only if its views answered.
  const named = touched.filter((address) => !sameAddress(address, subject.address));
  const missing = await findAddressWithoutCode(client, named);
  return missing === null ? derivation : underivable(`there is no contract at ${missing}`);
}

/** Derives a vault again if its storage names another contract than its registry entry. */
async function completeDerivation(
  client: ChainClient,
  { adapter, derivation, subject }: { adapter: string; derivation: Derivation; subject: DerivationSubject },
): Promise<Derivation> {
  const deriver = deriverOf(adapter);
  if (!derivation.ok || deriver?.stored === undefined) return derivation;
  const { param, slots } = deriver.stored;
  const vault = subject.address;
  const found = await Promise.all(slots.map((slot) => readStoredAddress(client, { vault, slot })));
  const named = found.find((address) => address !== null)?.toLowerCase();
  if (named === undefined || named === derivation.vault.params?.[param]) return derivation;
  const params = { ...subject.params, [param]: named };
  return runWholeQuery(client, deriver.derive({ ...subject, params }));
}

/** Returns the first address that has no contract code, or null if all have code. */
async function findAddressWithoutCode(
  client: ChainClient,
  addresses: readonly Address[],
): Promise<Address | null> {
  const distinct = [...new Set(addresses)];
  const codes = await Promise.all(distinct.map((address) => readContractCode(client, address)));
  return distinct.find((_, index) => codes[index] === "0x") ?? null;
}

/**
 * Converts a vault read from on-chain data to columns of the vaults table. Addresses are lowercase, except those in
 * `acceptedAssets` and `params`; `caller` and `params` are absent if on-chain data does not determine them.
 */
export function toDerivedColumns(vault: DerivedVault): DerivedColumns {
  const { asset, acceptedAssets, caller, params } = vault;
  return {
    assetAddress: asset.address.toLowerCase(),
    assetSymbol: asset.symbol,
    assetDecimals: asset.decimals,
    acceptedAssets: [...acceptedAssets],
    shareToken: vault.shareToken.toLowerCase(),
    shareDecimals: vault.shareDecimals,
    entryPoint: vault.entryPoint.toLowerCase(),
    spender: vault.spender.toLowerCase(),
    pricer: vault.pricer.toLowerCase(),
    ...(caller === undefined ? {} : { caller }),
    ...(params === undefined ? {} : { params: { ...params } }),
  };
}
