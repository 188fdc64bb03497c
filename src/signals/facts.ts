/** A snapshot of a vault. Amounts in the asset's smallest unit, the share price times 10^18. */
export interface Point {
  /** The block's time, seconds since the epoch. */
  seconds: number;
  blockNumber: number;
  totalAssets: bigint | null;
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

/** A change of the vault's registry row, by its audit. */
export interface RegistryChange {
  id: string;
  seconds: number;
  from: string;
  to: string;
  reason: string;
}

/** Everything that rules may decide on about one vault. Snapshots are oldest first. */
export interface VaultFacts {
  assetSymbol: string;
  assetDecimals: number;
  /** Every five minutes of the last two hours, every hour of the last week, every day of the last ninety. */
  recent: readonly Point[];
  hours: readonly Point[];
  days: readonly Point[];
  dayFlows: DayFlows | null;
  /** When the vault came into the registry, seconds. */
  addedAt: number;
  registryChanges: readonly RegistryChange[];
}

/** The newest snapshot of a vault; null: there is none. */
export const latestOf = (facts: VaultFacts): Point | null =>
  facts.recent.at(-1) ?? facts.hours.at(-1) ?? null;

/** The hourly snapshot of a day ago: the newest that is at least that old; null: there is none. */
export function dayAgo(facts: VaultFacts): Point | null {
  const latest = latestOf(facts);
  if (latest === null) return null;
  return facts.hours.findLast(({ seconds }) => latest.seconds - seconds >= 86_400) ?? null;
}
