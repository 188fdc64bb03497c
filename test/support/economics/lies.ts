import type { Random } from "../lifi/random.ts";

/**
 * What a provider says and does. Figures are in basis points: expected amounts of the fair output, minimums of the
 * expected amount. They are consistent over all fields of its answers unless a lie says otherwise.
 */
export interface Lie {
  /** Expected and minimum amount of the routes and of Across' quotes. */
  quoted: number;
  quotedMin: number;
  /** Expected amount of the built transaction's JSON, and the minimum there and in the calldata. */
  built: number;
  builtMin: number;
  /** What the calldata enforces, of the minimum that the JSON states. */
  enforced: number;
  /** What a simulation of the transaction shows, of the expected amount. */
  simulated: number;
  /** The fee declared, and the fee taken by the transaction, of the amount paid. */
  declaredFee: number;
  takenFee: number;
  /** Another contract than the known ones takes the fee. */
  strangeFeeContract: boolean;
  /** The transaction bridges one asset as if it were the other, without a swap. */
  withoutSwap: boolean;
  /** The minimum after the source swap is so small, and the bridge's multiplier so large, that they fit together. */
  hollow: boolean;
  /** Fee on top in the native token, in wei. */
  onTop: bigint;
  /** Seconds until the fill deadline, and for which one relayer may fill. */
  fillSeconds: number;
  exclusiveSeconds: number;
  /** False if the routes do not offer Across. */
  supportsCall: boolean;
}

/** An honest provider: a quarter of a percent of fees, a tenth of a percent lost on the way. */
export const honest: Lie = {
  quoted: 9_965,
  quotedMin: 9_730,
  built: 9_965,
  builtMin: 9_765,
  enforced: 10_000,
  simulated: 10_000,
  declaredFee: 25,
  takenFee: 25,
  strangeFeeContract: false,
  withoutSwap: false,
  hollow: false,
  onTop: 0n,
  fillSeconds: 7_200,
  exclusiveSeconds: 0,
  supportsCall: true,
};

const FACTORS = [1, 10, 100, 1_000, 3_000, 5_000, 5_100, 8_000, 9_000, 9_300, 9_500, 9_600, 9_700, 9_800];
const ABOVE = [10_001, 10_100, 10_400, 11_000, 15_000, 20_000, 100_000, 1_000_000];

/** Draws a lie that changes two or more figures together, as one who knows the rules would. */
export function drawLie(random: Random): Lie {
  const around = (): number => 9_000 + random.integer(1_100);
  const low = (): number => (random.integer(3) === 0 ? random.pick(FACTORS) : around());
  const figure = (): number => (random.integer(4) === 0 ? random.pick(ABOVE) : low());
  const quoted = figure();
  const same = random.integer(3) > 0;
  const lie: Lie = {
    ...honest,
    quoted,
    built: same ? quoted : figure(),
    quotedMin: random.integer(2) === 0 ? honest.quotedMin : Math.min(10_000, low()),
    builtMin: random.integer(2) === 0 ? honest.builtMin : Math.min(10_000, low()),
  };
  const more: (() => Partial<Lie>)[] = [
    () => ({ enforced: Math.min(10_000, low()) }),
    () => ({ simulated: figure() }),
    () => ({ declaredFee: random.pick([0, 50, 100, 500, 5_000, 9_900]) }),
    () => ({ takenFee: random.pick([0, 50, 100, 500, 4_900]) }),
    () => ({ strangeFeeContract: true }),
    () => ({ withoutSwap: true }),
    () => ({ hollow: true }),
    () => ({ onTop: BigInt(random.integer(25)) * 10n ** 15n }),
    () => ({ fillSeconds: random.pick([61, 300, 600, 7_200, 86_000]) }),
    () => ({ exclusiveSeconds: random.pick([0, 60, 300, 599, 900]) }),
    () => ({ supportsCall: false }),
  ];
  for (let change = random.integer(4); change > 0; change -= 1) Object.assign(lie, random.pick(more)());
  return lie;
}
