import type { Address } from "viem";
import { runWholeQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { queryAll } from "../chains/chain-reads.ts";
import { families } from "../vaults/families/vault-families.ts";
import type { Derivation, DerivationSubject } from "../vaults/vault-deriver.ts";

/**
 * Returns the name of the first vault family with a conclusive deriver that accepts a contract, or null; it may then
 * still be a generic ERC-4626 vault. Throws `upstream_unavailable` if the nodes made only a part of the reads; errors
 * of the chain client propagate.
 */
export async function recognizeFamily(
  client: ChainClient,
  subject: DerivationSubject,
): Promise<string | null> {
  return (await recognizeVault(client, { subject, adapter: null })).family;
}

/**
 * As `recognizeFamily`, with the derivations that the same requests make of the contract, by family name: one for each
 * of these families and one for the family `adapter`.
 */
export async function recognizeVault(
  client: ChainClient,
  { subject, adapter: claimed }: { subject: DerivationSubject; adapter: string | null },
): Promise<{ family: string | null; derivations: ReadonlyMap<string, Derivation> }> {
  const read = families.filter(({ adapter, deriver }) => deriver.conclusive || adapter.name === claimed);
  const parts = Object.fromEntries(
    read.map(({ adapter, deriver }) => [adapter.name, deriver.derive(subject)]),
  );
  // A map, because names come from callers: an object would answer for its prototype's names too.
  const derivations = new Map(Object.entries(await runWholeQuery(client, queryAll(parts))));
  const family = read.find(
    ({ adapter, deriver }) => deriver.conclusive && derivations.get(adapter.name)?.ok === true,
  );
  return { family: family?.adapter.name ?? null, derivations };
}

/**
 * Returns a human-readable description of a contract that belongs to a known protocol but is not a vault, such as one
 * that only redeems. Returns null if no protocol recognizes it. Errors of the chain client propagate.
 */
export async function describeForeignContract(client: ChainClient, address: Address): Promise<string | null> {
  const parts = families.flatMap(({ adapter, deriver }) =>
    deriver.describeOther === undefined ? [] : [[adapter.name, deriver.describeOther(address)] as const],
  );
  const texts = await runWholeQuery(client, queryAll(Object.fromEntries(parts)));
  return Object.values(texts).find((text) => text !== null) ?? null;
}
