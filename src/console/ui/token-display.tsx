import { formatAmount } from "../format/format-numbers.ts";

/** Background colors of token badges. A symbol always gets the same color. */
const HUES = [
  "bg-[#1f6feb]",
  "bg-[#0f766e]",
  "bg-[#6d4aff]",
  "bg-[#9a3412]",
  "bg-[#be185d]",
  "bg-[#3f6212]",
  "bg-[#475569]",
];

/**
 * A round badge with a token's symbol, or with the first three letters of one longer than four. Logos are not loaded,
 * because their servers would learn which tokens a user views.
 */
export function TokenMark({ symbol }: { symbol: string }) {
  const sum = [...symbol].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  // Four letters tell USDC from USDT.
  const letters = [...symbol].length > 4 ? [...symbol].slice(0, 3).join("") : symbol;
  return (
    <span
      aria-hidden="true"
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-full font-semibold text-white ${letters.length > 3 ? "text-[9px] tracking-tight" : "text-[10px]"} ${HUES[sum % HUES.length]}`}
    >
      {letters}
    </span>
  );
}

/**
 * An amount, in the token's smallest unit, with the token's symbol, formatted by `formatAmount`; the tooltip shows the
 * exact amount. Only a dash if the amount or the token's decimals are unknown.
 */
export function TokenAmount(props: {
  amount: bigint | null | undefined;
  token: { symbol: string; decimals: number | null };
  digits?: number;
}) {
  const { amount, token, digits } = props;
  if (amount === null || amount === undefined || token.decimals === null) return <span>–</span>;
  const exact = formatAmount(amount, { decimals: token.decimals, digits: token.decimals });
  const options = { decimals: token.decimals, ...(digits === undefined ? {} : { digits }) };
  return (
    <span className="tabular-nums" title={`${exact} ${token.symbol}`}>
      {formatAmount(amount, options)} <span className="text-muted">{token.symbol}</span>
    </span>
  );
}
