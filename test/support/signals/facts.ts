import {
  currentPoints,
  type DayFlows,
  earlierDays,
  type FlowDay,
  type Point,
  pointDayAgo,
  type VaultFacts,
} from "../../../src/signals/signal-facts.ts";

/** Time of the newest snapshot, in unix seconds. */
export const NOW = 1_800_000_000;
const E18 = 10n ** 18n;
/** Converts whole dollars to the smallest unit of a token with six decimals. */
export const usd = (whole: number): bigint => BigInt(Math.round(whole * 1e6));

/** Creates a snapshot of a vault with a million dollars and a share price of 1, taken `secondsAgo` before `NOW`. */
export function pointAt(secondsAgo: number, changed: Partial<Point> = {}): Point {
  return {
    seconds: NOW - secondsAgo,
    blockNumber: 10_000_000 - secondsAgo,
    totalAssets: usd(1_000_000),
    totalSupply: usd(1_000_000),
    sharePrice: E18,
    maxDeposit: 2n ** 255n,
    paused: false,
    liquidity: null,
    controls: { owner: "0x01", fee: "5" },
    ...changed,
  };
}

const every = (seconds: number, count: number) =>
  Array.from({ length: count }, (_, index) => (count - 1 - index) * seconds);

/** Function that returns the fields of a snapshot by its age in seconds. */
export type At = (secondsAgo: number) => Partial<Point>;
/** Returns share prices that grow by the fraction `perDay` and are 1 at `NOW`. */
export const growingPrices =
  (perDay: number): At =>
  (secondsAgo) => ({ sharePrice: E18 - BigInt(Math.round((secondsAgo / 86_400) * perDay * 1e18)) });

/** Creates the facts of a vault. By default, nothing happened for thirty days. */
export function factsOf(
  of: {
    at?: At;
    flows?: Partial<DayFlows> | null;
    days?: number;
    hours?: number;
    /** Returns the flows of each earlier day, oldest first. None by default. */
    flowed?: (day: number) => Partial<FlowDay>;
  } = {},
): VaultFacts {
  const at = of.at ?? growingPrices(0.0001);
  const points = (ages: number[]) => ages.map((age) => pointAt(age, at(age)));
  const [recent, hours] = [points(every(300, 24)), points(every(3_600, of.hours ?? 168))];
  const days = points(every(86_400, of.days ?? 30));
  const none = { inflow: 0n, outflow: 0n, largestDeposit: 0n, largestWithdrawal: 0n };
  const [before, after] = [pointDayAgo({ recent, hours }), currentPoints({ recent, hours }).at(-1)];
  return {
    vaultName: "Steady USDC",
    adapter: "erc4626",
    assetSymbol: "USDC",
    assetDecimals: 6,
    assetAddress: "0x00000000000000000000000000000000000000a5",
    shareDecimals: 6,
    recent,
    hours,
    days,
    flowDays: earlierDays({ recent, hours, days }).map(([before, after], day) => ({
      ...none,
      ...of.flowed?.(day),
      before,
      after,
    })),
    dayFlows: of.flows === null ? null : { inflow: 0n, outflow: 0n, largest: [], ...of.flows },
    indexedDay:
      of.flows === null || before === null || after === undefined
        ? null
        : { ...none, ...of.flows, before, after },
    addedAt: NOW - 40 * 86_400,
    registryChanges: [],
    governanceChanges: [],
  };
}

/** Creates a flow of the last day. A negative amount is a withdrawal. */
export const flowOf = (assets: bigint, key = "0xaa:1"): DayFlows["largest"][number] => ({
  key,
  txHash: key.split(":")[0] ?? "",
  assets,
  user: "0x00000000000000000000000000000000000a0001",
  blockNumber: 9_999_990,
});
