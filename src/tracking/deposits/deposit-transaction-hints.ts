import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { type DepositHint, dropHints } from "../../db/queries/deposit-hint-queries.ts";
import type { DepositRow, TrackedRow, WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { DAY_MS, SECOND_MS } from "../../lib/durations.ts";
import { isOpenWithdrawal } from "../withdrawals/withdrawal-state-machine.ts";
import { isOpen, isRequested, isUnseen, madeOwnDeposit } from "./deposit-state-machine.ts";
import { isConfirmed, type TransactionReader } from "./deposit-transaction-reader.ts";
import { awaitsSecondStep } from "./track-deposit-destination.ts";
import { isSourceOpen, matchesSource } from "./track-deposit-source.ts";

/** Lifetime of a hint whose transaction has no receipt, in milliseconds. */
const UNKNOWN_TTL_MS = 3 * DAY_MS;
/** Maximum lifetime of a hint, even of one that may still prove a later step, in milliseconds. */
export const UNDECIDED_TTL_MS = 30 * DAY_MS;

/**
 * Maximum number of hints on the vault's chain that one check tries: of the newest, and of the older ones. Anyone can
 * cause hints by sending tokens to the user, before and after the user's own tokens arrive.
 */
const MAX_NEWEST = 6;
const MAX_OLDER = 6;
/** Odd multiplier that spreads consecutive seconds over all 32-bit numbers. Source: Knuth, multiplicative hashing. */
const SPREAD = 0x9e37_79b1;

/**
 * Returns the hashes that may be those of a deposit's or withdrawal's source transaction, without duplicates: the
 * recorded source transaction, unless it is proven, then all hints on the source chain in their order.
 */
export function sourceCandidates(row: TrackedRow, hints: readonly DepositHint[]): Hex[] {
  const recorded = row.sourceTxHash === null || row.sourceProven ? [] : [row.sourceTxHash];
  return [...new Set([...recorded, ...hashesOn(row.fromChainId, hints)])] as Hex[];
}

/**
 * Returns the hashes on the vault's chain that may prove a later step of a deposit: an unproven deposit transaction,
 * up to six newest hints, and up to six older ones chosen by the second of `now` (UNIX milliseconds).
 */
export function vaultCandidates(row: DepositRow, hints: readonly DepositHint[], now: number): Hex[] {
  const recorded = row.depositTxHash === null || madeOwnDeposit(row) ? [] : [row.depositTxHash];
  const found = hashesOn(row.vaultChainId, hints);
  const older = found.slice(0, -MAX_NEWEST);
  // The high bits of the product modulo 2 ** 32 vary most. As a double, the product would not be exact.
  const spread = Math.imul(Math.floor(now / SECOND_MS), SPREAD) >>> 0;
  const start = Math.floor((spread / 2 ** 32) * older.length);
  const some =
    older.length <= MAX_OLDER ? older : [...older.slice(start), ...older.slice(0, start)].slice(0, MAX_OLDER);
  return [...new Set([...recorded, ...some, ...found.slice(-MAX_NEWEST)])] as Hex[];
}

/** Returns the transaction hashes of the hints on one chain, in the order of the hints. */
export function hashesOn(
  chainId: number,
  hints: readonly Pick<DepositHint, "chainId" | "txHash">[],
): string[] {
  return hints.flatMap((hint) => (hint.chainId === chainId ? [hint.txHash] : []));
}

interface TriedHints {
  row: TrackedRow;
  hints: readonly DepositHint[];
  readTransaction: TransactionReader;
  /** Hashes of the transactions that this check has tried in the row's state; absent if it has tried all hints. */
  tried?: ReadonlySet<string>;
}

type TriedHint = Omit<TriedHints, "hints"> & { hint: DepositHint };

/**
 * Drops the hints of a row that need no further reads, and returns the rest. A dropped report of the built call can be
 * restored after a reorg. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function dropReadHints(ctx: Context, { hints, ...of }: TriedHints): Promise<DepositHint[]> {
  const { row } = of;
  const read: string[] = [];
  const carrying: string[] = [];
  for (const hint of hints) {
    if (!(await isDone(ctx, { ...of, hint }))) continue;
    read.push(hint.txHash);
    if (await carriesToo({ ...of, hint })) carrying.push(hint.txHash);
  }
  const now = new Date(ctx.now());
  await dropHints(ctx.db, { trackingId: row.trackingId, txHashes: read, carrying, now });
  return hints.filter(({ txHash }) => !read.includes(txHash));
}

/**
 * Returns true if a reported transaction contains the built source call, even if another transaction is the proven
 * source.
 */
async function carriesToo({ row, hint, readTransaction }: TriedHint): Promise<boolean> {
  const { chainId, origin, txHash } = hint;
  if (origin !== "report" || chainId !== row.fromChainId) return false;
  return matchesSource(row, await readTransaction(chainId, txHash as Hex));
}

/**
 * Returns a function that adds a transaction to `undecided`, so that its hint is kept for later checks. A transaction
 * without a hint that is younger than 30 days is not added.
 */
export function keepUndecided(
  ctx: Context,
  { hints, undecided }: { hints: readonly DepositHint[]; undecided: Set<string> },
): (hash: Hex) => void {
  const since = ctx.now() - UNDECIDED_TTL_MS;
  return (hash) => {
    const young = hints.some(({ txHash, notedAt }) => txHash === hash && notedAt.getTime() > since);
    if (young) undecided.add(hash);
  };
}

async function isDone(ctx: Context, { row, hint, readTransaction, tried }: TriedHint): Promise<boolean> {
  const age = ctx.now() - hint.notedAt.getTime();
  if (age > UNDECIDED_TTL_MS) return true;
  if (!mayProve(row, hint)) return true;
  const kept = mayProveLater(row, hint);
  // Anyone can cause hints: none is read in vain, and none that was not tried is dropped.
  if ((kept && age <= UNKNOWN_TTL_MS) || tried?.has(hint.txHash) === false) return false;
  const seen = await readTransaction(hint.chainId, hint.txHash as Hex);
  if (seen.receipt === null) return age > UNKNOWN_TTL_MS;
  return !kept && isConfirmed(ctx, { chainId: hint.chainId, seen });
}

/** Returns true if a hint on this chain could still prove a step that the row does not contain. */
function mayProve(row: TrackedRow, { chainId }: DepositHint): boolean {
  if (row.direction === "withdrawal") return mayProveExit(row, chainId);
  if (chainId === row.fromChainId && isSourceOpen(row)) return true;
  return chainId === row.vaultChainId && (isOpen(row.state) || awaitsSecondStep(row));
}

function mayProveExit(row: WithdrawalRow, chainId: number): boolean {
  if (chainId === row.vaultChainId && !row.sourceProven) return true;
  return isOpenWithdrawal(row.state) && (chainId === row.vaultChainId || chainId === row.toChainId);
}

/**
 * Returns true while a hint may prove a later step even though it proves nothing now: a later step is proven only after
 * the earlier ones.
 */
function mayProveLater(row: TrackedRow, { chainId }: DepositHint): boolean {
  if (row.state === "submitted" || row.state === "bridging") return true;
  if (row.direction === "withdrawal") return false;
  return isUnseen(row.state) ? chainId !== row.fromChainId : isRequested(row);
}
