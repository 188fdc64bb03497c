import type { MoveOption } from "../providers/provider.ts";

/**
 * The part of the value that a move costs, by the provider's own figures in USD: 0.0025 is a quarter of a percent,
 * negative when more arrives. Null where it does not give both. Four decimals.
 */
export function priceImpact(move: Pick<MoveOption, "fromAmountUsd" | "toAmountUsd"> | null): string | null {
  const [paid, arrives] = [
    Number(move?.fromAmountUsd ?? Number.NaN),
    Number(move?.toAmountUsd ?? Number.NaN),
  ];
  if (!(paid > 0) || !(arrives >= 0)) return null;
  return ((paid - arrives) / paid).toFixed(4);
}
