import { DAY_S } from "../lib/durations.ts";
import type { EventArgs, GovernanceEvent } from "../vaults/governance/governance-event.ts";

/**
 * A stored snapshot of a vault as signal rules receive it. Amounts are in the asset's smallest unit; share prices are
 * whole assets per whole share, times 10^18. Null means unknown unless stated otherwise.
 */
export interface Point {
  /** Block timestamp, in seconds since the epoch. */
  seconds: number;
  blockNumber: number;
  totalAssets: bigint | null;
  /** In the share token's smallest unit. */
  totalSupply: bigint | null;
  sharePrice: bigint | null;
  maxDeposit: bigint | null;
  /**
   * Whether deposits are paused, as last known if it could not be read; false also if it never was or if the vault's
   * family ignores that failure.
   */
  paused: boolean;
  /**
   * Amount that the largest known holder can withdraw now, in the asset's smallest unit. Null if the holder can redeem
   * all of its shares, if withdrawals have to wait, or if the amount is unknown or not read for the vault's family.
   */
  liquidity: bigint | null;
  /**
   * Owner, curator, guardian, fees and timelock by name, as view functions returned them. Values that were not returned
   * are absent.
   */
  controls: Readonly<Record<string, string>>;
}

/** One deposit to or withdrawal from a vault, since its snapshot of a day ago. */
export interface SingleFlow {
  /** `txHash:logIndex`. */
  key: string;
  txHash: string;
  /** In the asset's smallest unit; negative for a withdrawal. */
  assets: bigint;
  /** The account that the flow is attributed to. */
  user: string;
  blockNumber: number;
}

/**
 * Sums of a vault's deposits and withdrawals since its snapshot of a day ago, in the asset's smallest unit. Neither is
 * negative.
 */
export interface DayFlows {
  inflow: bigint;
  outflow: bigint;
  /**
   * The largest deposits and withdrawals, at most five of each, by descending absolute amount; flows of zero may
   * follow.
   */
  largest: readonly SingleFlow[];
}

/**
 * Sums and largest values of a vault's deposits and withdrawals between two snapshots about a day apart, after the
 * block of `before` up to and including that of `after`, in the asset's smallest unit. None is negative.
 */
export interface FlowDay {
  before: Point;
  after: Point;
  inflow: bigint;
  outflow: bigint;
  largestDeposit: bigint;
  largestWithdrawal: bigint;
}

/** A change of a vault's registry status, as the audit log recorded it. */
export interface RegistryChange {
  /** Id of the row in the audit log. */
  id: string;
  /** Time of the change, in seconds since the epoch. */
  seconds: number;
  /** Status before the change. */
  from: string;
  /** Status after the change. */
  to: string;
  /** Reason for the change in plain words, or empty. */
  reason: string;
  /** True if an operator decided the change, false if the service's check of the vault did, whoever started that. */
  byOperator: boolean;
}

/** A stored governance event of a vault. */
export interface GovernanceChange {
  /** `txHash:logIndex`. */
  key: string;
  txHash: string;
  blockNumber: number;
  /** Block timestamp, in seconds since the epoch. */
  seconds: number;
  event: GovernanceEvent;
  /** The decoded arguments, or null if the log does not match the event's signature. */
  args: EventArgs | null;
}

/** The stored facts about one vault from which signal rules derive findings. Snapshots are oldest first. */
export interface VaultFacts {
  vaultName: string;
  adapter: string;
  /** The asset's symbol as texts show it, see `assetUnit`. */
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
  /**
   * Flows since the snapshot of a day ago (`pointDayAgo`), as far as the chain is indexed. Null without that snapshot,
   * if flows before the newest indexed block are missing or an amount is unknown, and in vaults with deposits by request.
   */
  dayFlows: DayFlows | null;
  /**
   * Flows from the snapshot of a day ago (`pointDayAgo`) to the newest of the `currentPoints` up to whose block all
   * flows are stored with their amounts. Null if there is none, and in vaults with withdrawals by request.
   */
  indexedDay: FlowDay | null;
  /** Those of the `earlierDays` whose deposits and withdrawals are all stored with their amounts. */
  flowDays: readonly FlowDay[];
  /** Time at which the vault was added to the registry, in seconds since the epoch. */
  addedAt: number;
  /** Changes of the last day, oldest first. */
  registryChanges: readonly RegistryChange[];
  /**
   * Governance events of final blocks that were stored in the last day and match the vault's registry entry, oldest
   * first.
   */
  governanceChanges: readonly GovernanceChange[];
}

/** Returns the newest five-minute snapshot of a vault, otherwise the newest hourly one, or null if there is neither. */
export const latestPoint = (facts: Pick<VaultFacts, "recent" | "hours">): Point | null =>
  facts.recent.at(-1) ?? facts.hours.at(-1) ?? null;

/**
 * Returns the last two five-minute snapshots, oldest first, or the only one; without any, the newest hourly one; empty
 * if there is none. Flows are indexed every minute, so those up to the newest snapshot are often not stored yet.
 */
export const currentPoints = ({ recent, hours }: Pick<VaultFacts, "recent" | "hours">): readonly Point[] =>
  recent.length > 0 ? recent.slice(-2) : hours.slice(-1);

/**
 * Maximum and minimum length of an interval that counts as a day, in seconds. The range tolerates a few missing
 * snapshots.
 */
const LONGEST_DAY = 1.25 * DAY_S;
const SHORTEST_DAY = 0.75 * DAY_S;

/**
 * Returns the newest hourly snapshot that is at least 24 hours older than the latest snapshot, or null if there is none
 * or it is more than 30 hours older.
 */
export function pointDayAgo(facts: Pick<VaultFacts, "recent" | "hours">): Point | null {
  const latest = facts.recent.at(-1);
  if (latest === undefined) return null;
  const before = facts.hours.findLast(({ seconds }) => latest.seconds - seconds >= DAY_S);
  return before === undefined || latest.seconds - before.seconds > LONGEST_DAY ? null : before;
}

/** Maximum age of a day in a baseline, in seconds. */
const BASELINE_SPAN = 31 * DAY_S;

/**
 * Returns earlier days, oldest first, as pairs of consecutive daily snapshots, 18 to 30 hours apart. They start at most
 * 31 days before the latest snapshot and end at least 24 hours before it. Empty without one.
 */
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
