import type { Address } from "viem";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { queryAll } from "../chains/chain-reads.ts";
import { families } from "../vaults/families/vault-families.ts";
import type { DerivationSubject } from "../vaults/vault-deriver.ts";

/**
 * Returns the name of the vault family that on-chain data proves for an address: the first family with an identifying
 * interface or factory that accepts the contract. Returns null if there is none; the contract may still be a generic
 * ERC-4626 vault. Errors of the chain client propagate.
 */
export async function recognizeFamily(
  client: ChainClient,
  subject: DerivationSubject,
): Promise<string | null> {
  const conclusive = families.filter(({ deriver }) => deriver.conclusive);
  const parts = Object.fromEntries(
    conclusive.map(({ adapter, deriver }) => [adapter.name, deriver.derive(subject)]),
  );
  const { value } = await runQuery(client, queryAll(parts));
  return conclusive.find(({ adapter }) => value[adapter.name]?.ok === true)?.adapter.name ?? null;
}

/**
 * Returns a human-readable description of a contract that belongs to a known protocol but is not a vault, such as one
 * that only redeems. Returns null if no protocol recognizes it. Errors of the chain client propagate.
 */
export async function describeForeignContract(client: ChainClient, address: Address): Promise<string | null> {
  const parts = families.flatMap(({ adapter, deriver }) =>
    deriver.describeOther === undefined ? [] : [[adapter.name, deriver.describeOther(address)] as const],
  );
  const { value } = await runQuery(client, queryAll(Object.fromEntries(parts)));
  return Object.values(value).find((text) => text !== null) ?? null;
}
