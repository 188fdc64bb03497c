import { DAY_S } from "../../lib/durations.ts";
import { latestPoint, type VaultFacts } from "../facts.ts";
import { type SignalRule, wholeAmount } from "../finding.ts";

/** A vault that came into the registry within the last day. */
export const vaultAdded: SignalRule = {
  rule_id: "vault_added",
  dimension: "trust",
  title: "New vault",
  description: "A vault that is new in this service's registry.",
  tiers: [
    { tier: "low", threshold: "the addition itself", reason: "There is no history to judge it by yet" },
  ],
  needs: "Nothing.",
  quietSeconds: 0,
  find(facts, now) {
    if (now - facts.addedAt > DAY_S) return [];
    return [
      {
        ...nowhere(facts.addedAt),
        tier: "low",
        title: `${facts.vaultName}: new vault for ${facts.assetSymbol}`,
        summary:
          `${facts.vaultName} was added to this service within the last 24 hours${holdingText(facts)}. Its rules need days ` +
          "of history before they can tell what is normal: read who curates it and what it invests in before you deposit.",
        evidence: { added_at: `${facts.addedAt}` },
        keys: ["added"],
      },
    ];
  },
};

/** A change of the vault's status in the registry within the last day. */
export const registryChanged: SignalRule = {
  rule_id: "registry_changed",
  dimension: "trust",
  title: "Registry change",
  description: "An operator of this service has paused the vault, or opened it again.",
  tiers: [
    {
      tier: "medium",
      threshold: "the change itself",
      reason: "Deposits through this service stop or work again",
    },
  ],
  needs: "Nothing.",
  quietSeconds: 0,
  find: (facts, now) =>
    facts.registryChanges
      .filter(({ seconds }) => now - seconds <= DAY_S)
      .map(({ id, seconds, from, to, reason }) => ({
        ...nowhere(seconds),
        tier: "medium" as const,
        title: `${facts.vaultName}: now ${to} in this service`,
        summary:
          `An operator of this service changed ${facts.vaultName} from ${from} to ${to} within the last 24 hours` +
          `${reason === "" ? "" : `: ${reason}`}${holdingText(facts)}. ${to === "active" ? "Deposits through this service work again." : "No deposits are made through this service; what is in the vault is not touched by it, and can be withdrawn at the vault itself."}`,
        evidence: { from, to, reason },
        keys: [id],
      })),
};

function holdingText(facts: VaultFacts): string {
  const held = latestPoint(facts)?.totalAssets ?? null;
  if (held === null) return "";
  return `; it holds ${wholeAmount(held, facts.assetDecimals)} ${facts.assetSymbol}`;
}

const nowhere = (seconds: number) => ({
  subject: "",
  metrics: [],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber: null,
});
