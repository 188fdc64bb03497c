import { decodeEventLog, type Hex, parseAbiItem, toEventSelector } from "viem";
import { commonEvents } from "./control-events/common.ts";
import {
  type ControlEvent,
  contractsOf,
  type EventMembers,
  isLinked,
  isOwn,
  type Links,
} from "./control-events/event.ts";
import {
  eulerEvents,
  fluidEvents,
  gearboxEvents,
  makerEvents,
  metaMorphoEvents,
  metaMorphoForkEvents,
} from "./control-events/lending.ts";
import {
  beaconEvents,
  iporAuthorityEvents,
  mellowFeeEvents,
  midasRedemptionEvents,
} from "./control-events/linked.ts";
import {
  centrifugeEvents,
  iporEvents,
  lagoonEvents,
  mellowEvents,
  mellowLrtEvents,
  midasEvents,
  vedaEvents,
  yearnEvents,
} from "./control-events/managed.ts";
import { morphoV2Events } from "./control-events/morpho-v2.ts";
import { upshiftEvents, upshiftLegacyEvents } from "./control-events/upshift.ts";
import type { Vault } from "./vault.ts";

/**
 * By adapter. Families that are not named (aave_stata, whose pool is governed elsewhere; accountable,
 * whose source is not public; erc4626, which may be anything) tell what any contract tells.
 */
const OWN: Readonly<Record<string, readonly ControlEvent[]>> = {
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
  spark: makerEvents,
  centrifuge: centrifugeEvents,
  upshift: upshiftEvents,
  upshift_legacy: upshiftLegacyEvents,
};

/** An event as it stands in a log. */
export interface RawEvent {
  topics: readonly string[];
  data: string;
}

const selectors = new Map<string, Hex>();
const parsed = ({ signature }: ControlEvent) => parseAbiItem(`event ${signature}` as "event Known()");

/** The first topic of an event. */
export function topicOf(event: ControlEvent): Hex {
  const topic = selectors.get(event.signature) ?? toEventSelector(parsed(event));
  selectors.set(event.signature, topic);
  return topic;
}

/** Every event by which vaults of an adapter, and contracts about them, tell of a change that no view shows. */
export function controlEventsOf(adapter: string): readonly ControlEvent[] {
  const own = OWN[adapter] ?? [];
  // Of what is noted the emitter is kept, not what it was to the vault: no two linked contracts may say the same.
  const linked = new Set(own.filter(({ on }) => isLinked(on)).map(({ signature }) => signature));
  return [...own, ...commonEvents, ...beaconEvents.filter(({ signature }) => !linked.has(signature))];
}

/**
 * What an emitter's log with this topic is to a vault; undefined: nothing. Both lower case. `links` null: of a log that
 * was taken for one of the vault's before, by links that are not kept.
 */
export function findControlEvent(
  vault: Vault,
  log: { address: string; topic: string; links: Links | null },
): ControlEvent | undefined {
  const { address, topic, links } = log;
  const contracts = contractsOf(vault, links ?? {});
  const linked = links === null && !isOwn(vault, address);
  return controlEventsOf(vault.adapter).find(
    (event) =>
      topicOf(event) === topic && (contracts[event.on] === address || (linked && isLinked(event.on))),
  );
}

/** The event's members; null: its data are not those of the signature, as in another version of the contract. */
export function membersOf(event: ControlEvent, log: RawEvent): EventMembers | null {
  try {
    const topics = [...log.topics] as [Hex, ...Hex[]];
    const told: { args?: object } = decodeEventLog({ abi: [parsed(event)], topics, data: log.data as Hex });
    return { ...told.args };
  } catch {
    return null;
  }
}
