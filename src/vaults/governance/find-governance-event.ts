import { decodeEventLog, type Hex, parseAbiItem, toEventSelector } from "viem";
import {
  eulerEvents,
  fluidEvents,
  gearboxEvents,
  metaMorphoEvents,
  metaMorphoForkEvents,
  sparkEvents,
} from "../control-events/lending.ts";
import {
  beaconEvents,
  iporAuthorityEvents,
  mellowFeeEvents,
  midasRedemptionEvents,
} from "../control-events/linked.ts";
import {
  centrifugeEvents,
  iporEvents,
  lagoonEvents,
  mellowEvents,
  mellowLrtEvents,
  midasEvents,
  vedaEvents,
  yearnEvents,
} from "../control-events/managed.ts";
import { morphoV2Events } from "../families/morpho.ts";
import { upshiftEvents, upshiftLegacyEvents } from "../families/upshift/events.ts";
import type { Vault } from "../vault.ts";
import { commonGovernanceEvents } from "./common-governance-events.ts";
import {
  type EventArgs,
  type GovernanceEvent,
  governanceContractsOf,
  isLinkedContract,
  isVaultContract,
  type LinkedContracts,
} from "./governance-event.ts";

/**
 * By adapter. Families that are not named (aave_stata, whose pool is governed elsewhere; accountable,
 * whose source is not public; erc4626, which may be anything) tell what any contract tells.
 */
const FAMILY_EVENTS: Readonly<Record<string, readonly GovernanceEvent[]>> = {
  metamorpho: metaMorphoEvents,
  euler_earn: metaMorphoForkEvents,
  silo: metaMorphoForkEvents,
  morpho_v2: morphoV2Events,
  veda: vedaEvents,
  ipor: [...iporEvents, ...iporAuthorityEvents],
  lagoon: lagoonEvents,
  midas: [...midasEvents, ...midasRedemptionEvents],
  mellow: [...mellowEvents, ...mellowFeeEvents],
  mellow_lrt: mellowLrtEvents,
  yearn_v3: yearnEvents,
  euler: eulerEvents,
  gearbox: gearboxEvents,
  fluid: fluidEvents,
  spark: sparkEvents,
  centrifuge: centrifugeEvents,
  upshift: upshiftEvents,
  upshift_legacy: upshiftLegacyEvents,
};

/** An event as it stands in a log. */
export interface EventLog {
  topics: readonly string[];
  data: string;
}

const topicBySignature = new Map<string, Hex>();
const eventAbiItem = ({ signature }: GovernanceEvent) =>
  parseAbiItem(`event ${signature}` as "event Known()");

/** The first topic of an event. */
export function eventTopic(event: GovernanceEvent): Hex {
  const topic = topicBySignature.get(event.signature) ?? toEventSelector(eventAbiItem(event));
  topicBySignature.set(event.signature, topic);
  return topic;
}

/** Every event by which vaults of an adapter, and contracts about them, tell of a change that no view shows. */
export function governanceEventsOf(adapter: string): readonly GovernanceEvent[] {
  const own = FAMILY_EVENTS[adapter] ?? [];
  // Of what is noted the emitter is kept, not what it was to the vault: no two linked contracts may say the same.
  const linked = new Set(own.filter(({ on }) => isLinkedContract(on)).map(({ signature }) => signature));
  return [
    ...own,
    ...commonGovernanceEvents,
    ...beaconEvents.filter(({ signature }) => !linked.has(signature)),
  ];
}

/**
 * What an emitter's log with this topic is to a vault; undefined: nothing. Both lower case. `links` null: of a log that
 * was taken for one of the vault's before, by links that are not kept.
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
      (contracts[event.on] === address || (linked && isLinkedContract(event.on))),
  );
}

/** The event's members; null: its data are not those of the signature, as in another version of the contract. */
export function decodeEventArgs(event: GovernanceEvent, log: EventLog): EventArgs | null {
  try {
    const topics = [...log.topics] as [Hex, ...Hex[]];
    const told: { args?: object } = decodeEventLog({
      abi: [eventAbiItem(event)],
      topics,
      data: log.data as Hex,
    });
    return { ...told.args };
  } catch {
    return null;
  }
}
