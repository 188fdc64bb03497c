import { decodeEventLog, type Hex, parseAbiItem, toEventSelector } from "viem";
import type { Vault } from "../vault.ts";
import { findFamily } from "../vault-families.ts";
import { beaconEvents, commonGovernanceEvents } from "./common-governance-events.ts";
import {
  type EventArgs,
  type GovernanceEvent,
  governanceContractsOf,
  isLinkedContract,
  isVaultContract,
  type LinkedContracts,
} from "./governance-event.ts";

/** Topics and data of a log. */
export interface EventLog {
  topics: readonly string[];
  data: string;
}

const topicBySignature = new Map<string, Hex>();
const eventAbiItem = ({ signature }: GovernanceEvent) =>
  parseAbiItem(`event ${signature}` as "event Known()");

/** Returns the first topic of an event's logs. */
export function eventTopic(event: GovernanceEvent): Hex {
  const topic = topicBySignature.get(event.signature) ?? toEventSelector(eventAbiItem(event));
  topicBySignature.set(event.signature, topic);
  return topic;
}

/** Returns the governance events of a family's vaults and of their linked contracts. */
export function governanceEventsOf(adapter: string): readonly GovernanceEvent[] {
  const own = findFamily(adapter)?.governanceEvents ?? [];
  // Stored rows keep the emitter but not which linked contract it was: two linked contracts must not share a signature.
  const linked = new Set(
    own.filter(({ contract }) => isLinkedContract(contract)).map(({ signature }) => signature),
  );
  return [
    ...own,
    ...commonGovernanceEvents,
    ...beaconEvents.filter(({ signature }) => !linked.has(signature)),
  ];
}

/**
 * Finds the governance event that a log represents for a vault; undefined when the log is not a governance event. `address` and `topic` are lower case.
 * `links` is null for a stored log, whose linked contracts are not kept: then any linked contract may have emitted it.
 */
export function findGovernanceEvent(
  vault: Vault,
  log: { address: string; topic: string; links: LinkedContracts | null },
): GovernanceEvent | undefined {
  const { address, topic, links } = log;
  const contracts = governanceContractsOf(vault, links ?? {});
  const linked = links === null && !isVaultContract(vault, address);
  return governanceEventsOf(vault.adapter).find(
    (event) =>
      eventTopic(event) === topic &&
      (contracts[event.contract] === address || (linked && isLinkedContract(event.contract))),
  );
}

/** Decodes an event's arguments. Returns null when the log does not fit the signature, as in another version of the contract. */
export function decodeEventArgs(event: GovernanceEvent, log: EventLog): EventArgs | null {
  try {
    const topics = [...log.topics] as [Hex, ...Hex[]];
    const decoded: { args?: object } = decodeEventLog({
      abi: [eventAbiItem(event)],
      topics,
      data: log.data as Hex,
    });
    return { ...decoded.args };
  } catch {
    return null;
  }
}
