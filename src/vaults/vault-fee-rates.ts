import type { ReadResult } from "../chains/chain-reads.ts";

/**
 * A vault's performance fee and management fee as decimal strings, in its family's unit. Morpho Vault V2: a fraction
 * with 18 decimals, the management fee per second. IPOR and Lagoon: basis points, the management fee per year. A fee is
 * absent if its view function failed.
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
