import { expect, test } from "vitest";
import { signalRules } from "../../src/signals/list-signal-rules.ts";
import { type Incident, mergeFindings } from "../../src/signals/merge-signal-findings.ts";
import type { Point, VaultFacts } from "../../src/signals/signal-facts.ts";
import { factsOf, NOW } from "../support/signals/facts.ts";

/** Returns facts whose newest snapshot has these values, and those of a later one that replaces it. */
function replacing(first: Partial<Point>, then: Partial<Point>): VaultFacts[] {
  const facts = factsOf();
  const [newest, ...earlier] = facts.recent.toReversed();
  if (newest === undefined) throw new RangeError("no snapshot");
  const later = { seconds: newest.seconds + 240, blockNumber: newest.blockNumber + 20 };
  return [
    { ...newest, ...first },
    { ...newest, ...later, ...then },
  ].map((last) => ({
    ...facts,
    recent: [...earlier.toReversed(), last],
  }));
}

/** Returns the incidents after a rule has been applied to the facts, one after the other. */
function incidentsOf(ruleId: string, runs: readonly VaultFacts[]): Incident[] {
  const rule = signalRules.find(({ rule_id }) => rule_id === ruleId);
  if (rule === undefined) throw new RangeError(ruleId);
  const incidents = new Map<string, Incident>();
  for (const facts of runs) {
    const known = [...incidents.values()];
    for (const one of mergeFindings(rule, { findings: rule.find(facts, NOW), known }))
      incidents.set(`${one.subject} ${one.sequence}`, one);
  }
  return [...incidents.values()];
}

test.each<[string, Partial<Point>]>([
  ["paused", { paused: true }],
  ["capacity_exhausted", { maxDeposit: 0n }],
  ["control_changed", { controls: { owner: "0x02", fee: "5" } }],
])("%s: a change is one incident, although a later snapshot replaces the first after it", (rule, change) => {
  const incidents = incidentsOf(rule, replacing(change, change));
  expect(incidents).toMatchObject([{ sequence: 0, updateCount: 0 }]);
});

test("control_changed: a further change in a snapshot that replaces the first after a change is an incident", () => {
  const [b, c] = ["0x02", "0x03"].map((owner) => ({ controls: { owner, fee: "5" } }));
  const incidents = incidentsOf("control_changed", replacing(b ?? {}, c ?? {}));
  expect(incidents.map(({ evidence }) => evidence["after"])).toEqual(["0x02", "0x03"]);
});
