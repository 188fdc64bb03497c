import { DAY_S } from "../lib/durations.ts";
import type { EventArgs, GovernanceEvent } from "../vaults/governance/governance-event.ts";

/** A stored snapshot of a vault. Amounts are in the asset's smallest unit; a share price of 10^18 is 1. */
export interface Point {
  /** Block time, seconds since the epoch. */
  seconds: number;
  blockNumber: number;
  totalAssets: bigint | null;
  /** In the share token's smallest unit. */
  totalSupply: bigint | null;
  sharePrice: bigint | null;
  maxDeposit: bigint | null;
  paused: boolean;
  /** Amount that the largest known holder can withdraw; null when nothing limits it or it is unknown. */
  liquidity: bigint | null;
  /** Owner, curator, guardian, fees and timelock by name, as the contract returns them. */
  controls: Readonly<Record<string, string>>;
}

/** A deposit, or a withdrawal with a negative amount, of the last day. */
export interface SingleFlow {
  /** `txHash:logIndex`. */
  key: string;
  txHash: string;
  assets: bigint;
  user: string;
  blockNumber: number;
}

/** Deposits and withdrawals of the last day, in the asset's smallest unit. */
export interface DayFlows {
  inflow: bigint;
  outflow: bigint;
  /** The largest flows, by absolute amount. */
  largest: readonly SingleFlow[];
}

/** Deposits and withdrawals between two consecutive daily snapshots. Amounts are positive, in the asset's smallest unit. */
export interface FlowDay {
  before: Point;
  after: Point;
  inflow: bigint;
  outflow: bigint;
  largestDeposit: bigint;
  largestWithdrawal: bigint;
}

/** A change of a vault's registry status, from the audit log. */
export interface RegistryChange {
  id: string;
  seconds: number;
  from: string;
  to: string;
  reason: string;
}

/** A governance event of a vault that no view function shows. */
export interface GovernanceChange {
  /** `txHash:logIndex`. */
  key: string;
  txHash: string;
  blockNumber: number;
  /** Block time, seconds since the epoch. */
  seconds: number;
  event: GovernanceEvent;
  /** Null when the data do not match the event's signature. */
  args: EventArgs | null;
}

/** The stored facts about one vault that rules decide on. Snapshots are oldest first. */
export interface VaultFacts {
  vaultName: string;
  adapter: string;
  /** Symbol that texts show amounts in, see `assetUnit`. */
  assetSymbol: string;
  assetDecimals: number;
  assetAddress: string;
  shareDecimals: number;
  /** Five-minute snapshots of the last two hours. */
  recent: readonly Point[];
  /** Hourly snapshots of the last week. */
  hours: readonly Point[];
  /** Daily snapshots of the last ninety days. */
  days: readonly Point[];
  /** Null when not all flows of the last day are stored. */
  dayFlows: DayFlows | null;
  /** Days of the last month that ended at least a day ago and whose flows are all stored. */
  flowDays: readonly FlowDay[];
  /** When the vault was added to the registry, seconds since the epoch. */
  addedAt: number;
  registryChanges: readonly RegistryChange[];
  /** Governance events of the last day in final blocks, oldest first. */
  governanceChanges: readonly GovernanceChange[];
}

/** Returns the newest snapshot of a vault, or null. */
export const latestPoint = (facts: VaultFacts): Point | null =>
  facts.recent.at(-1) ?? facts.hours.at(-1) ?? null;

/** Bounds of the interval that counts as a day, seconds: a few missing snapshots are tolerated. */
const LONGEST_DAY = 1.25 * DAY_S;
const SHORTEST_DAY = 0.75 * DAY_S;

/** Returns the newest hourly snapshot that is at least a day older than the latest one. Null when there is none, or only a much older one. */
export function pointDayAgo(facts: VaultFacts): Point | null {
  const latest = latestPoint(facts);
  if (latest === null) return null;
  const before = facts.hours.findLast(({ seconds }) => latest.seconds - seconds >= DAY_S);
  return before === undefined || latest.seconds - before.seconds > LONGEST_DAY ? null : before;
}

/** Age of the oldest day in a baseline, seconds. */
const BASELINE_SPAN = 31 * DAY_S;

/** Returns the earlier days that the last day is compared with, as pairs of daily snapshots. None overlaps the last day. */
export function earlierDays(facts: Pick<VaultFacts, "recent" | "hours" | "days">): [Point, Point][] {
  const latest = facts.recent.at(-1) ?? facts.hours.at(-1);
  if (latest === undefined) return [];
  return facts.days.flatMap((after, index): [Point, Point][] => {
    const before = facts.days[index - 1];
    if (before === undefined || latest.seconds - before.seconds > BASELINE_SPAN) return [];
    const length = after.seconds - before.seconds;
    if (length > LONGEST_DAY || length < SHORTEST_DAY || latest.seconds - after.seconds < DAY_S) return [];
    return [[before, after]];
  });
}
