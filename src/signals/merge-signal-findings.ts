import type { Metric, Stage, Tier } from "../schemas/signal-schema.ts";
import type { Finding, SignalRule } from "./signal-finding.ts";

/**
 * An incident of one vault: successive findings of one rule about one subject. `firstSeen` and `lastSeen` are in
 * seconds since the epoch. Tier, texts, metrics, evidence and block are of the last finding that opened or extended the
 * incident; transaction and block may also come from a later search (`locateChanges`).
 */
export interface Incident {
  ruleId: string;
  /** Subject of its findings, or empty. */
  subject: string;
  /** Number of the incident among those of its rule and subject, from 0. */
  sequence: number;
  tier: Tier;
  title: string;
  summary: string;
  metrics: Metric[];
  evidence: Record<string, string>;
  /** The incident as each finding with new keys showed it, oldest first; only the last 50 stages are kept. */
  evolution: Stage[];
  /** Keys of the merged findings; at most 50, the oldest are dropped. */
  keys: string[];
  firstSeen: number;
  lastSeen: number;
  /** Number of findings with new keys after the first. */
  updateCount: number;
  txHash: string | null;
  blockNumber: number | null;
}

/** Maximum number of stages, and of keys, that an incident keeps. The oldest are dropped. */
const MAX_STAGES = 50;

/**
 * Merges the findings of one rule into a vault's known incidents (sorted by sequence number) and returns the new and
 * changed ones. A finding extends the last incident of its subject, opens the next, or changes nothing.
 */
export function mergeFindings(
  rule: SignalRule,
  joined: { findings: readonly Finding[]; known: readonly Incident[] },
): Incident[] {
  const known = joined.known.filter(({ ruleId }) => ruleId === rule.rule_id);
  const changed: Incident[] = [];
  for (const finding of joined.findings.toSorted((a, b) => a.seconds - b.seconds)) {
    const ofSubject = ({ subject }: Incident): boolean => subject === finding.subject;
    const own = [...known.filter((one) => !changed.some(isSame(one))), ...changed].filter(ofSubject);
    const incident = mergeFinding(rule, { finding, own });
    if (incident === null) continue;
    const earlier = changed.findIndex(isSame(incident));
    if (earlier === -1) changed.push(incident);
    else changed[earlier] = incident;
  }
  return changed;
}

/**
 * Returns a predicate for incidents with the same subject and sequence number: older or newer versions of one incident
 * of a rule.
 */
const isSame =
  ({ subject, sequence }: Incident) =>
  (other: Incident): boolean =>
    other.subject === subject && other.sequence === sequence;

/** Returns the incident that a finding opens or extends, or null if the finding changes nothing. */
function mergeFinding(
  rule: SignalRule,
  { finding, own }: { finding: Finding; own: readonly Incident[] },
): Incident | null {
  const last = own.at(-1);
  if (!finding.ongoing && finding.keys.every((key) => own.some(({ keys }) => keys.includes(key))))
    return null;
  if (last === undefined || finding.seconds - last.lastSeen > rule.quietSeconds)
    return openIncident(rule, { finding, sequence: (last?.sequence ?? -1) + 1 });
  const fresh = finding.keys.filter((key) => !last.keys.includes(key));
  if (finding.seconds < last.lastSeen) return null;
  if (finding.seconds === last.lastSeen && fresh.length === 0 && isShown(last, finding)) return null;
  return extendIncident(last, { finding, fresh });
}

/** Returns true if an incident already says what a finding says. */
const isShown = ({ tier, title, summary }: Incident, finding: Finding): boolean =>
  tier === finding.tier && title === finding.title && summary === finding.summary;

const stageOf = ({ tier, summary, metrics, seconds }: Finding): Stage => ({
  at: new Date(seconds * 1000).toISOString(),
  tier,
  summary,
  metrics,
});

function openIncident(
  rule: SignalRule,
  { finding, sequence }: { finding: Finding; sequence: number },
): Incident {
  const { seconds, ongoing: _, ...shown } = finding;
  return {
    ...shown,
    ruleId: rule.rule_id,
    sequence,
    evolution: [stageOf(finding)],
    firstSeen: seconds,
    lastSeen: seconds,
    updateCount: 0,
  };
}

/**
 * Returns an incident that ends at the time of the finding and shows it, with an additional stage if the finding has new
 * keys. What lasts is shown as it is now: its tier may fall and its figures change without a new stage.
 */
function extendIncident(
  incident: Incident,
  { finding, fresh }: { finding: Finding; fresh: readonly string[] },
): Incident {
  const { tier, title, summary, metrics, evidence, txHash, blockNumber } = finding;
  const shown = { ...incident, tier, title, summary, metrics, evidence, blockNumber };
  if (fresh.length === 0) return { ...shown, lastSeen: finding.seconds };
  return {
    ...shown,
    txHash,
    lastSeen: finding.seconds,
    updateCount: incident.updateCount + 1,
    keys: [...incident.keys, ...fresh].slice(-MAX_STAGES),
    evolution: [...incident.evolution, stageOf(finding)].slice(-MAX_STAGES),
  };
}
