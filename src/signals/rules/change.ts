import type { Tier } from "../../schemas/signal.ts";
import { latestOf, type Point, type VaultFacts } from "../facts.ts";
import {
  type Finding,
  fixed,
  fractionOf,
  percent,
  robust,
  type SignalRule,
  tierOf,
  wholeAmount,
} from "../finding.ts";

/** The newest two snapshots between which a predicate turned from false to true, within the last two hours. */
function turned(
  facts: VaultFacts,
  is: (point: Point) => boolean | null,
): { before: Point; after: Point } | null {
  for (let index = facts.recent.length - 1; index > 0; index -= 1) {
    const [before, after] = [facts.recent[index - 1], facts.recent[index]];
    if (before !== undefined && after !== undefined && is(before) === false && is(after) === true)
      return { before, after };
  }
  return null;
}

/** What a change found at one snapshot has in common: it is counted once for its block. */
const atChange = ({ seconds, blockNumber }: Point) => ({
  subject: "",
  metrics: [],
  keys: [`${blockNumber}`],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber,
});

function flip(rule: {
  id: string;
  title: string;
  tier: Tier;
  reason: string;
  description: string;
  summary: string;
  is: (point: Point) => boolean | null;
}): SignalRule {
  return {
    rule_id: rule.id,
    dimension: "risk",
    title: rule.title,
    description: rule.description,
    tiers: [{ tier: rule.tier, threshold: "the change itself", reason: rule.reason }],
    needs: "Two snapshots within two hours.",
    quietSeconds: 0,
    find(facts) {
      const change = turned(facts, rule.is);
      if (change === null) return [];
      const evidence = {
        before_block: `${change.before.blockNumber}`,
        after_block: `${change.after.blockNumber}`,
      };
      return [
        { ...atChange(change.after), tier: rule.tier, title: rule.title, summary: rule.summary, evidence },
      ];
    },
  };
}

export const paused = flip({
  id: "paused",
  title: "Vault paused",
  tier: "high",
  reason: "Nobody can deposit, and often nobody can withdraw; pauses follow incidents",
  description: "The vault's own switch refuses deposits, and did not a snapshot before.",
  summary:
    "The vault's own contract now refuses deposits. Find out why, and whether withdrawals work, before acting.",
  is: (point) => point.paused,
});

export const unpaused = flip({
  id: "unpaused",
  title: "Vault open again",
  tier: "medium",
  reason: "What was stopped works again; the reason may not be gone",
  description: "The vault's own switch takes deposits again.",
  summary: "The vault's own contract takes deposits again. Read what the pause was for before depositing.",
  is: (point) => !point.paused,
});

/** A vault that is paused, or does not tell, is neither full nor open. */
const full = (point: Point): boolean | null =>
  point.paused || point.maxDeposit === null ? null : point.maxDeposit === 0n;

export const capacityExhausted = flip({
  id: "capacity_exhausted",
  title: "Capacity exhausted",
  tier: "medium",
  reason: "Deposits fail until somebody leaves or the cap is raised",
  description: "The vault's deposit limit is zero, and was not a snapshot before.",
  summary:
    "The vault takes no more deposits: its cap is reached. Deposits fail until the cap is raised or others withdraw.",
  is: full,
});

export const capacityOpened = flip({
  id: "capacity_opened",
  title: "Capacity opened",
  tier: "medium",
  reason: "Deposits work that failed before, often for a short time",
  description: "The vault's deposit limit is above zero again.",
  summary: "The vault takes deposits again: somebody left or its cap was raised.",
  is: (point) => {
    const closed = full(point);
    return closed === null ? null : !closed;
  },
});

const THIN: readonly (readonly [Tier, number])[] = [
  ["high", 0.99],
  ["medium", 0.95],
];
/** Hours of history below which nobody can tell what is usual. */
const USUAL_HOURS = 12;

/** The largest holder can withdraw but a small part of the vault, and could withdraw more before. */
export const liquidityThin: SignalRule = {
  rule_id: "liquidity_thin",
  dimension: "risk",
  title: "Liquidity thin",
  description:
    "What the largest known holder can withdraw at once, where that is less than it holds, against total assets.",
  tiers: THIN.map(([tier, most]) => ({
    tier,
    threshold: `${percent(1 - most)} of total assets or less`,
    reason: "The next one who leaves has to wait; in a run, the last ones wait longest",
  })),
  needs: `${USUAL_HOURS} hourly snapshots, in the middle one of which more could be withdrawn.`,
  quietSeconds: 86_400,
  find(facts) {
    const latest = latestOf(facts);
    if (latest === null || latest.liquidity === null || latest.totalAssets === null) return [];
    const usual = robust(facts.hours.slice(0, -1).map(liquidShare));
    const share = fractionOf(latest.liquidity, latest.totalAssets);
    const tier = share === null ? null : tierOf(1 - share, THIN);
    if (share === null || tier === null || usual === null || facts.hours.length <= USUAL_HOURS) return [];
    if (usual.median <= 0.1) return [];
    const amount = `${wholeAmount(latest.liquidity, facts.assetDecimals)} ${facts.assetSymbol}`;
    return [
      {
        ...atChange(latest),
        tier,
        title: `Only ${percent(share)} can be withdrawn`,
        summary: `The largest holder could withdraw ${amount} at once, ${percent(share)} of the vault. Large withdrawals have to wait until borrowers repay or positions are unwound.`,
        metrics: [
          {
            label: "withdrawable",
            value: latest.liquidity.toString(),
            unit: facts.assetSymbol,
            change: fixed(share - usual.median),
          },
        ],
        evidence: { total_assets: latest.totalAssets.toString(), usual_share: fixed(usual.median) },
        keys: [tier],
        ongoing: true,
      },
    ];
  },
};

/** Where nothing limited the holder, all could be withdrawn as far as anybody knows. */
const liquidShare = ({ liquidity, totalAssets }: Point): number =>
  liquidity === null || totalAssets === null ? 1 : (fractionOf(liquidity, totalAssets) ?? 1);

const CONTROLS: Readonly<Record<string, { name: string; tier: Tier; advice: string }>> = {
  owner: { name: "Owner", tier: "high", advice: "Whoever owns the vault can change how it works." },
  curator: { name: "Curator", tier: "medium", advice: "Somebody else decides where the money goes." },
  guardian: { name: "Guardian", tier: "medium", advice: "Somebody else can veto the curator." },
  fee: { name: "Fee", tier: "medium", advice: "What holders earn changes with it." },
  timelock: {
    name: "Timelock",
    tier: "medium",
    advice: "It is the time to leave before a change takes effect.",
  },
};

/** Another owner, curator, guardian, fee or timelock than a snapshot before. */
export const controlChanged: SignalRule = {
  rule_id: "control_changed",
  dimension: "trust",
  title: "Control changed",
  description: "Owner, curator, guardian, fee and timelock, where the vault has views for them.",
  tiers: [
    { tier: "high", threshold: "the owner", reason: "It can change everything else" },
    {
      tier: "medium",
      threshold: "curator, guardian, fee or timelock",
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
  const [before, after] = [told[index - 1]?.controls[control], told[index]];
  if (rule === undefined || before === undefined || after === undefined) return [];
  const now = after.controls[control] ?? "";
  return [
    {
      ...atChange(after),
      tier: rule.tier,
      subject: control,
      title: `${rule.name} changed`,
      summary: `${rule.name} was ${before} and is now ${now}. ${rule.advice}`,
      evidence: { before, after: now },
    },
  ];
}

const DAY = 86_400;

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
    if (now - facts.addedAt > DAY) return [];
    return [
      {
        ...nowhere(facts.addedAt),
        tier: "low",
        title: "New vault",
        summary: "The vault was added to the registry. There is no history yet to judge it by.",
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
      .filter(({ seconds }) => now - seconds <= DAY)
      .map(({ id, seconds, from, to, reason }) => ({
        ...nowhere(seconds),
        tier: "medium" as const,
        title: `Now ${to} in the registry`,
        summary: `An operator changed the vault from ${from} to ${to}${reason === "" ? "" : `: ${reason}`}.`,
        evidence: { from, to, reason },
        keys: [id],
      })),
};

const nowhere = (seconds: number) => ({
  subject: "",
  metrics: [],
  seconds,
  ongoing: false,
  txHash: null,
  blockNumber: null,
});
