import { formatUnits } from "viem";
import type { Demonstration } from "./deposit.ts";

/** Fraction digits to show. */
const SHOWN = 6;

/** Formats the demonstration deposit as rows of label and text. */
export function describeDeposit(demonstration: Demonstration): [string, string][] {
  const { vault, built, deposit, status, before, after } = demonstration;
  const { symbol, decimals } = vault.asset;
  const shareDecimals = after?.share_decimals ?? before?.share_decimals ?? 18;
  const asset = (amount: bigint) => `${formatAmount(amount, decimals)} ${symbol}`;
  const shares = (amount: bigint) => formatAmount(amount, shareDecimals);
  const { estimated_shares: expected, min_shares: least } = built.estimate;
  const floor = least === null ? "" : `, at least ${shares(least)}`;
  const approval = built.approval;
  return [
    ["vault", `${vault.name} on ${vault.chain_name}`],
    ["", vault.vault_id],
    ["deposit", `${asset(demonstration.amount)} from ${demonstration.user}`],
    ["expected", `${shares(expected)} shares${floor}`],
    ...(approval === null
      ? []
      : [["approval", `${asset(approval.amount)} to ${approval.spender_address}`] as [string, string]]),
    ...demonstration.approvals.map((hash): [string, string] => ["", hash]),
    ["transaction", deposit.hash],
    ["", `block ${deposit.blockNumber}, ${deposit.gasUsed.toLocaleString("en")} gas`],
    ["status", [status.status, status.substatus].filter((word) => word !== null).join(", ")],
    ["shares", `${shares(before?.share_balance ?? 0n)} → ${shares(after?.share_balance ?? 0n)}`],
    ["position", after?.current_assets == null ? "not known" : `worth ${asset(after.current_assets)}`],
  ];
}

/** Formats an amount: 1234567890 with 6 decimals → "1,234.56789"; further digits are cut off. */
export function formatAmount(amount: bigint, decimals: number): string {
  const [whole = "0", fraction = ""] = formatUnits(amount, decimals).split(".");
  const shown = fraction.slice(0, SHOWN).replace(/0+$/, "");
  const grouped = BigInt(whole).toLocaleString("en");
  return shown === "" ? grouped : `${grouped}.${shown}`;
}
