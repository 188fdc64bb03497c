import { deductParts, PARTS_PER_BILLION } from "../lib/amount.ts";
import type { TransferQuote, VerifiedTransfer } from "../providers/provider.ts";
import { type FairValue, leastExpected, leastGuaranteed, mostExpected } from "./order-fair-value.ts";
import { exactFloor, type LossSplit, leastAfter } from "./order-floors.ts";

/** Minimum tolerance to request from a provider, in parts per billion: 0.1%. Below it, only exact outputs work. */
const MIN_TOLERANCE = PARTS_PER_BILLION / 1_000n;
/**
 * Tolerated shortfall of a built transaction's expected output below that of its quote, for price changes between the
 * two: 1%, in parts per billion.
 */
const MAX_DRIFT = PARTS_PER_BILLION / 100n;

/**
 * Relation of the paid token to the requested token. `same_asset`: one token, a native currency and its wrapped token,
 * or one asset by a provider's asset table (such as USDC on two chains). `swap`: anything else.
 */
export type TokenRelation = "same_asset" | "swap";

/** Results of simulating a built transaction. Amounts are in smallest units. */
export interface SimulatedOutput {
  /** Delivered amount of the requested token, or the value of the minted shares in it; null if unknown. */
  delivered: bigint | null;
  /**
   * Simulated output of the order (shares, or the delivered token) and the floor that a contract enforces for it; null
   * if unknown.
   */
  output: { seen: bigint; floor: bigint } | null;
}

/**
 * An offer with everything that is known about it so far. `built` is null until its transaction is built, and
 * `simulated` until that is simulated.
 */
export interface FairnessCase {
  relation: TokenRelation;
  /** Fair value of the payment, or null if it is unknown. */
  fair: FairValue | null;
  /** The total loss that the user tolerates, and how it is split between transfer and vault. In parts per billion. */
  slippage: bigint;
  loss: LossSplit;
  option: TransferQuote;
  built: VerifiedTransfer | null;
  simulated: SimulatedOutput | null;
  /**
   * Minimum delivered amount that the Router's deposit call accepts, in the token's smallest unit, or null if the route
   * does not end in such a call: then `built.toAmountMin` alone is guaranteed.
   */
  minIn: bigint | null;
}

/**
 * A rule that a fair offer meets. `findBreach` returns why an offer breaks the rule, as a text for logs only, or null
 * if it does not. It ignores the stages (building and simulation) that the offer has not reached.
 */
export interface FairnessRule {
  name: string;
  findBreach(offer: FairnessCase): string | null;
}

const breach = (holds: boolean, why: string): string | null => (holds ? null : why);

/** The fairness rules, in the order in which they are checked. They apply to quotes, built and simulated offers. */
export const fairnessRules: readonly FairnessRule[] = [
  {
    name: "value_known",
    findBreach: ({ fair }) => breach(fair !== null, "no price, and no second provider agrees"),
  },
  {
    name: "swap_between_assets",
    findBreach: ({ relation, built }) =>
      breach(built === null || built.swaps || relation === "same_asset", "bridged as if it were one asset"),
  },
  {
    name: "expected_not_low",
    findBreach(offer) {
      const { fair } = offer;
      const least = fair === null ? 0n : leastExpected(fair, declaredFeeOf(offer));
      const low = expectedFigures(offer).find((figure) => figure < least);
      return breach(low === undefined, `${low} of at least ${least} expected`);
    },
  },
  {
    name: "expected_not_high",
    findBreach(offer) {
      const most = offer.fair === null ? null : mostExpected(offer.fair);
      // A contract can tell a simulation from a block: what it gives there is shown, and never paid.
      const high = expectedFigures(offer).find((figure) => most !== null && figure > most);
      return breach(high === undefined, `${high} of at most ${most} expected`);
    },
  },
  {
    name: "tolerance_possible",
    findBreach: (offer) => breach(toleranceOf(offer) !== null, "no tolerance keeps the guaranteed value"),
  },
  {
    name: "guarantee_fair",
    findBreach(offer) {
      const { fair, built, loss, minIn } = offer;
      if (fair === null || built === null) return null;
      const needed = leastGuaranteed(fair, { ...offer, declaredFee: declaredFeeOf(offer) });
      const least = minIn === null || built.toAmountMin < minIn ? built.toAmountMin : minIn;
      const kept = deductParts(least, loss.vault);
      // One unit, which rounding costs.
      return breach(kept + 1n >= needed, `${kept} of at least ${needed} guaranteed`);
    },
  },
  {
    name: "built_as_chosen",
    findBreach({ option, built }) {
      if (built === null) return null;
      if (built.provider !== option.provider || built.bridge !== option.bridge) return "another bridge";
      if (built.toAmountMin > built.toAmount) return "more guaranteed than expected";
      const least = leastAfter(option.toAmount, MAX_DRIFT);
      return breach(built.toAmount >= least, `${built.toAmount} built, ${option.toAmount} chosen`);
    },
  },
  {
    name: "simulated_as_built",
    findBreach({ built, simulated }) {
      const delivered = simulated?.delivered ?? null;
      if (built === null || delivered === null) return null;
      return breach(delivered >= built.toAmountMin, `${delivered} of ${built.toAmountMin} simulated`);
    },
  },
  {
    name: "floor_follows_simulation",
    findBreach({ simulated, slippage }) {
      const output = simulated?.output ?? null;
      if (output === null) return null;
      const least = exactFloor(output.seen, slippage).minOut;
      return breach(output.floor >= least, `floor ${output.floor} of ${least}, ${output.seen} simulated`);
    },
  },
];

/** The rule that an offer breaks, with the reason for the log. */
export interface FairnessBreach {
  rule: string;
  why: string;
}

/**
 * Returns the first fairness rule that an offer breaks at its stage (quoted, built or simulated), or null if it breaks
 * none.
 */
export function findUnfairness(offer: FairnessCase): FairnessBreach | null {
  for (const { name, findBreach } of fairnessRules) {
    const why = findBreach(offer);
    if (why !== null) return { rule: name, why };
  }
  return null;
}

/**
 * Returns the slippage tolerance to request from the provider, in parts per billion: the transfer's part of the
 * slippage, lowered so that `leastGuaranteed` remains. Null if the fair value is unknown, if the quote is too low, or
 * if less than 0.1% is left and the quote's output is not exact.
 */
export function toleranceOf(offer: Omit<FairnessCase, "built" | "simulated" | "minIn">): bigint | null {
  const { fair, loss, option } = offer;
  if (fair === null) return null;
  const least = leastGuaranteed(fair, { ...offer, declaredFee: option.declaredFee });
  const needed = leastBefore(least, loss.vault);
  if (option.toAmount < needed || option.toAmount <= 0n) return null;
  const spare = ((option.toAmount - needed) * PARTS_PER_BILLION) / option.toAmount;
  const tolerance = spare < loss.transfer ? spare : loss.transfer;
  const exact = option.toAmountMin === option.toAmount;
  return tolerance >= MIN_TOLERANCE || exact ? tolerance : null;
}

/** Returns the smallest amount of which `least` remains after a loss (parts per billion), rounded up. */
function leastBefore(least: bigint, loss: bigint): bigint {
  const kept = PARTS_PER_BILLION - loss;
  return (least * PARTS_PER_BILLION + kept - 1n) / kept;
}

/** Returns every known figure for an offer's output: of the quote, of the built transaction and of the simulation. */
function expectedFigures({ option, built, simulated }: FairnessCase): bigint[] {
  return [option.toAmount, built?.toAmount ?? null, simulated?.delivered ?? null].filter(
    (figure) => figure !== null,
  );
}

/** Returns the declared fee that counts: the smaller one of the quote and the built transaction. */
function declaredFeeOf({ option, built }: FairnessCase): bigint {
  if (built === null || built.declaredFee > option.declaredFee) return option.declaredFee;
  return built.declaredFee;
}
