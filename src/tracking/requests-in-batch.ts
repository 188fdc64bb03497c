import type { Receipt } from "../chains/chain-transaction.ts";
import { sameAddress } from "../lib/address.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";

/** Maximum number of a vault's logs that are searched for further requests of a batch. */
const MAX_LOGS = 100;

/**
 * Returns the requests in a receipt's logs: the one that `find`, a family's function for requests, finds in all logs,
 * then those that it finds in the vault's logs after each of these. The same request may appear several times. Null if
 * there is none. Pure.
 */
export function requestsInBatch<T>(
  { logs }: Receipt,
  { vault, find }: { vault: Vault; find: (logs: Receipt["logs"]) => T | null },
): [T, ...T[]] | null {
  const first = find(logs);
  if (first === null) return null;
  const emitters = [
    vault.address,
    vault.entryPoint,
    vault.shareToken,
    ...adapterOf(vault).flows(vault).addresses,
  ];
  const own = logs.filter(({ address }) => emitters.some((one) => sameAddress(one, address)));
  return [first, ...own.slice(0, MAX_LOGS).flatMap((_, at) => find(own.slice(at + 1)) ?? [])];
}
