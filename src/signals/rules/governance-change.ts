import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal.ts";
import type { GovernanceKind, GovernanceStage } from "../../vaults/governance/governance-event.ts";
import type { GovernanceChange, VaultFacts } from "../facts.ts";
import type { Finding, SignalRule } from "../finding.ts";

/** What a person can do, by what the change is about. */
const ADVICE: Readonly<Record<GovernanceKind, string>> = {
  owner:
    "Whoever has such a right can change how the vault works: find out who that is before you stay or deposit.",
  code: "The contract does something else than what was reviewed: do not deposit until you know what changed, and consider to leave until then.",
  curator: "Somebody else decides where the money goes: read who that is before you stay or deposit.",
  guardian:
    "Who can veto or stop what others propose is not the same any more: read who that is before you rely on it.",
  fee: "What holders earn changes with it: compare the rate after fees with other vaults before you stay or deposit.",
  timelock:
    "It is the time there is to leave before a change takes effect: read what is pending, and leave in time if you do not agree.",
  cap: "How much fits in, or may go to one place, is another than before: nothing to do unless you wait for room or rely on the mix.",
  pause: "Find out what is stopped and why, and whether you can still withdraw, before you do anything else.",
  allow_list:
    "Find out whether you are still admitted to deposit, to move shares and to be paid out before you rely on it.",
  price:
    "What a share is said to be worth depends on it: compare the next prices with what the vault holds before you deposit or withdraw.",
  strategy: "The money may go elsewhere: read where before you stay or deposit.",
};

/** Events of one kind that are told of together: an incident keeps what it was raised for, and these fit. */
const TOGETHER = 20;

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
    needs: "Nothing but the event, in a block that is final.",
    quietSeconds: DAY_S,
    find: (facts) => {
      const told = facts.toldChanges.filter(({ what }) => of.stages.includes(what.stage));
      const subjects = [...new Set(told.map(({ what }) => subjectOf(what)))];
      return subjects.map((subject) => {
        const events = told.filter(({ what }) => subjectOf(what) === subject);
        return toFinding(facts, { subject, events: events.slice(-TOGETHER) });
      });
    },
  };
}

/** Which event of which contract: an owner of one contract is another one than that of the next. */
const subjectOf = ({ contract, signature }: GovernanceChange["what"]): string =>
  `${contract} ${signature.split("(")[0] ?? ""}`;

const STRENGTH: readonly Tier[] = ["low", "medium", "high"];
const strongest = (events: readonly GovernanceChange[]): Tier =>
  STRENGTH.findLast((tier) => events.some(({ what }) => what.tier === tier)) ?? "low";

function toFinding(facts: VaultFacts, of: { subject: string; events: readonly GovernanceChange[] }): Finding {
  const { subject, events } = of;
  const last = events.at(-1);
  if (last === undefined) throw new RangeError("a change is told by an event");
  const { what, members, seconds, txHash, blockNumber } = last;
  const words = members === null ? "" : what.describe(members);
  return {
    tier: strongest(events),
    subject,
    title: titleOf(facts, what),
    summary: summaryOf(facts, { last, words, more: events.length - 1 }),
    metrics: [],
    evidence: { event: what.signature, kind: what.kind, stage: what.stage, told: words },
    keys: events.map(({ key }) => key),
    seconds,
    ongoing: false,
    txHash,
    blockNumber,
  };
}

function titleOf({ vaultName }: VaultFacts, { what, stage }: GovernanceChange["what"]): string {
  const name = what.split(",")[0];
  if (stage === "announced") return `${vaultName}: change of the ${name} announced`;
  if (stage === "withdrawn") return `${vaultName}: announced change of the ${name} withdrawn`;
  return `${vaultName}: ${name} changed`;
}

function summaryOf(facts: VaultFacts, of: { last: GovernanceChange; words: string; more: number }): string {
  const { last, words, more } = of;
  const { what, stage, kind } = last.what;
  const time = `${new Date(last.seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const others =
    more === 0 ? "" : ` ${more} more of its kind ${more === 1 ? "was" : "were"} told within a day.`;
  if (stage === "withdrawn")
    return (
      `The change of the ${what} of ${facts.vaultName} that was announced${words === "" ? "" : `, which ${words},`} was ` +
      `withdrawn at ${time}.${others} What was in force stays in force: nothing to do, unless you left or waited for it.`
    );
  if (stage === "announced")
    return (
      `A change of the ${what} of ${facts.vaultName} was announced at ${time}` +
      `${words === "" ? "" : `: the new one ${words}`}.${others} Nothing has changed yet. ${ADVICE[kind]}`
    );
  return (
    `The ${what} of ${facts.vaultName} ${words === "" ? "changed" : words}, since ${time}.${others} ` +
    `Normal is no change. ${ADVICE[kind]}`
  );
}

const from = (tier: Tier, threshold: string, reason: string): SignalRule["tiers"][number] => ({
  tier,
  threshold,
  reason,
});

/** A change that a vault's contracts told of and that none of its views shows. */
export const governanceChanged: SignalRule = governanceRule({
  id: "setting_changed",
  title: "Setting changed",
  description:
    "Events of the vault's contracts about code, owners, fees, price bounds, caps, pauses and lists of the admitted, where " +
    "no view shows the same.",
  tiers: [
    from(
      "high",
      "code, an owner, a pause, or who may leave",
      "It can change everything else, or keep money in",
    ),
    from("medium", "a fee, price bounds, a timelock, who is admitted", "Each changes what holders agreed to"),
    from("low", "a cap, a place where money may go", "Everyday work of those who run a vault"),
  ],
  stages: ["done"],
});

/** A change that was announced, or withdrawn before it took effect. */
export const governanceChangeAnnounced: SignalRule = governanceRule({
  id: "change_announced",
  title: "Change announced",
  description:
    "Events by which a vault's contracts announce a change that takes effect after a timelock or another step, or withdraw it.",
  tiers: [
    from(
      "medium",
      "an owner, guardian, fee, timelock or market",
      "There is time to leave before it takes effect",
    ),
    from("low", "a cap, or the end of an announcement", "Nothing that holders agreed to changes"),
  ],
  stages: ["announced", "withdrawn"],
});
