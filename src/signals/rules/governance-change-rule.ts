import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import {
  formatUtcMinute,
  type GovernanceKind,
  type GovernanceStage,
} from "../../vaults/governance/governance-event.ts";
import type { GovernanceChange, VaultFacts } from "../signal-facts.ts";
import { countOf, type Finding, type SignalRule } from "../signal-finding.ts";

/** The consequence for a depositor, by the kind of change. */
const ADVICE: Readonly<Record<GovernanceKind, string>> = {
  owner: "This role can change how the vault works: find out who holds it before you deposit or stay.",
  code: "The vault may no longer behave as reviewed: do not deposit until you know what changed.",
  curator: "This role decides where assets go: find out who holds it before you deposit or stay.",
  guardian: "This role can veto or stop changes: find out who holds it before you rely on it.",
  fee: "Fees reduce what holders earn: compare the net yield with that of other vaults.",
  timelock:
    "A timelock is the time that holders have to withdraw before a change takes effect: check what is pending.",
  cap: "Limits of this kind affect large deposits and withdrawals, or how assets are allocated.",
  pause: "Check whether deposits and withdrawals work.",
  allow_list: "Check whether your account may still deposit, transfer shares and withdraw.",
  price: "The share price depends on this setting: watch the next prices before you deposit or withdraw.",
  strategy: "This setting affects where assets are allocated and what they earn.",
};

/** The most events of one kind that a finding covers: an incident keeps a limited number of keys. */
const MAX_EVENTS = 20;

function governanceRule(of: {
  id: string;
  title: string;
  description: string;
  tiers: SignalRule["tiers"];
  stages: readonly GovernanceStage[];
}): SignalRule {
  return {
    rule_id: of.id,
    dimension: "trust",
    title: of.title,
    description: of.description,
    tiers: of.tiers,
    needs: "No history: the event itself, in a final block.",
    quietSeconds: DAY_S,
    find: (facts) => {
      const changes = facts.governanceChanges.filter(({ event }) => of.stages.includes(event.stage));
      const subjects = [...new Set(changes.map(({ event }) => subjectOf(event)))];
      return subjects.map((subject) => {
        const own = changes.filter(({ event }) => subjectOf(event) === subject);
        return toFinding(facts, { subject, changes: own.slice(-MAX_EVENTS) });
      });
    },
  };
}

/** Names an event and its contract: the owner of one contract and that of another are different subjects. */
const subjectOf = ({ contract, signature }: GovernanceChange["event"]): string =>
  `${contract} ${signature.split("(")[0] ?? ""}`;

const TIERS_ASCENDING: readonly Tier[] = ["low", "medium", "high"];
const highestTier = (changes: readonly GovernanceChange[]): Tier =>
  TIERS_ASCENDING.findLast((tier) => changes.some(({ event }) => event.tier === tier)) ?? "low";

function toFinding(
  facts: VaultFacts,
  of: { subject: string; changes: readonly GovernanceChange[] },
): Finding {
  const { subject, changes } = of;
  const last = changes.at(-1);
  if (last === undefined) throw new RangeError("a finding needs at least one governance change");
  const { event, args, seconds, txHash, blockNumber } = last;
  const detail = args === null ? "" : event.describe(args);
  return {
    tier: highestTier(changes),
    subject,
    title: titleOf(facts, event),
    summary: `${summaryOf(facts, { change: last, detail })}${othersOf(event, changes.length - 1)} ${consequenceOf(event)}`,
    metrics: [],
    evidence: { event: event.signature, kind: event.kind, stage: event.stage, told: detail },
    keys: changes.map(({ key }) => key),
    seconds,
    ongoing: false,
    txHash,
    blockNumber,
  };
}

function titleOf({ vaultName }: VaultFacts, { what, stage }: GovernanceChange["event"]): string {
  if (stage === "announced") return `${vaultName}: change of ${what} announced`;
  if (stage === "withdrawn") return `${vaultName}: announced change of ${what} cancelled`;
  return `${vaultName}: ${what} changed`;
}

/** Matches a description that states a value, such as "is 2%". Others describe the change itself. */
const STATES_VALUE = /^(is|are)\b/;
const isValue = (detail: string): boolean => STATES_VALUE.test(detail);

/** The sentences that state the change, its values where they are known, and its time. */
function summaryOf(facts: VaultFacts, of: { change: GovernanceChange; detail: string }): string {
  const { change, detail } = of;
  const { what, stage } = change.event;
  const [setting, time] = [`${what} of ${facts.vaultName}`, formatUtcMinute(change.seconds)];
  switch (stage) {
    case "withdrawn":
      return `The announced change of the ${setting} was cancelled at ${time}.${detail === "" ? "" : ` It ${detail}.`}`;
    case "announced":
      return (
        `A change of the ${setting} was announced at ${time}` +
        `${detail === "" ? "" : `: ${isValue(detail) ? `the new ${what}` : "it"} ${detail}`}. It has not taken effect yet.`
      );
    case "done":
      return detail === ""
        ? `The ${setting} changed at ${time}.`
        : `The ${setting} ${detail.replace(STATES_VALUE, "$1 now")}. The change took effect at ${time}.`;
  }
}

const STAGE_VERBS: Readonly<Record<GovernanceStage, string>> = {
  done: "took effect",
  announced: "was announced",
  withdrawn: "was cancelled",
};

/** Counts further changes of the same kind; empty when there are none. */
function othersOf({ stage }: GovernanceChange["event"], count: number): string {
  if (count === 0) return "";
  const verb = count === 1 ? STAGE_VERBS[stage] : STAGE_VERBS[stage].replace(/^was/, "were");
  return ` ${countOf(count, "more change")} of this kind ${verb} within a day.`;
}

function consequenceOf({ stage, kind }: GovernanceChange["event"]): string {
  return stage === "withdrawn" ? "The setting in force remains unchanged." : ADVICE[kind];
}

/** A governance change in effect that an event shows and no view of the vault does. */
export const governanceChanged: SignalRule = governanceRule({
  id: "setting_changed",
  title: "Governance setting changed",
  description:
    "Events of the vault's contracts that change implementations, owners and roles, fees, price bounds, caps, pausing or " +
    "whitelists, when no view function shows the change.",
  tiers: [
    {
      tier: "high",
      threshold: "Implementation, owner, pausing, or who may withdraw",
      reason: "Can change every other setting, or block withdrawals",
    },
    {
      tier: "medium",
      threshold: "Fee, price bounds, timelock, role, or who may deposit",
      reason: "Changes terms that holders rely on",
    },
    { tier: "low", threshold: "Cap or allocation", reason: "Routine work of curators" },
  ],
  stages: ["done"],
});

/** A governance change that was announced, or whose announcement was cancelled. */
export const governanceChangeAnnounced: SignalRule = governanceRule({
  id: "change_announced",
  title: "Governance change announced",
  description:
    "Events that announce a change which takes effect after a timelock or another transaction, and events that cancel an " +
    "announced change.",
  tiers: [
    {
      tier: "medium",
      threshold: "Owner, guardian, fee, timelock, or removal of a market",
      reason: "Holders have time to withdraw before it takes effect",
    },
    {
      tier: "low",
      threshold: "Cap, or a cancelled change",
      reason: "Does not change terms that holders rely on",
    },
  ],
  stages: ["announced", "withdrawn"],
});
