import type { Tier } from "../../schemas/signal.ts";
import type { Point, VaultFacts } from "../facts.ts";
import { type Finding, percent, type SignalRule } from "../finding.ts";

interface Control {
  name: string;
  tier: Tier;
  advice: string;
}

const feeAdvice =
  "What holders earn changes with it: compare the rate after fees with other vaults before you stay or deposit.";
const CONTROLS: Readonly<Record<string, Control>> = {
  owner: {
    name: "owner",
    tier: "high",
    advice:
      "Whoever owns the vault can change how it works: find out who that is, and until you know, treat the vault as another one than you chose.",
  },
  curator: {
    name: "curator",
    tier: "medium",
    advice:
      "Somebody else decides where the money goes: read who that is before you stay or deposit; limits in force stay until changed.",
  },
  guardian: {
    name: "guardian",
    tier: "medium",
    advice: "Somebody else can veto what the curator proposes: read who that is before you rely on it.",
  },
  fee: { name: "fee", tier: "medium", advice: feeAdvice },
  performance_fee: { name: "performance fee", tier: "medium", advice: feeAdvice },
  management_fee: { name: "management fee", tier: "medium", advice: feeAdvice },
  timelock: {
    name: "timelock",
    tier: "medium",
    advice:
      "It is the time there is to leave before a change takes effect: if it became shorter, check the vault's pending changes that much more often.",
  },
};

/** Another owner, curator, guardian, fee or timelock than a snapshot before. */
export const controlChanged: SignalRule = {
  rule_id: "control_changed",
  dimension: "trust",
  title: "Control changed",
  description: "Owner, curator, guardian, fees and timelock, where the vault has views for them.",
  tiers: [
    { tier: "high", threshold: "the owner", reason: "It can change everything else" },
    {
      tier: "medium",
      threshold: "curator, guardian, a fee or timelock",
      reason: "Each changes what holders agreed to",
    },
  ],
  needs: "Two snapshots within two hours that tell it.",
  quietSeconds: 0,
  find: (facts) => Object.keys(CONTROLS).flatMap((control) => findControl(facts, control)),
};

function findControl(facts: VaultFacts, control: string): Finding[] {
  const rule = CONTROLS[control];
  const told = facts.recent.filter(({ controls }) => controls[control] !== undefined);
  const index = told.findLastIndex(
    (point, i) => i > 0 && point.controls[control] !== told[i - 1]?.controls[control],
  );
  const [before, after] = [told[index - 1], told[index]];
  if (rule === undefined || before === undefined || after === undefined) return [];
  const was = before.controls[control] ?? "";
  const now = after.controls[control] ?? "";
  const of = { facts, control };
  return [
    {
      tier: rule.tier,
      subject: control,
      title: `${facts.vaultName}: ${rule.name} changed`,
      summary:
        `The ${rule.name} of ${facts.vaultName} was ${inWords(was, of)} and is ${inWords(now, of)}, since ` +
        `${minutes(before, after)} or less before ${timeOf(after)}. Normal is no change. ${rule.advice}`,
      metrics: [],
      evidence: {
        before: was,
        after: now,
        before_block: `${before.blockNumber}`,
        after_block: `${after.blockNumber}`,
      },
      keys: [`${after.blockNumber}`],
      seconds: after.seconds,
      ongoing: false,
      txHash: null,
      blockNumber: after.blockNumber,
    },
  ];
}

const minutes = (before: Point, after: Point): string =>
  `${Math.max(1, Math.round((after.seconds - before.seconds) / 60))} minutes`;
const timeOf = ({ seconds }: Point): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Adapters whose fees are parts of 10^18; elsewhere the figure is shown as the vault tells it. */
const WAD_FEES: ReadonlySet<string> = new Set(["metamorpho", "morpho_v2"]);
/** Adapters whose fees are hundredths of a percent. */
const BASIS_POINT_FEES: ReadonlySet<string> = new Set(["ipor", "lagoon"]);

function inWords(value: string, of: { facts: VaultFacts; control: string }): string {
  const { facts, control } = of;
  if (!/^[0-9]{1,78}$/.test(value)) return value;
  if (control === "timelock") return `${Number(value) / 3_600} hours`;
  if (WAD_FEES.has(facts.adapter)) return percent(Number(value) / 1e18);
  if (BASIS_POINT_FEES.has(facts.adapter)) return percent(Number(value) / 1e4);
  return value;
}
