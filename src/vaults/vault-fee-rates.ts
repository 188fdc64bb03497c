import { createQuery, type Query, type Read, type ReadResult, valueOrNull } from "../chains/chain-reads.ts";

/**
 * A vault's fees as decimal strings, each absent if unknown. Morpho Vault V2: fractions with 18 decimals, the
 * management fee per second. IPOR and Lagoon: basis points, the management fee per year.
 */
export type FeeRates = Partial<Record<"performance_fee" | "management_fee", string>>;

/**
 * Returns a record of the fee `name` as a decimal string, or an empty record if the call failed. `feeOf` extracts the
 * fee from the value that the view function returned.
 */
export function feeRate<T>(
  name: keyof FeeRates,
  { result, feeOf }: { result: ReadResult<T>; feeOf: (value: T) => bigint | number },
): FeeRates {
  return result.ok ? { [name]: feeOf(result.value).toString() } : {};
}

/** Units of fees, as the value that stands for 100%: basis points, millionths, and fractions with 18 decimals. */
export const FEE_UNITS = { bps: 10_000n, millionths: 1_000_000n, wad: 10n ** 18n } as const;

/**
 * Returns a query for a fee as a fraction (1 is 100%). `whole` is the value that stands for 100%. The result is null if
 * the view function failed.
 */
export function feeFractionQuery(fee: Read<bigint | number>, whole: bigint): Query<number | null> {
  return createQuery({ fee }, (results) => toFraction(valueOrNull(results.fee), whole));
}

/**
 * Converts a fee of `FeeRates` to a fraction (1 is 100%). `whole` is the value that stands for 100%. Returns null if
 * the fee is absent.
 */
export const rateFraction = (fee: string | undefined, whole: bigint): number | null =>
  fee === undefined ? null : toFraction(BigInt(fee), whole);

/** Converts a fee to a fraction (1 is 100%). `whole` is the value that stands for 100%. Null if the fee is null. */
export const toFraction = (fee: bigint | number | null, whole: bigint): number | null =>
  fee === null ? null : Number(fee) / Number(whole);
