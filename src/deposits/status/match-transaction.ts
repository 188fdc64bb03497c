import { type Hex, keccak256 } from "viem";
import type { TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { type DepositRow, selectDepositsByTransaction } from "../../db/queries/deposit-queries.ts";
import { isRequested } from "../track/async-deposit-request.ts";
import { routerRefs } from "../track/deposit-proofs.ts";
import { innerDataHashes, isSourceOpen, matchesSource } from "../track/source-transaction.ts";

/** A transaction with its chain's view of it; `seen` is null when the chain could not be read. */
export interface FoundTransaction {
  hash: Hex;
  chainId: number;
  seen: TransactionOnChain | null;
}

/**
 * How a transaction belongs to a deposit: `proven` by its receipt, `reported` and equal to the built source
 * transaction, `matched` as equal without a report, `claimed` by a report alone, `replayed` as a repetition
 * of the source transaction.
 */
export type MatchKind = "proven" | "reported" | "matched" | "claimed" | "replayed";

interface DepositMatch {
  row: DepositRow;
  kind: MatchKind;
}

/** Among deposits with the same calldata, a reported transaction ranks before an unreported one. */
const MATCH_RANK: Readonly<Record<MatchKind, number>> = {
  proven: 3,
  reported: 2,
  matched: 1,
  claimed: 0,
  replayed: -1,
};

/**
 * Finds the deposit that a transaction belongs to; the strongest match wins. Null when there is none. Throws
 * `store_unavailable`.
 */
export async function matchDeposit(ctx: Context, found: FoundTransaction): Promise<DepositMatch | null> {
  const { hash, chainId, seen } = found;
  const refs = seen === null || seen.receipt === null ? [] : routerRefs(seen.receipt);
  const dataHashes = seen === null ? [] : dataHashesOf(seen);
  const rows = await selectDepositsByTransaction(ctx.db, { hash, chainId, dataHashes, refs });
  const tracked = rows.flatMap((row) => {
    const kind = matchKindOf(row, { ...found, refs });
    return kind === null ? [] : [{ row, kind }];
  });
  return tracked.sort((a, b) => MATCH_RANK[b.kind] - MATCH_RANK[a.kind])[0] ?? null;
}

/** Hashes the transaction's calldata and, when it succeeded, the calldata of calls inside it. */
function dataHashesOf({ transaction, receipt }: TransactionOnChain): Hex[] {
  if (transaction === null) return [];
  const inner = receipt?.succeeded === true ? innerDataHashes(transaction.input) : [];
  return [keccak256(transaction.input), ...inner];
}

function matchKindOf(row: DepositRow, found: FoundTransaction & { refs: readonly Hex[] }): MatchKind | null {
  const { hash, chainId, seen, refs } = found;
  if (refs.some((ref) => ref === row.ref) || isProvenBy(row, hash)) return "proven";
  const mayBeSource = chainId === row.fromChainId && isSourceOpen(row);
  if (seen !== null && mayBeSource && matchesSource(row, seen))
    return row.sourceTxHash === hash ? "reported" : "matched";
  const claims: readonly (string | null)[] = [row.sourceTxHash, row.depositTxHash, row.claimTxHash];
  if (claims.includes(hash)) return "claimed";
  return chainId === row.fromChainId && replaysSource(row, seen) ? "replayed" : null;
}

/** Returns true when a second transaction spent the user's money again with the same source calldata. */
function replaysSource(row: DepositRow, seen: TransactionOnChain | null): boolean {
  return row.provider !== null && seen?.receipt?.succeeded === true && matchesSource(row, seen);
}

/** Returns true when the chain has proven that a transaction belongs to the deposit. */
export function isProvenBy(row: DepositRow, hash: Hex): boolean {
  if (row.destinationTxHash === hash || row.refundTxHash === hash) return true;
  if (row.sourceTxHash === hash && row.sourceProven) return true;
  // Shares stay unknown when one claim settles several requests.
  const claimed = row.shares !== null || row.state === "completed";
  if (row.claimTxHash === hash && claimed && row.history.some(isRequested)) return true;
  return row.depositTxHash === hash && (row.depositProven || row.shares !== null);
}
