import { formatAmount } from "./describe-deposit.ts";
import type { TransferDemonstration } from "./transfer.ts";

/** Formats a cross-chain deposit as rows of label and text. */
export function describeTransfer(transferred: TransferDemonstration): [string, string][] {
  const { from, vault, built, status, after } = transferred;
  const { symbol, decimals } = vault.asset;
  const { estimate, tracking } = built;
  const shareDecimals = after?.share_decimals ?? 18;
  const arrives = `${formatAmount(estimate.to_amount, decimals)} ${symbol}`;
  const shares = (amount: bigint) => `${formatAmount(amount, shareDecimals)} shares`;
  return [
    ["from", `${formatAmount(transferred.amount, transferred.decimals)} USDC on ${from.name}`],
    ["into", `${vault.name} on ${vault.chain_name}`],
    ["bridge", tracking.bridge ?? "a swap"],
    ["arrives", `${arrives}, ${shares(estimate.estimated_shares)}`],
    ["transaction", transferred.source],
    ...(transferred.second === null ? [] : [["second step", transferred.second] as [string, string]]),
    ["status", [status.status, status.substatus].filter((word) => word !== null).join(", ")],
    ["duration", `${transferred.seconds.toFixed(1)} s`],
    ["position", after === null ? "none" : `${shares(after.share_balance)}`],
  ];
}
