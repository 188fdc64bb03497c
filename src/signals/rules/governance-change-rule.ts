import { sameAddress } from "../../lib/address.ts";
import { DAY_S } from "../../lib/durations.ts";
import {
  type EventContext,
  formatUtcMinute,
  type GovernanceKind,
  type GovernanceStage,
  isUnlimited,
  tookEffect,
} from "../../vaults/governance/governance-event.ts";
import type { GovernanceChange, VaultFacts } from "../signal-facts.ts";
import { countOf, type Finding, type SignalRule, wholeAmount } from "../signal-finding.ts";
import {
  type ChangeGroup,
  groupChanges,
  headlineOf,
  mostSevere,
  severityOf,
} from "./governance-change-rule-groups.ts";

/** The consequence for a depositor, by the kind of change, for events whose definition contains none. */
const ADVICE: Readonly<Record<GovernanceKind, string>> = {
  owner:
    "The owner can change how the vault works: find out who it is before you deposit or leave funds in the vault.",
  code: "The vault may behave differently now: do not deposit until you know what changed.",
  curator:
    "This account can act on the vault's assets: find out who it is before you deposit or leave funds in the vault.",
  guardian:
    "This account can veto pending changes or stop operations: find out who it is before you rely on it.",
  fee: "Fees reduce what holders earn: compare the net yield with that of other vaults.",
  timelock:
    "The timelock is the time that holders have to withdraw before a change takes effect: check pending changes.",
  cap: "Deposits that would exceed the new cap fail.",
  pause: "Find out why, and whether deposits and withdrawals still work.",
  allow_list: "Check whether your account can still deposit, transfer shares and withdraw.",
  price:
    "This setting affects updates of the share price: watch the next prices before you deposit or withdraw.",
  strategy: "This change can affect where assets are allocated and what they earn.",
};

/** Maximum number of changes of one group by which a finding is recognized, because an incident keeps a limited number of keys. */
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
    needs: "No history: one event in a finalized block is enough.",
    quietSeconds: DAY_S,
    find: (facts) => {
      const changes = facts.governanceChanges.filter(({ event }) => of.stages.includes(event.stage));
      return groupChanges(changes).map((group) => toFinding(facts, group));
    },
  };
}

function toFinding(facts: VaultFacts, group: ChangeGroup): Finding {
  const changes = group.changes.slice(-MAX_EVENTS);
  const lead = mostSevere(group);
  const { event, args, txHash, blockNumber } = lead;
  const context = contextOf(facts, lead);
  const report = args === null || event.report === undefined ? "" : event.report(args, context);
  const detail = args === null || report !== "" ? "" : event.describe(args, context);
  const sentences = [
    report === "" ? defaultReport(lead, { detail, context }) : report,
    othersOf(group.changes.length - 1),
    consequenceOf(lead, context),
  ];
  return {
    tier: severityOf(lead),
    subject: group.subject,
    title: `${facts.vaultName}: ${headlineOf(lead)}`,
    summary: sentences.filter((sentence) => sentence !== "").join(" "),
    metrics: [],
    evidence: {
      event: event.signature,
      kind: event.kind,
      stage: event.stage,
      description: detail || report,
      // The earlier name of `description`, kept for clients that read it.
      told: detail || report,
    },
    keys: changes.map(({ key }) => key),
    seconds: Math.max(...changes.map(({ seconds }) => seconds)),
    ongoing: false,
    txHash,
    blockNumber,
  };
}

function contextOf(facts: VaultFacts, { seconds }: GovernanceChange): EventContext {
  const amount = (units: unknown, of: { decimals: number; unit: string }): string => {
    const value = BigInt(String(units));
    return isUnlimited(value) ? "unlimited" : `${wholeAmount(value, of.decimals)} ${of.unit}`;
  };
  return {
    vault: facts.vaultName,
    time: formatUtcMinute(seconds),
    seconds,
    formatAssets: (units) => amount(units, { decimals: facts.assetDecimals, unit: facts.assetSymbol }),
    formatShares: (units) =>
      amount(units, { decimals: facts.shareDecimals, unit: "shares" }).replace(/^1 shares$/, "1 share"),
    isAsset: (address) => sameAddress(String(address), facts.assetAddress),
  };
}

/** Matches a description that states a value, such as "is 2%". Others describe the change itself. */
const STATES_VALUE = /^(is|are)\b/;

/**
 * Returns the sentences about a change whose event has no `report` or could not be decoded: the setting, its value if
 * known, and the time.
 */
function defaultReport({ event }: GovernanceChange, of: { detail: string; context: EventContext }): string {
  const { detail, context } = of;
  const setting = `${event.what} of ${context.vault}`;
  switch (event.stage) {
    case "withdrawn":
      return `The pending change to the ${setting} was cancelled at ${context.time}.`;
    case "announced":
      return (
        `A change to the ${setting} was submitted at ${context.time}` +
        `${detail === "" ? "" : `: the proposed ${event.what} ${detail}`}. It has not taken effect yet.`
      );
    case "done":
      return detail === ""
        ? `The ${setting} changed at ${context.time}.`
        : `The ${setting} ${detail.replace(STATES_VALUE, "$1 now")}.${tookEffect(context)}`;
  }
}

/** Returns a sentence with the number of further events of the same kind, or an empty string if there are none. */
function othersOf(count: number): string {
  if (count === 0) return "";
  return `${countOf(count, "more event")} of this kind ${count === 1 ? "was" : "were"} recorded within a day.`;
}

const UNLIMITED_CAP = "Deposits are no longer limited by this cap.";
/** Returns true for a description, such as "is unlimited", of a cap that no longer limits anything. */
const isLifted = (description: string): boolean => /\bunlimited$/.test(description);

/** Returns the consequence of a change for a depositor. */
function consequenceOf({ event, args }: GovernanceChange, context: EventContext): string {
  const { advice, stage, kind } = event;
  if (typeof advice === "string") return advice;
  if (advice !== undefined && args !== null) return advice(args, context);
  if (stage === "withdrawn") return "The current setting remains in force.";
  if (kind === "cap" && stage === "done" && args !== null && isLifted(event.describe(args, context)))
    return UNLIMITED_CAP;
  return ADVICE[kind];
}

/**
 * Reports governance changes of the stage `done`, from events that were stored in the last day: one finding per group
 * of `groupChanges`, about the latest of its most severe changes.
 */
export const governanceChanged: SignalRule = governanceRule({
  id: "setting_changed",
  title: "Governance setting changed",
  description:
    "Changes to the implementation, owner, roles, fees, timelocks, oracle, price bounds, caps, pauses, whitelists or allocation " +
    "targets, as reported by contract events; mostly ones that no other rule covers.",
  tiers: [
    {
      tier: "high",
      threshold:
        "Implementation, beacon, proxy admin or upgrade admin; owner, governor, role manager, management, new super operator or added ward; " +
        "access-control authority (but not its removal in favour of the owner); the Safe or account that " +
        "receives the assets; pause (other than the medium ones), lock of all shares, closure, shutdown or emergency withdrawal; a new gate, limit module or whitelist " +
        "for withdrawals, or a hook that disables withdrawals",
      reason: "Can change how the vault works, or block withdrawals",
    },
    {
      tier: "medium",
      threshold:
        "Any other change, such as to a fee, oracle, price bound, role (including one needed to withdraw), admin delay, guardian, hook, accepted token or strategy; a shorter " +
        "timelock; any other whitelist; a new adapter; the owner of a fee manager; a pause of minting or (Upshift) of deposits only; the end of a pause",
      reason: "Changes terms that holders rely on",
    },
    {
      tier: "low",
      threshold:
        "Cap (other than a daily limit on redemptions or deactivated market limits) or minimum amount; fee recipient; rewards; longer timelock or abdication of a " +
        "function; removed gate, limit module, accountant, adapter, sub-account or super operator",
      reason: "Routine, or usually good for holders",
    },
  ],
  stages: ["done"],
});

/**
 * Reports announced governance changes, and cancellations of such changes, from events that were stored in the last
 * day: one finding per group of `groupChanges`, about the latest of its most severe changes.
 */
export const governanceChangeAnnounced: SignalRule = governanceRule({
  id: "change_announced",
  title: "Governance change pending or cancelled",
  description:
    "Events that submit, schedule or start a change that takes effect only after a timelock or a second call, such " +
    "as the acceptance by a proposed owner, and events that cancel such a change.",
  tiers: [
    {
      tier: "medium",
      threshold:
        "Owner, role manager, management, guardian, shorter timelock, removal of a market, a scheduled operation, a call " +
        "submitted to a timelock, or a cancelled ownership transfer",
      reason:
        "Holders may have time to withdraw before it takes effect; an ownership transfer takes effect as soon as it is accepted. " +
        "A cancelled transfer leaves the current owner in place",
    },
    {
      tier: "low",
      threshold: "Supply cap for a market, or any other cancelled change",
      reason: "Rarely affects terms that holders rely on",
    },
  ],
  stages: ["announced", "withdrawn"],
});
