import { decodeEventLog, type Hex, parseAbiItem, toEventSelector } from "viem";
import { findFamily } from "../families/vault-families.ts";
import type { Vault } from "../vault.ts";
import { beaconEvents, commonGovernanceEvents } from "./common-governance-events.ts";
import {
  type EventArgs,
  type GovernanceEvent,
  governanceContractsOf,
  isLinkedContract,
  isVaultContract,
  type LinkedContracts,
} from "./governance-event.ts";

/** The topics and data of an event log, in hex. */
export interface EventLog {
  topics: readonly string[];
  data: string;
}

/** First topics of events, cached by signature. */
const topicBySignature = new Map<string, Hex>();
const eventAbiItem = ({ signature }: GovernanceEvent) =>
  parseAbiItem(`event ${signature}` as "event Known()");

/** Returns the first topic of a governance event: the keccak256 hash of its name and parameter types, in lowercase. */
export function eventTopic(event: GovernanceEvent): Hex {
  const topic = topicBySignature.get(event.signature) ?? toEventSelector(eventAbiItem(event));
  topicBySignature.set(event.signature, topic);
  return topic;
}

/**
 * Returns the governance events that a family's vaults and their linked contracts may emit: the family's own, the
 * common ones, and those of a beacon unless the family defines an event of the same signature for another linked
 * contract. `adapter` is the family's name; an unknown family has none of its own.
 */
export function governanceEventsOf(adapter: string): readonly GovernanceEvent[] {
  const own = findFamily(adapter)?.governanceEvents ?? [];
  // Stored logs contain the emitter but not which linked contract it is, so two linked contracts must not share a
  // signature.
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
 * Finds the definition of a governance event by its emitter (`address`) and first topic, both lowercase; undefined if
 * there is none. `links` is null for a stored log: an emitter other than the vault's own contracts then counts as any
 * linked one.
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

/**
 * Decodes the arguments of a governance event from its log. Returns null if the log does not match the event's
 * signature, for example because another version of the contract emitted it.
 */
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
