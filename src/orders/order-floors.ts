import { deductParts, mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";

/** Largest part of the slippage that is left to the vault after a bridge: 0.5%, in parts per billion. */
const MAX_VAULT_LOSS = PARTS_PER_BILLION / 200n;
/** Scale of `minOutPerIn`: output units per input unit times 10^27. */
const PER_UNIT_SCALE = 10n ** 27n;
/** Least `minOutPerIn` whose rounding is negligible. Below it, an order is not made in one step. */
const MIN_OUT_PER_IN = 10n ** 6n;
/** Smallest unit that a bridge's own rounding may cost, on top of the tolerance that it was asked to keep. */
const BRIDGE_ROUNDING = 1n;

/** The parts of a slippage that the swap or bridge and the vault may each lose, in parts per billion. */
export interface LossSplit {
  transfer: bigint;
  vault: bigint;
}

/**
 * Splits a slippage between a transfer and the vault that takes what it delivers: the vault may lose half of it, at
 * most 0.5%, and the transfer the rest, so that both together lose at most the slippage. All in parts per billion; the
 * transfer's part is rounded down.
 */
export function splitSlippage(slippage: bigint): LossSplit {
  const half = slippage / 2n;
  const vault = half < MAX_VAULT_LOSS ? half : MAX_VAULT_LOSS;
  return { vault, transfer: remainingLoss(slippage, vault) };
}

/** Returns the loss `t` for which `(1 − t) × (1 − taken)` is at least `1 − total`, rounded down. In parts per billion. */
function remainingLoss(total: bigint, taken: bigint): bigint {
  const kept = PARTS_PER_BILLION - taken;
  const least = (PARTS_PER_BILLION - total) * PARTS_PER_BILLION;
  return PARTS_PER_BILLION - (least + kept - 1n) / kept;
}

/** Returns the loss of two losses in a row, rounded down: `1 − (1 − a) × (1 − b)`, in parts per billion. */
export function totalLoss({ transfer, vault }: LossSplit): bigint {
  const kept = (PARTS_PER_BILLION - transfer) * (PARTS_PER_BILLION - vault);
  return PARTS_PER_BILLION - (kept + PARTS_PER_BILLION - 1n) / PARTS_PER_BILLION;
}

/** Returns the least amount that may remain of an expected amount after a loss (parts per billion), rounded up. */
export function leastAfter(expected: bigint, loss: bigint): bigint {
  return (expected * (PARTS_PER_BILLION - loss) + PARTS_PER_BILLION - 1n) / PARTS_PER_BILLION;
}

/** What a contract enforces on an order of an exact amount that is known before: the output's least amount. */
export interface ExactFloor {
  minOut: bigint;
}

/**
 * Returns the floor of an order of an exact amount: the output seen for it less the loss (parts per billion), rounded
 * down, but at least 1.
 */
export function exactFloor(seen: bigint, loss: bigint): ExactFloor {
  const minOut = deductParts(seen, loss);
  return { minOut: minOut > 0n ? minOut : 1n };
}

/**
 * What a contract enforces on an order whose amount a bridge decides: the least amount that must arrive (`minIn`) and
 * the least output per unit of it (`minOutPerIn`, times 10^27). Together they lose at most the slippage, whatever
 * arrives.
 */
export interface DeliveredFloors extends ExactFloor {
  minIn: bigint;
  minOutPerIn: bigint;
}

/**
 * Returns the floors of an order for what a bridge delivers. `expected` is the amount that the bridge is expected to
 * deliver, `seen` the output for it. `minIn` is rounded up less one unit for the bridge's own rounding, `minOutPerIn`
 * down. `minOut` is the same bound as an absolute figure, for a Router that has no floor per unit. Returns null if
 * the output per unit is too small to be enforced; the order then takes two steps.
 */
export function deliveredFloors(order: {
  expected: bigint;
  seen: bigint;
  loss: LossSplit;
}): DeliveredFloors | null {
  const { expected, seen, loss } = order;
  if (expected <= 0n) return null;
  const least = leastAfter(expected, loss.transfer) - BRIDGE_ROUNDING;
  const minOutPerIn = mulDivDown(deductParts(PER_UNIT_SCALE, loss.vault), seen, expected);
  if (minOutPerIn < MIN_OUT_PER_IN) return null;
  const { minOut } = exactFloor(seen, totalLoss(loss));
  return { minIn: least > 0n ? least : 1n, minOutPerIn, minOut };
}
