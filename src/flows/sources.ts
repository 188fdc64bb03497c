import type { ChainLog } from "../chains/logs.ts";
import type { FlowRow } from "../db/queries/flows.ts";
import type { FlowSource } from "../vaults/adapter.ts";
import { adapterOf } from "../vaults/adapters.ts";
import type { Vault } from "../vaults/vault.ts";

/** Where the flows of some vaults of one chain are seen. Addresses, topics and keys are lower case. */
export interface Sources {
  addresses: readonly string[];
  topics: readonly string[];
  /** The contracts of each vault, by its address. */
  byVault: ReadonlyMap<string, readonly string[]>;
  /** What a log shows of any of the vaults; null: nothing. `final` says on which side of the final block it lies. */
  toRow(log: ChainLog, final: boolean): FlowRow | null;
}

type Listener = { vaultAddress: string; decode: FlowSource["decode"] };

/** Joins the sources of a chain's vaults. Throws an Error for a vault whose adapter is not known. */
export function joinSources(chainId: number, vaults: readonly Vault[]): Sources {
  const topics = new Set<string>();
  const byVault = new Map<string, readonly string[]>();
  const listeners = new Map<string, Listener[]>();
  for (const vault of vaults) {
    const source = adapterOf(vault).flows(vault);
    const vaultAddress = vault.address.toLowerCase();
    const addresses = source.addresses.map((address) => address.toLowerCase());
    byVault.set(vaultAddress, addresses);
    for (const topic of source.topics) topics.add(topic.toLowerCase());
    for (const address of addresses) {
      listeners.set(address, [...(listeners.get(address) ?? []), { vaultAddress, decode: source.decode }]);
    }
  }
  return {
    addresses: [...listeners.keys()],
    topics: [...topics],
    byVault,
    toRow: (log, final) => {
      for (const { vaultAddress, decode } of listeners.get(log.address) ?? []) {
        const flow = decode(log);
        if (flow === null) continue;
        const sign = flow.kind === "deposit" ? 1n : -1n;
        return {
          chainId,
          txHash: log.txHash,
          logIndex: log.logIndex,
          vaultAddress,
          userAddress: flow.user.toLowerCase(),
          kind: flow.kind,
          assets: flow.assets === null ? null : (sign * flow.assets).toString(),
          shares: flow.shares === null ? null : (sign * flow.shares).toString(),
          blockNumber: log.blockNumber,
          blockHash: log.blockHash,
          final,
        };
      }
      return null;
    },
  };
}

/** What is looked for on behalf of a vault, as one text: when it changes, history has to be read again. */
export function describeSource(vault: Vault): string {
  const { addresses, topics } = adapterOf(vault).flows(vault);
  const sorted = (texts: readonly string[]) =>
    texts
      .map((text) => text.toLowerCase())
      .sort()
      .join(",");
  return `${vault.adapter} ${sorted(addresses)} ${sorted(topics)}`;
}
