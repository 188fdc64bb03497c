import { type Hex, keccak256 } from "viem";
import type { TransactionOnChain } from "../../chains/transaction.ts";
import type { Context } from "../../context.ts";
import { type DepositRow, selectDepositsByTransaction } from "../../db/queries/deposits.ts";
import { isRequested } from "../track/async-request.ts";
import { routerRefs } from "../track/proofs.ts";
import { innerDataHashes, isSourceOpen, matchesSource } from "../track/source.ts";

/** A transaction as its chain knows it; `seen` null: the chain could not be read. */
export interface FoundTransaction {
  hash: Hex;
  chainId: number;
  seen: TransactionOnChain | null;
}

/**
 * How a transaction belongs to a deposit: by its own receipt, as the one handed out, by somebody's word, or because
 * it does once more what another did.
 */
export type MatchKind = "proven" | "reported" | "matched" | "claimed" | "replayed";

interface DepositMatch {
  row: DepositRow;
  kind: MatchKind;
}

/** Of deposits that were handed out alike, the one it was reported for comes first. */
const MATCH_RANK: Readonly<Record<MatchKind, number>> = {
  proven: 3,
  reported: 2,
  matched: 1,
  claimed: 0,
  replayed: -1,
};

/** The deposit a transaction carries, or is said to carry; the strongest bond wins. Throws `store_unavailable`. */
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

/** Of its own calldata, and of what it hands on where it succeeded. */
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

/** Whether money left by what was handed out for a deposit whose own transaction is another. */
function replaysSource(row: DepositRow, seen: TransactionOnChain | null): boolean {
  return row.provider !== null && seen?.receipt?.succeeded === true && matchesSource(row, seen);
}

/** Whether the chain has shown what the record says of a transaction. */
export function isProvenBy(row: DepositRow, hash: Hex): boolean {
  if (row.destinationTxHash === hash || row.refundTxHash === hash) return true;
  if (row.sourceTxHash === hash && row.sourceProven) return true;
  // Of a claim of several requests the shares are not known.
  const claimed = row.shares !== null || row.state === "completed";
  if (row.claimTxHash === hash && claimed && row.history.some(isRequested)) return true;
  return row.depositTxHash === hash && (row.depositProven || row.shares !== null);
}
