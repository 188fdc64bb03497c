import { DAY_S } from "../lib/durations.ts";
import type { EventArgs, GovernanceEvent } from "../vaults/governance/governance-event.ts";

/** A snapshot of a vault. Amounts in the asset's smallest unit, the share price times 10^18. */
export interface Point {
  /** The block's time, seconds since the epoch. */
  seconds: number;
  blockNumber: number;
  totalAssets: bigint | null;
  /** In the share token's smallest unit. */
  totalSupply: bigint | null;
  sharePrice: bigint | null;
  maxDeposit: bigint | null;
  paused: boolean;
  /** What the largest holder could withdraw, where it is less than what it holds. */
  liquidity: bigint | null;
  controls: Readonly<Record<string, string>>;
}

/** A deposit or a withdrawal, below zero, of the last day. */
export interface SingleFlow {
  /** `txHash:logIndex`. */
  key: string;
  txHash: string;
  assets: bigint;
  user: string;
  blockNumber: number;
}

/** What went in and out within the last day. Null: not all of it is stored. */
export interface DayFlows {
  inflow: bigint;
  outflow: bigint;
  /** The largest, by size. */
  largest: readonly SingleFlow[];
}

/** What flowed between two neighbouring daily snapshots; amounts in the asset's smallest unit, none below zero. */
export interface FlowDay {
  before: Point;
  after: Point;
  inflow: bigint;
  outflow: bigint;
  largestDeposit: bigint;
  largestWithdrawal: bigint;
}

/** A change of the vault's registry row, by its audit. */
export interface RegistryChange {
  id: string;
  seconds: number;
  from: string;
  to: string;
  reason: string;
}

/** An event by which the vault told of a change that no view shows. Addresses and topics are lower case. */
export interface GovernanceChange {
  /** `txHash:logIndex`. */
  key: string;
  txHash: string;
  blockNumber: number;
  /** The block's time, seconds since the epoch. */
  seconds: number;
  what: GovernanceEvent;
  /** Null: its data are not those of the signature. */
  members: EventArgs | null;
}

/** Everything that rules may decide on about one vault. Snapshots are oldest first. */
export interface VaultFacts {
  vaultName: string;
  adapter: string;
  /** What amounts are counted in, for people: see `assetUnit`. */
  assetSymbol: string;
  assetDecimals: number;
  /** Every five minutes of the last two hours, every hour of the last week, every day of the last ninety. */
  recent: readonly Point[];
  hours: readonly Point[];
  days: readonly Point[];
  dayFlows: DayFlows | null;
  /** The days of the last month that were over a day ago, where all that flowed is stored. */
  flowDays: readonly FlowDay[];
  /** When the vault came into the registry, seconds. */
  addedAt: number;
  registryChanges: readonly RegistryChange[];
  /** What it told within the last day, as far as blocks are final, oldest first. */
  toldChanges: readonly GovernanceChange[];
}

/** The newest snapshot of a vault; null: there is none. */
export const latestPoint = (facts: VaultFacts): Point | null =>
  facts.recent.at(-1) ?? facts.hours.at(-1) ?? null;

/** What may be taken for a day: a snapshot may be missing, a day of them may not. */
const LONGEST_DAY = 1.25 * DAY_S;
const SHORTEST_DAY = 0.75 * DAY_S;

/** The hourly snapshot of a day ago: the newest that is at least that old; null: there is none. */
export function pointDayAgo(facts: VaultFacts): Point | null {
  const latest = latestPoint(facts);
  if (latest === null) return null;
  const before = facts.hours.findLast(({ seconds }) => latest.seconds - seconds >= DAY_S);
  return before === undefined || latest.seconds - before.seconds > LONGEST_DAY ? null : before;
}

/** How far back days tell what is usual, seconds. */
const BASELINE_SPAN = 31 * DAY_S;

/** The days by which the last one is judged: pairs of daily snapshots, none of which reaches into it. */
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
