import { deductParts, mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";

/** Lifetime of a quote, in milliseconds on the server's clock. */
export const QUOTE_TTL_MS = 5 * MINUTE_MS;
/**
 * Seconds after the quote's expiry during which the Router still accepts the transaction, because signing and inclusion
 * take time.
 */
const DEADLINE_GRACE_S = 600;

/** Returns the latest block timestamp at which the Router accepts an order that is built at a block time, in unix seconds. */
export function orderDeadline(blockTime: number): bigint {
  return BigInt(blockTime + QUOTE_TTL_MS / SECOND_MS + DEADLINE_GRACE_S);
}

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
  return divideUp(expected * (PARTS_PER_BILLION - loss), PARTS_PER_BILLION);
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
 * arrives. `minOut` is zero unless the two cannot reach `least`, the least output that all three allow.
 */
export interface DeliveredFloors extends ExactFloor {
  minIn: bigint;
  minOutPerIn: bigint;
  least: bigint;
}

/** An order for what a bridge delivers: the amount expected, the output seen for it, and the losses allowed. */
export interface DeliveredOrder {
  expected: bigint;
  seen: bigint;
  loss: LossSplit;
  /** The least amount that must arrive if it is fixed already. */
  minIn?: bigint;
}

/**
 * Returns the floors of an order for what a bridge delivers. `minIn` is rounded up less one unit for the bridge's own
 * rounding; `minOutPerIn` makes up for that unit. Returns null if the output per unit is too small to be enforced; the
 * order then takes two steps.
 */
export function deliveredFloors({ expected, seen, loss, ...fixed }: DeliveredOrder): DeliveredFloors | null {
  if (expected <= 0n) return null;
  const own = leastAfter(expected, loss.transfer) - BRIDGE_ROUNDING;
  const minIn = fixed.minIn ?? (own > 0n ? own : 1n);
  const perUnit = (vaultLoss: bigint) => mulDivDown(deductParts(PER_UNIT_SCALE, vaultLoss), seen, expected);
  const base = perUnit(loss.vault);
  if (base < MIN_OUT_PER_IN) return null;
  const wanted = exactFloor(seen, totalLoss(loss)).minOut;
  const needed = divideUp(wanted * PER_UNIT_SCALE, minIn);
  // At least half of the vault's part stays.
  const reachable = needed <= perUnit(loss.vault / 2n);
  const minOutPerIn = reachable && needed > base ? needed : base;
  const floors = { minIn, minOutPerIn, minOut: reachable ? 0n : wanted };
  return { ...floors, least: leastOutput(floors, minIn) };
}

/** Returns the least output that floors allow for an amount that arrived, as the Router computes it: rounded up. */
export function leastOutput(
  { minOut, minOutPerIn }: Pick<DeliveredFloors, "minOut" | "minOutPerIn">,
  arrived: bigint,
): bigint {
  const least = divideUp(arrived * minOutPerIn, PER_UNIT_SCALE);
  return least > minOut ? least : minOut;
}

const divideUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor;
