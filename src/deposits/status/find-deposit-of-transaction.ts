import { type Hex, keccak256 } from "viem";
import type { TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { type DepositRow, selectDepositsByTransaction } from "../../db/queries/deposit-queries.ts";
import { isRequested } from "../track/async-deposit-request.ts";
import { routerRefs } from "../track/deposit-proofs.ts";
import { innerDataHashes, isSourceOpen, matchesSource } from "../track/source-transaction.ts";

/** A transaction of a status request as its chain returned it. `seen` is null if the chain could not be read. */
export interface FoundTransaction {
  hash: Hex;
  chainId: number;
  seen: TransactionOnChain | null;
}

/**
 * How a transaction belongs to a deposit. `proven`: proven on-chain. `reported`: reported by the caller, and equal to
 * the built source transaction. `matched`: equal to the built source transaction, but not reported. `claimed`: only
 * reported. `replayed`: repeats the source transaction.
 */
export type MatchKind = "proven" | "reported" | "matched" | "claimed" | "replayed";

interface DepositMatch {
  row: DepositRow;
  kind: MatchKind;
}

/**
 * Priority of the match kinds; the highest wins. Among deposits with the same calldata, a reported transaction ranks
 * above an unreported one.
 */
const MATCH_RANK: Readonly<Record<MatchKind, number>> = {
  proven: 3,
  reported: 2,
  matched: 1,
  claimed: 0,
  replayed: -1,
};

/**
 * Finds the deposit that a transaction belongs to and returns the strongest match, or null if there is none. Throws
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

/**
 * Returns the keccak256 hash of the transaction's calldata and, if the transaction succeeded, of the calldata of each
 * call inside it.
 */
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

/**
 * Returns true if a successful transaction repeats the source transaction of a routed deposit, so that the user paid a
 * second time.
 */
function replaysSource(row: DepositRow, seen: TransactionOnChain | null): boolean {
  return row.provider !== null && seen?.receipt?.succeeded === true && matchesSource(row, seen);
}

/** Returns true if a transaction is already proven on-chain to belong to a deposit. */
export function isProvenBy(row: DepositRow, hash: Hex): boolean {
  if (row.destinationTxHash === hash || row.refundTxHash === hash) return true;
  if (row.sourceTxHash === hash && row.sourceProven) return true;
  // The shares stay unknown when one claim settles several requests.
  const claimed = row.shares !== null || row.state === "completed";
  if (row.claimTxHash === hash && claimed && row.history.some(isRequested)) return true;
  return row.depositTxHash === hash && (row.depositProven || row.shares !== null);
}
