import { deductParts, mulDivDown, PARTS_PER_BILLION } from "../lib/amount.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";

/** Longest lifetime of a quote, in milliseconds on the server's clock: five minutes. */
export const QUOTE_TTL_MS = 5 * MINUTE_MS;
/**
 * Seconds after the quote's expiry during which the Router still accepts the transaction, because signing and inclusion
 * take time.
 */
const DEADLINE_GRACE_S = 600;

/**
 * Returns the deadline of an order that is built at the block time `blockTime`: 15 minutes later. Both in UNIX seconds.
 */
export function orderDeadline(blockTime: number): bigint {
  return BigInt(blockTime + QUOTE_TTL_MS / SECOND_MS + DEADLINE_GRACE_S);
}

/** Maximum part of the slippage that the vault deposit after a transfer may lose, in parts per billion: 0.5%. */
const MAX_VAULT_LOSS = PARTS_PER_BILLION / 200n;
/** Scale of `minOutPerIn`: output units per input unit times 10^27. */
export const PER_UNIT_SCALE = 10n ** 27n;
/**
 * Smallest `minOutPerIn` at which its rounding is negligible. With less, it would protect nothing: no bridge delivers into
 * such an order, and a withdrawal of all shares takes no further ones.
 */
export const MIN_OUT_PER_IN = 10n ** 6n;
/** Amount in the smallest unit that a bridge's own rounding may cost, in addition to its tolerance. */
const BRIDGE_ROUNDING = 1n;

/**
 * How a slippage tolerance is split: the maximum loss of the swap or bridge (`transfer`) and of the vault deposit
 * (`vault`), in parts per billion.
 */
export interface LossSplit {
  transfer: bigint;
  vault: bigint;
}

/**
 * Splits a slippage tolerance so that the compounded loss stays within it: half, at most 0.5%, for the vault deposit,
 * the rest for the transfer before it, rounded down. In parts per billion.
 */
export function splitSlippage(slippage: bigint): LossSplit {
  const half = slippage / 2n;
  const vault = half < MAX_VAULT_LOSS ? half : MAX_VAULT_LOSS;
  return { vault, transfer: remainingLoss(slippage, vault) };
}

/**
 * Returns the loss `t` for which `(1 − t) × (1 − taken)` is at least `1 − total`, rounded down. In parts per billion.
 */
function remainingLoss(total: bigint, taken: bigint): bigint {
  const kept = PARTS_PER_BILLION - taken;
  const least = (PARTS_PER_BILLION - total) * PARTS_PER_BILLION;
  return PARTS_PER_BILLION - (least + kept - 1n) / kept;
}

/** Returns the total of two successive losses, rounded down: `1 − (1 − a) × (1 − b)`, in parts per billion. */
export function totalLoss({ transfer, vault }: LossSplit): bigint {
  const kept = (PARTS_PER_BILLION - transfer) * (PARTS_PER_BILLION - vault);
  return PARTS_PER_BILLION - (kept + PARTS_PER_BILLION - 1n) / PARTS_PER_BILLION;
}

/**
 * Returns the minimum that must remain of an expected amount after a loss (parts per billion), in the amount's unit,
 * rounded up.
 */
export function leastAfter(expected: bigint, loss: bigint): bigint {
  return divideUp(expected * (PARTS_PER_BILLION - loss), PARTS_PER_BILLION);
}

/**
 * Floor of an order whose input amount is known when it is built: its minimum output, in the output token's smallest
 * unit.
 */
export interface ExactFloor {
  minOut: bigint;
}

/**
 * Returns the floor of an order whose input amount is known: the simulated or previewed output (`seen`) less the loss
 * (parts per billion), rounded down, but at least 1.
 */
export function exactFloor(seen: bigint, loss: bigint): ExactFloor {
  const minOut = deductParts(seen, loss);
  return { minOut: minOut > 0n ? minOut : 1n };
}

/**
 * Floors of an order for what a bridge or swap delivers, in smallest units. `minOut` is zero if `minOutPerIn` alone
 * enforces `least`, otherwise the minimum output whatever arrives.
 */
export interface DeliveredFloors extends ExactFloor {
  /** Minimum amount that must arrive. */
  minIn: bigint;
  /** Minimum output per arrived unit, times 10^27. */
  minOutPerIn: bigint;
  /** Minimum output if exactly `minIn` arrives. */
  least: bigint;
}

/**
 * An order for what a bridge or a swap delivers: the expected delivery, the output that the vault's preview or a
 * simulation shows for it (`seen`), and the allowed losses. Amounts are in smallest units.
 */
export interface DeliveredOrder {
  expected: bigint;
  seen: bigint;
  loss: LossSplit;
  /** Minimum amount that must arrive, if it is already fixed. */
  minIn?: bigint;
}

/**
 * Returns the floors of an order for what a bridge or swap delivers, which keep the total loss within `loss`. A given
 * `minIn` is kept. Null if nothing is expected or the output per unit is too small to enforce.
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

/**
 * Returns the minimum output that the floors require for an amount that arrived, in the output token's smallest unit,
 * rounded up as in the Router.
 */
export function leastOutput(
  { minOut, minOutPerIn }: Pick<DeliveredFloors, "minOut" | "minOutPerIn">,
  arrived: bigint,
): bigint {
  const least = divideUp(arrived * minOutPerIn, PER_UNIT_SCALE);
  return least > minOut ? least : minOut;
}

const divideUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor;
