import { DAY_S } from "../../lib/durations.ts";
import type { Tier } from "../../schemas/signal-schema.ts";
import {
  formatAddress,
  formatDuration,
  formatUtcMinute,
  isNone,
} from "../../vaults/governance/governance-event.ts";
import type { Point, VaultFacts } from "../signal-facts.ts";
import { countOf, type Finding, percent, type SignalRule } from "../signal-finding.ts";

/** The texts and severity of a role, fee or timelock whose value snapshots contain. */
interface Control {
  name: string;
  tier: Tier;
  /** The consequence for a depositor. */
  advice: string;
  /** The consequence for a depositor if the role was removed, that is, given to the zero address. */
  removed?: string;
}

const feeAdvice = "Fees reduce what holders earn: compare the net yield with that of other vaults.";
const CONTROLS: Readonly<Record<string, Control>> = {
  owner: {
    name: "owner",
    tier: "high",
    advice:
      "The owner can change how the vault works: find out who it is before you deposit or leave funds in the vault.",
    removed:
      "The vault has no owner any more. Other accounts, such as an access-control authority or a proxy admin, may still be " +
      "able to change settings: check who they are.",
  },
  curator: {
    name: "curator",
    tier: "medium",
    advice:
      "The curator decides where the assets may be allocated: find out who it is before you deposit or leave funds in the vault.",
    removed: "The vault no longer has a curator: find out who now decides where the assets may be allocated.",
  },
  guardian: {
    name: "guardian",
    tier: "medium",
    advice:
      "A guardian can usually veto pending changes or stop operations: find out who it is before you rely on it.",
    removed: "The vault no longer has a guardian that could veto pending changes: check them more often.",
  },
  fee: { name: "fee", tier: "medium", advice: feeAdvice },
  performance_fee: { name: "performance fee", tier: "medium", advice: feeAdvice },
  management_fee: { name: "management fee", tier: "medium", advice: feeAdvice },
  timelock: {
    name: "timelock",
    tier: "medium",
    advice:
      "A timelock gives holders time to withdraw before a change takes effect: if it was reduced or replaced, check pending changes more often.",
  },
};

/**
 * Reports a change of owner, curator, guardian, fee or timelock between two snapshots of the last two hours, as view
 * functions returned them. If a value changed several times, only its last change is reported.
 */
export const controlChanged: SignalRule = {
  rule_id: "control_changed",
  dimension: "trust",
  title: "Role, fee or timelock changed",
  description:
    "Changes to the owner, curator, guardian, fees or timelock returned by the vault's view functions.",
  tiers: [
    { tier: "high", threshold: "Owner", reason: "The owner can change how the vault works" },
    {
      tier: "medium",
      threshold: "Curator, guardian, fee or timelock",
      reason: "Changes terms that holders rely on",
    },
  ],
  needs: "Two snapshots within two hours that contain the value.",
  quietSeconds: 0,
  find: (facts) => Object.keys(CONTROLS).flatMap((control) => findControl(facts, control)),
};

function findControl(facts: VaultFacts, control: string): Finding[] {
  const rule = CONTROLS[control];
  const points = facts.recent.filter(({ controls }) => controls[control] !== undefined);
  const index = points.findLastIndex(
    (point, i) => i > 0 && point.controls[control] !== points[i - 1]?.controls[control],
  );
  const [before, after] = [points[index - 1], points[index]];
  if (rule === undefined || before === undefined || after === undefined) return [];
  const was = before.controls[control] ?? "";
  const now = after.controls[control] ?? "";
  const values = { adapter: facts.adapter, control };
  const name = control === "fee" && PERFORMANCE_FEE_ONLY.has(facts.adapter) ? "performance fee" : rule.name;
  return [
    {
      tier: rule.tier,
      subject: control,
      title: `${facts.vaultName}: ${name} ${isNone(now) ? "removed" : "changed"}`,
      summary:
        `The ${name} of ${facts.vaultName} changed from ${formatControl(was, values)} to ` +
        `${formatControl(now, values)}${unitNote(now, values)} within the ${minutes(before, after)} before ${formatUtcMinute(after.seconds)}. ${(isNone(now) ? rule.removed : undefined) ?? rule.advice}`,
      metrics: [],
      evidence: {
        before: was,
        after: now,
        before_block: `${before.blockNumber}`,
        after_block: `${after.blockNumber}`,
      },
      // A later snapshot of the same five minutes may replace the one after the change, with a further change or not.
      keys: [`${before.blockNumber} ${now}`],
      seconds: after.seconds,
      ongoing: false,
      txHash: null,
      blockNumber: after.blockNumber,
    },
  ];
}

const minutes = (before: Point, after: Point): string =>
  countOf(Math.max(1, Math.round((after.seconds - before.seconds) / 60)), "minute");

/** Adapters of vaults whose fees are fractions with 18 decimals (10^18 = 100%). */
const WAD_FEES: ReadonlySet<string> = new Set(["metamorpho", "morpho_v2", "euler_earn"]);
/** Adapters of vaults whose only fee, `fee()`, is a performance fee: MetaMorpho and its fork EulerEarn. */
const PERFORMANCE_FEE_ONLY: ReadonlySet<string> = new Set(["metamorpho", "euler_earn"]);
/** Adapters of vaults whose fees are in basis points. */
const BASIS_POINT_FEES: ReadonlySet<string> = new Set(["ipor", "lagoon"]);

/** Factor from Morpho Vault V2's management fee, a fraction per second with 18 decimals, to a fraction per year. */
const PER_YEAR = (365 * DAY_S) / 1e18;

/** Returns a note that the fees are raw contract values of unknown scale, or an empty string if their unit is known. */
const unitNote = (value: string, of: { adapter: string; control: string }): string =>
  of.control.endsWith("fee") && formatControl(value, of) === value ? " (raw contract values)" : "";

/** Returns true for a number of seconds so large that it is an address: some contracts name their timelock contract. */
const isAddressNumber = (value: string): boolean => Number(value) > 1e30;

/** Formats an address, a timelock or a fee. A fee whose unit is unknown is returned as the contract returns it. */
function formatControl(value: string, of: { adapter: string; control: string }): string {
  const { adapter, control } = of;
  if (!/^[0-9]{1,78}$/.test(value)) return formatAddress(value);
  if (control === "management_fee" && adapter === "morpho_v2")
    return `${percent(Number(value) * PER_YEAR)} a year`;
  if (control === "timelock")
    return isAddressNumber(value)
      ? `0x${BigInt(value).toString(16).padStart(40, "0")}`
      : formatDuration(value);
  if (WAD_FEES.has(adapter)) return percent(Number(value) / 1e18);
  if (BASIS_POINT_FEES.has(adapter))
    return `${percent(Number(value) / 1e4)}${control === "management_fee" ? " a year" : ""}`;
  return value;
}
