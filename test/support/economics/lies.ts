import type { Random } from "../lifi/random.ts";

/**
 * The figures of a provider that may lie, in basis points: expected amounts relative to the fair output, minimums
 * relative to the expected amount. A lie is consistent over all fields of the responses unless stated otherwise.
 */
export interface Lie {
  /** Expected and minimum amount in LI.FI's routes and Across' quotes. */
  quoted: number;
  quotedMin: number;
  /** Expected amount in the built transaction's JSON, and the minimum there and in the calldata. */
  built: number;
  builtMin: number;
  /** Minimum that the calldata enforces, relative to the minimum in the JSON. */
  enforced: number;
  /** Output of the transaction in a simulation, relative to the expected amount. */
  simulated: number;
  /** Fee that is declared, and fee that the transaction takes, relative to the paid amount. */
  declaredFee: number;
  takenFee: number;
  /** True if an unknown contract takes the fee. */
  strangeFeeContract: boolean;
  /** True if the transaction bridges one asset as if it were the other, without a swap. */
  withoutSwap: boolean;
  /**
   * True if the minimum after the source swap is tiny and the bridge's multiplier huge, so that their product looks
   * right.
   */
  hollow: boolean;
  /** Additional fee in the native currency, in wei. */
  onTop: bigint;
  /** Time in seconds until the fill deadline, and time during which one relayer may fill exclusively. */
  fillSeconds: number;
  exclusiveSeconds: number;
  /** False if the routes do not offer Across. */
  supportsCall: boolean;
}

/** An honest provider: a fee of 0.25 % and a loss of 0.1 % in the transfer. */
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

/** Draws a lie that changes two or more related figures, as an attacker who knows the checks would. */
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
