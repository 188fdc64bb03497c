import type { ChainLog } from "../chains/logs.ts";
import type { FlowRow } from "../db/queries/flows.ts";
import type { FlowSource } from "../vaults/adapter.ts";
import { adapterOf } from "../vaults/adapters.ts";
import type { Vault } from "../vaults/vault.ts";
import { creditReceiver, decodeRouted, depositedTopics, routerAddress } from "./routed.ts";

/** What is listened for. Addresses, topics and keys are lower case. */
export interface Listened {
  topics: readonly string[];
  /** What each contract is listened to for. */
  topicsBy: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Where the flows of some vaults of one chain are seen. */
export interface Sources extends Listened {
  /** The vaults that are listened for. */
  vaults: readonly string[];
  /** What logs, all of some blocks, show of the vaults. `final`: the last block that will not change. */
  toRows(logs: readonly ChainLog[], final: number): FlowRow[];
}

/** One question: contracts, and the first topics of the events that are wanted of them. */
export interface LogFilter {
  addresses: readonly string[];
  topics: readonly string[];
}

type Listener = { vaultAddress: string; decode: FlowSource["decode"] };

/** Joins the sources of a chain's vaults. Throws an Error for a vault whose adapter is not known. */
export function joinSources(chainId: number, vaults: readonly Vault[]): Sources {
  const topics = new Set<string>();
  const topicsBy = new Map<string, Set<string>>();
  const listeners = new Map<string, Listener[]>();
  /** Vaults whose own events name the Router's contract, by their share token. */
  const receivers = new Map<string, string>();
  for (const vault of vaults) {
    const source = adapterOf(vault).flows(vault);
    const vaultAddress = vault.address.toLowerCase();
    const addresses = source.addresses.map((address) => address.toLowerCase());
    const wanted = source.topics.map((topic) => topic.toLowerCase());
    if (source.namesCaller === true) {
      topicsBy.set(routerAddress, new Set(depositedTopics()));
      for (const topic of depositedTopics()) topics.add(topic);
      receivers.set(vault.shareToken.toLowerCase(), vaultAddress);
    }
    for (const topic of wanted) topics.add(topic);
    for (const address of addresses) {
      topicsBy.set(address, new Set([...(topicsBy.get(address) ?? []), ...wanted]));
      listeners.set(address, [...(listeners.get(address) ?? []), { vaultAddress, decode: source.decode }]);
    }
  }
  return {
    topics: [...topics],
    topicsBy,
    vaults: vaults.map(({ address }) => address.toLowerCase()),
    toRows: (logs, final) => {
      const rows = logs.flatMap((log) => toRow(log, log.blockNumber <= final) ?? []);
      for (const log of logs) {
        const seen = log.address === routerAddress ? decodeRouted(log) : null;
        const vaultAddress = receivers.get(seen?.shareToken ?? "");
        if (seen !== null && vaultAddress !== undefined) creditReceiver(rows, { ...seen, vaultAddress, log });
      }
      return rows;
    },
  };

  function toRow(log: ChainLog, final: boolean): FlowRow | null {
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
  }
}

/**
 * The questions that together ask for all events of some sources, each no longer than a node grants. No two of them
 * ask for the same event.
 */
export function filtersOf(sources: Listened, grants: { addresses: number; topics: number }): LogFilter[] {
  return chunk(sources.topics, grants.topics).flatMap((topics) => {
    const emitters = [...sources.topicsBy].filter(([, wanted]) => topics.some((topic) => wanted.has(topic)));
    const addresses = emitters.map(([address]) => address);
    return chunk(addresses, grants.addresses).map((some) => ({ addresses: some, topics }));
  });
}

function chunk(list: readonly string[], size: number): string[][] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size));
}

/** What is looked for on behalf of a vault, as one text: when it changes, history has to be read again. */
export function describeSource(vault: Vault): string {
  const { addresses, topics, namesCaller = false } = adapterOf(vault).flows(vault);
  const routed = namesCaller ? " routed" : "";
  const sorted = (texts: readonly string[]) =>
    texts
      .map((text) => text.toLowerCase())
      .sort()
      .join(",");
  return `${vault.adapter} ${sorted(addresses)} ${sorted(topics)}${routed}`;
}
