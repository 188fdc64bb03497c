import { DAY_S } from "../../lib/durations.ts";
import { formatUtcMinute } from "../../vaults/governance/governance-event.ts";
import { latestPoint, type RegistryChange, type VaultFacts } from "../signal-facts.ts";
import { type SignalRule, wholeAmount } from "../signal-finding.ts";

/** Reports a vault that was added to the registry in the last 24 hours. */
export const vaultAdded: SignalRule = {
  rule_id: "vault_added",
  dimension: "trust",
  title: "Vault added",
  description:
    "A vault that was added to this service's registry and listed, open or paused, in the last 24 hours.",
  tiers: [
    {
      tier: "low",
      threshold:
        "Every vault that is listed within 24 hours of being added; registry_changed reports openings",
      reason: "This service has no history of it yet to compare with",
    },
  ],
  needs: "Nothing.",
  quietSeconds: 0,
  find(facts, now) {
    if (now - facts.addedAt > DAY_S) return [];
    return [
      {
        ...offChain(facts.addedAt),
        tier: "low",
        title: `${facts.vaultName}: ${facts.assetSymbol} vault added to this service`,
        summary:
          `${facts.vaultName} was added to this service at ${formatUtcMinute(facts.addedAt)}.${holdingText(facts)} Rules that need days ` +
          "of history do not apply yet: check its curator and strategy before you deposit.",
        evidence: { added_at: `${facts.addedAt}` },
        keys: ["added"],
      },
    ];
  },
};

/**
 * Reports each change of a vault's registry status from `active` or `paused`, or to `active`, in the last 24 hours, by
 * an operator or by the service's own check.
 */
export const registryChanged: SignalRule = {
  rule_id: "registry_changed",
  dimension: "trust",
  title: "Registry status changed",
  description:
    "Deposits into the vault through this service were opened, paused, resumed or closed in the last 24 hours, by an " +
    "operator or by the automatic check.",
  tiers: [
    {
      tier: "medium",
      threshold: "Any such change",
      reason: "Deposits through this service start, stop or stay closed",
    },
  ],
  needs: "Nothing.",
  quietSeconds: 0,
  find: (facts, now) =>
    facts.registryChanges
      .filter((change) => now - change.seconds <= DAY_S && affectsDeposits(change))
      .map((change) => ({
        ...offChain(change.seconds),
        tier: "medium" as const,
        title: `${facts.vaultName}: deposits through this service ${verbOf(change)}`,
        summary: summaryOf(facts, change),
        evidence: { from: change.from, to: change.to, reason: change.reason },
        keys: [change.id],
      })),
};

/** Returns false for a change between two statuses in which deposits are refused, unless they were paused before. */
const affectsDeposits = ({ from, to }: RegistryChange): boolean =>
  from === "active" || from === "paused" || to === "active";

/**
 * Returns what a change of status means for deposits: they are resumed after a pause, or else opened, paused or closed.
 */
function verbOf({ from, to }: RegistryChange): string {
  if (to === "active") return from === "paused" ? "resumed" : "opened";
  return to === "paused" ? "paused" : "closed";
}

function summaryOf(facts: VaultFacts, change: RegistryChange): string {
  const { to, reason, byOperator } = change;
  const by = byOperator ? "An operator" : "The automatic check";
  const why = reason === "" ? "" : ` Reason: ${reason.replace(/[.:\s]+$/, "")}.`;
  const effect =
    to === "active"
      ? "Deposits through this service are allowed now."
      : "Deposits through this service are refused. Assets already in the vault are not affected by this; check whether " +
        "you can withdraw them.";
  return (
    `${by} ${verbOf(change)} deposits into ${facts.vaultName} through this service at ${formatUtcMinute(change.seconds)}.` +
    `${why}${holdingText(facts)} ${effect}`
  );
}

function holdingText(facts: VaultFacts): string {
  const held = latestPoint(facts)?.totalAssets ?? null;
  if (held === null) return "";
  return ` The vault holds ${wholeAmount(held, facts.assetDecimals)} ${facts.assetSymbol}.`;
}

/** Returns the fields of a finding that has neither a transaction nor a block. */
const offChain = (seconds: number) => ({
  subject: "",
  metrics: [],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber: null,
});
