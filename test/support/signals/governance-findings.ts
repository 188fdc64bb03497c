import { signalRules } from "../../../src/signals/list-signal-rules.ts";
import { decodeEventArgs, governanceEventsOf } from "../../../src/vaults/governance/find-governance-event.ts";
import type { GovernanceEvent } from "../../../src/vaults/governance/governance-event.ts";
import { logOf } from "../vaults/governance-logs.ts";
import { factsOf, NOW } from "./facts.ts";

/** Arguments of an event by name; null stands for data that cannot be decoded. */
type Given = Readonly<Record<string, unknown>> | null;

/** Returns the definition of a family's event by its name. */
export function eventNamed(adapter: string, name: string): GovernanceEvent {
  const event = governanceEventsOf(adapter).find(({ signature }) => signature.startsWith(`${name}(`));
  if (event === undefined) throw new Error(`${adapter} has no event ${name}`);
  return event;
}

/** Returns the findings of all rules for some governance events. */
export function findingsOf(adapter: string, events: readonly GovernanceEvent[], given: Given = {}) {
  const governanceChanges = events.map((event, index) => ({
    key: `0x0${index}:1`,
    txHash: `0x0${index}`,
    blockNumber: 100 + index,
    seconds: NOW - 600 + index,
    event,
    args: given === null ? null : decodeEventArgs(event, logOf(event, given)),
  }));
  return signalRules.flatMap((rule) =>
    rule
      .find({ ...factsOf(), adapter, governanceChanges }, NOW)
      .map((finding) => ({ rule: rule.rule_id, ...finding })),
  );
}

/** Returns the summary of an event with the given arguments, followed by its title in parentheses. */
export function textOf(adapter: string, name: string, given: Given = {}): string {
  const [finding] = findingsOf(adapter, [eventNamed(adapter, name)], given);
  return `${finding?.summary} (${finding?.title})`;
}
