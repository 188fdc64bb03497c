import type { Hex } from "viem";
import type { TransactionOnChain } from "../chains/chain-transaction.ts";
import type { Context } from "../context.ts";
import {
  type DepositRow,
  selectDepositsByTransaction,
  type TrackedRow,
  type WithdrawalRow,
} from "../db/queries/deposit-queries.ts";
import { sameAddress } from "../lib/address.ts";
import { findShareProof, routerRefs } from "../tracking/deposits/deposit-proofs.ts";
import { isOpen, isRequested, madeOwnDeposit } from "../tracking/deposits/deposit-state-machine.ts";
import { awaitsSecondStep } from "../tracking/deposits/track-deposit-destination.ts";
import { builtDataHashes, isSourceOpen, matchesSource } from "../tracking/deposits/track-deposit-source.ts";
import { innerDataHashes } from "../tracking/tracked-calldata-hashes.ts";
import { isExitSourceOpen } from "../tracking/withdrawals/track-withdrawal-source.ts";
import { secondStepOf } from "../tracking/withdrawals/withdrawal-state-machine.ts";

/** The transaction of a status request as its chain returned it. `seen` is null if the chain could not be read. */
export interface FoundTransaction {
  hash: Hex;
  chainId: number;
  seen: TransactionOnChain | null;
  /** The account of the requested user operation, one of those in the transaction; absent for a transaction's hash. */
  account?: Hex;
}

/**
 * How a transaction matches a row. `proven`: the row records it as proven. `named`: one of its Router events has the
 * row's reference and, for a deposit, proves it. `reported`: it carries out the built source transaction, and the row
 * records it as its source; `matched`: the row does not. `replayed`: it would be one of these three, but another
 * transaction is proven. `only_reported`: only a record, a hint or a second step's calldata connects them.
 */
export type MatchKind = "proven" | "named" | "reported" | "matched" | "replayed" | "only_reported";

interface Match {
  row: TrackedRow;
  kind: MatchKind;
}

/**
 * Priority of the match kinds: the highest number wins. If several deposits have the same calldata, the one for which
 * the transaction was reported wins.
 */
const MATCH_RANK: Readonly<Record<MatchKind, number>> = {
  proven: 5,
  named: 4,
  reported: 3,
  matched: 2,
  replayed: 1,
  only_reported: 0,
};

/**
 * Finds the deposit or withdrawal that a transaction may belong to, and returns the strongest match, or null. For a
 * user operation, matches of its account come first, except `only_reported` ones. Reads only the database; what the
 * chain shows must be in `found.seen`. Throws `store_unavailable`.
 */
export async function matchDeposit(ctx: Context, found: FoundTransaction): Promise<Match | null> {
  const { hash, chainId, seen } = found;
  const refs = seen === null || seen.receipt === null ? [] : routerRefs(seen.receipt);
  const dataHashes = seen === null ? [] : dataHashesOf(seen);
  const asked = { hash, chainId, dataHashes, refs };
  const rows = await selectDepositsByTransaction(ctx.db, asked);
  const tracked = rows.flatMap((row) => {
    const kind = matchKindOf(row, { ...found, ...asked });
    return kind === null ? [] : [{ row, kind }];
  });
  const rankOf = ({ row, kind }: Match): number =>
    MATCH_RANK[kind] + (isOfOperation(row, { kind, found }) ? BY_ACCOUNT : 0);
  return tracked.sort((a, b) => rankOf(b) - rankOf(a))[0] ?? null;
}

/** Added to the priority of a match by the account of a user operation: more than any difference of kinds. */
const BY_ACCOUNT = 10;

/** Returns true if a user operation is by the row's account and more than a record or a hint connects them. */
const isOfOperation = (
  { userAddress }: Pick<TrackedRow, "userAddress">,
  { kind, found: { account } }: { kind: MatchKind; found: FoundTransaction },
): boolean => account !== undefined && kind !== "only_reported" && sameAddress(account, userAddress);

/**
 * Returns the keccak256 hashes of the transaction's calldata (of a signed Router order, also without the signature)
 * and, if it succeeded, of what may be calls inside it. Empty if the transaction was not found.
 */
function dataHashesOf({ transaction, receipt }: TransactionOnChain): Hex[] {
  if (transaction === null) return [];
  const inner = receipt?.succeeded === true ? innerDataHashes(transaction.input).keys() : [];
  return [...builtDataHashes(transaction.input), ...inner];
}

type Searched = FoundTransaction & { dataHashes: readonly Hex[]; refs: readonly Hex[] };

function matchKindOf(row: TrackedRow, found: Searched): MatchKind | null {
  return row.direction === "deposit" ? kindOfDeposit(row, found) : kindOfWithdrawal(row, found);
}

/**
 * Returns how a transaction matches a withdrawal, or null. A mere copy of its calldata, or of its reference on another
 * chain, is no match: anyone can make one. What repeats a proven withdrawal matches only through a bridge.
 */
function kindOfWithdrawal(row: WithdrawalRow, found: Searched): MatchKind | null {
  const { hash, chainId, seen, dataHashes, refs } = found;
  if (isWithdrawalProvenBy(row, hash)) return "proven";
  const open = isExitSourceOpen(row);
  if (seen !== null && chainId === row.vaultChainId && matchesSource(row, seen)) {
    if (!open) return replayKind(row);
    return row.sourceTxHash === hash ? "reported" : "matched";
  }
  if (refs.some((ref) => ref === row.ref)) {
    if (chainId !== row.vaultChainId) return null;
    return open ? "named" : replayKind(row);
  }
  return dataHashes.some((of) => of === row.sourceDataHash) ? null : "only_reported";
}

/**
 * Returns the kind of a repetition of a withdrawal that another transaction has proven. Null unless it sends the
 * payment into a bridge, because any other repetition shows in its own receipt all that becomes of it.
 */
const replayKind = (row: WithdrawalRow): MatchKind | null =>
  row.toChainId !== row.vaultChainId && !row.twoStep ? "replayed" : null;

/**
 * Returns true if a withdrawal's row records a transaction as proven, in any role. `hash` must be lowercase. Only the
 * row is examined; no RPC request is made.
 */
export function isWithdrawalProvenBy(row: WithdrawalRow, hash: Hex): boolean {
  const later = [row.destinationTxHash, row.refundTxHash, row.claimTxHash];
  if (later.includes(hash)) return true;
  if (row.sourceTxHash === hash && row.sourceProven) return true;
  return secondStepOf(row) === hash;
}

/**
 * Returns true for a transaction that the chains may still show to be the deposit's or withdrawal's: one that is more
 * than `only_reported`, or was sent by the user. Anyone can report a stranger's transaction.
 */
export function isLikelyOwn(
  { userAddress }: Pick<TrackedRow, "userAddress">,
  { kind, found }: { kind: MatchKind; found: FoundTransaction },
): boolean {
  const sender = found.seen?.transaction?.from ?? "";
  return kind !== "only_reported" || sameAddress(sender, userAddress);
}

/** The status of a source transaction that its chain has not confirmed. */
export const UNCONFIRMED = { status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" } as const;

/**
 * Returns true for a transaction that carries out a row's built source transaction and reverted. Where the row does not
 * record it as proven, the chain has not confirmed it yet, so that it may still succeed after a reorganisation.
 */
export const isRevertedSource = (kind: MatchKind, { seen }: FoundTransaction): boolean =>
  (kind === "reported" || kind === "matched") && seen?.receipt?.succeeded === false;

function kindOfDeposit(row: DepositRow, found: Searched): MatchKind | null {
  const { hash, chainId, seen, dataHashes, refs } = found;
  if (isProvenBy(row, hash)) return "proven";
  if (isNamedBy(row, found)) return isOpen(row.state) || awaitsSecondStep(row) ? "named" : "replayed";
  if (seen !== null && chainId === row.fromChainId && matchesSource(row, seen)) {
    if (!isSourceOpen(row)) return "replayed";
    return row.sourceTxHash === hash ? "reported" : "matched";
  }
  // A copied reference or copied calldata is no report. What else selected the row is one.
  const copied = refs.some((ref) => ref === row.ref) || dataHashes.some((of) => of === row.sourceDataHash);
  const hashes: readonly (string | null)[] = [row.sourceTxHash, row.depositTxHash, row.claimTxHash];
  return copied && !hashes.includes(hash) ? null : "only_reported";
}

/**
 * Returns true if a receipt has a Router event that proves a deposit. The order reference alone proves nothing, because
 * anyone can repeat it in another order.
 */
function isNamedBy(row: DepositRow, { chainId, seen }: FoundTransaction): boolean {
  const receipt = seen?.receipt ?? null;
  if (receipt === null || chainId !== row.vaultChainId) return false;
  return findShareProof(receipt, { row, via: "router" }) !== null;
}

/**
 * Returns true if a deposit's row records a transaction as proven, in any role: source, delivery, refund, vault deposit
 * or claim. `hash` must be lowercase. Only the row is examined; no RPC request is made.
 */
export function isProvenBy(row: DepositRow, hash: Hex): boolean {
  if (row.destinationTxHash === hash || row.refundTxHash === hash) return true;
  if (row.sourceTxHash === hash && row.sourceProven) return true;
  // The shares stay unknown when one claim settles several requests.
  const claimed = row.shares !== null || row.state === "completed";
  if (row.claimTxHash === hash && claimed && row.history.some(isRequested)) return true;
  return row.depositTxHash === hash && (madeOwnDeposit(row) || row.shares !== null);
}
