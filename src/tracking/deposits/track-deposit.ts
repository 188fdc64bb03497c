import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { type DepositHint, selectHints } from "../../db/queries/deposit-hint-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import { settlementTransitions } from "./deposit-request-settlement.ts";
import { isClaimed, isOpen, isRequested, madeOwnDeposit } from "./deposit-state-machine.ts";
import {
  dropReadHints,
  keepUndecided,
  sourceCandidates,
  vaultCandidates,
} from "./deposit-transaction-hints.ts";
import { isConfirmed, requireReceipts, type TransactionReader } from "./deposit-transaction-reader.ts";
import { applyTransitions, type Transition } from "./deposit-transitions.ts";
import {
  continuationTransitions,
  leaveToBuiltDeposit,
  readContinuation,
  takeAsContinuation,
} from "./track-deposit-continuation.ts";
import { deliveryTransitions } from "./track-deposit-delivery.ts";
import {
  awaitsSecondStep,
  findSecondStepTransactions,
  vaultTransitions,
} from "./track-deposit-destination.ts";
import { isRejected } from "./track-deposit-request.ts";
import { isSourceOpen, sourceTransitions } from "./track-deposit-source.ts";

interface TrackInput {
  row: DepositRow;
  readTransaction: TransactionReader;
  /** Hints: transactions that may belong to the deposit. */
  hints: readonly DepositHint[];
  /** Stores the transitions. */
  apply: typeof applyTransitions;
  /** Receives the hashes of transactions that are left to another deposit with the same call for now. */
  undecided: Set<string>;
  /** Receives the hashes of the transactions that are tried in the deposit's state. */
  tried: Set<string>;
}

/**
 * A deposit after tracking. `unreadable` is the error that ended tracking early, such as that of a chain that could not
 * be read or of a vault that is not found, otherwise null.
 */
export interface TrackedDeposit {
  row: DepositRow;
  unreadable: AppError | null;
  /** The hints that need further reads. */
  left: readonly DepositHint[];
}

/**
 * Tracks a deposit on the chains, stores changes with `apply`, and drops hints that need no further reads. Errors of
 * chains or vault are returned as `unreadable`; absent `hints` are loaded. Throws `store_unavailable`.
 */
export async function trackDeposit(
  ctx: Context,
  given: Pick<TrackInput, "row" | "readTransaction"> & Partial<TrackInput>,
): Promise<TrackedDeposit> {
  const { row, readTransaction, apply: store = applyTransitions } = given;
  let conflict = false;
  const onConflict = (): void => {
    conflict = true;
  };
  const apply: typeof store = (of, input) => store(of, { ...input, onConflict });
  const hints = given.hints ?? (await selectHints(ctx.db, [row.trackingId]));
  const undecided = new Set<string>();
  const tried = new Set<string>();
  let current = row;
  try {
    for (const follow of [trackSource, trackVaultHints, trackDelivery, trackSecondStep, trackRequest]) {
      const { state } = current;
      current = await follow(ctx, { row: current, readTransaction, hints, apply, undecided, tried });
      // What proved nothing may prove the step that follows.
      if (current.state !== state) tried.clear();
    }
    // What a hint proves was not stored, so it must be read again.
    if (conflict) return { row: current, unreadable: null, left: hints };
    const decided = hints.filter(({ txHash }) => !undecided.has(txHash));
    const left = await dropReadHints(ctx, { row: current, readTransaction, hints: decided, tried });
    return {
      row: current,
      unreadable: null,
      left: hints.filter((hint) => undecided.has(hint.txHash) || left.includes(hint)),
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("deposit_unread", { tracking_id: row.trackingId, error: describeError(error) });
    return { row: current, unreadable: error, left: hints };
  }
}

/**
 * Tracks the source transaction of a deposit: tries its candidates until one is proven. A recorded hash is removed if
 * its confirmed receipt does not show the deposit.
 */
async function trackSource(
  ctx: Context,
  { row, readTransaction, hints, apply, undecided, tried }: TrackInput,
): Promise<DepositRow> {
  let current = row;
  const leave = keepUndecided(ctx, { hints, undecided });
  for (const hash of sourceCandidates(row, hints)) {
    if (!isSourceOpen(current)) return current;
    tried.add(hash);
    const seen = await readTransaction(row.fromChainId, hash);
    const transitions = await sourceTransitions(ctx, { row: current, hash, seen, leave });
    const disproven =
      transitions.length === 0 &&
      current.sourceTxHash === hash &&
      seen.receipt !== null &&
      isConfirmed(ctx, { chainId: row.fromChainId, seen });
    current = await apply(ctx, {
      ...{ row: current, readTransaction },
      transitions: disproven ? [...transitions, NO_SOURCE] : transitions,
    });
  }
  return current;
}

/**
 * Transition that removes a recorded source transaction that does not belong to the deposit. The state stays the same.
 */
const NO_SOURCE: Transition = {
  event: { kind: "provider", phase: "unknown" },
  change: { sourceTxHash: null },
  write: "always",
};

/**
 * Tracks a routed deposit by hints on the vault's chain, which may contain its Router event, unless it is bridging or
 * awaits its second step. While it is bridging, its delivery decides which event is its own.
 */
async function trackVaultHints(
  ctx: Context,
  { row, readTransaction, hints, apply, tried }: TrackInput,
): Promise<DepositRow> {
  let current = row;
  if (row.provider === null) return row;
  for (const hash of vaultCandidates(row, hints, ctx.now())) {
    // A second step may have to be left to a continuation.
    if (!isOpen(current.state) || current.state === "bridging" || awaitsSecondStep(current)) return current;
    tried.add(hash);
    const transitions = await vaultTransitions(ctx, { row: current, hash, readTransaction });
    current = await apply(ctx, { row: current, transitions, readTransaction });
  }
  return current;
}

async function trackDelivery(
  ctx: Context,
  { row, readTransaction, hints, apply, tried }: TrackInput,
): Promise<DepositRow> {
  if (row.state !== "bridging") return row;
  const arrivals = vaultCandidates(row, hints, ctx.now());
  for (const hash of arrivals) tried.add(hash);
  return apply(ctx, {
    ...{ row, readTransaction },
    transitions: await deliveryTransitions(ctx, { row, readTransaction, arrivals }),
  });
}

/**
 * Tracks the second step of a two-step deposit: tries a continuation, then the reported transactions and, if
 * none proves it, the transactions in which the user paid the delivered amount.
 */
async function trackSecondStep(ctx: Context, input: TrackInput): Promise<DepositRow> {
  const { row, readTransaction, hints, apply, undecided, tried } = input;
  if (!awaitsSecondStep(row)) return row;
  const proven = await readContinuation(ctx, row);
  if (proven !== null) {
    const transitions = await continuationTransitions(ctx, { row, readTransaction, by: proven });
    return apply(ctx, { row, transitions, readTransaction });
  }
  const leave = keepUndecided(ctx, { hints, undecided });
  const left: Hex[] = [];
  let current = row;
  const reported = vaultCandidates(row, hints, ctx.now());
  for (const candidates of [
    async () => ({ hashes: reported, noteSearched: undefined, read: readTransaction }),
    () => findLoggedSecondSteps(ctx, { row, readTransaction }),
  ]) {
    if (!awaitsSecondStep(current)) return current;
    const { hashes, noteSearched, read } = await candidates();
    for (const hash of hashes) {
      // Further events with the same reference are not this deposit's.
      if (!awaitsSecondStep(current)) break;
      tried.add(hash);
      if (await leaveToBuiltDeposit(ctx, { row, readTransaction: read, hash })) {
        // What completes that one may still be taken over.
        leave(hash);
        left.push(hash);
        continue;
      }
      const transitions = await vaultTransitions(ctx, { row: current, hash, readTransaction: read });
      current = await apply(ctx, { row: current, transitions, readTransaction: read });
      if (await takeAsContinuation(ctx, { row: current, hash, transitions }))
        return trackSecondStep(ctx, { ...input, row: current });
      // Another deposit in the transaction was proven in between.
      const isUnstored = transitions.some(({ change }) => change.depositTxHash === hash);
      if (current.state === "awaiting_deposit" && isUnstored) left.push(hash);
    }
    if (awaitsSecondStep(current)) await noteSearched?.({ proving: left });
  }
  return current;
}

/** Finds second steps in the chain's logs, with a reader for which a found transaction without a receipt is an error. */
async function findLoggedSecondSteps(ctx: Context, of: Pick<TrackInput, "row" | "readTransaction">) {
  const found = await findSecondStepTransactions(ctx, of);
  const { readTransaction, row } = of;
  const { hashes } = found;
  return { ...found, read: requireReceipts(ctx, { readTransaction, chainId: row.vaultChainId, hashes }) };
}

async function trackRequest(
  ctx: Context,
  { row, readTransaction, hints, apply, tried }: TrackInput,
): Promise<DepositRow> {
  // What a deposit took over from its continuation, that one follows.
  if (!isRequested(row) && !(isRejected(row) && madeOwnDeposit(row))) return row;
  // What a later request of the account gives is not this one's, which has ended with a claim of nothing.
  if (isClaimed(row)) return row;
  for (const hash of vaultCandidates(row, hints, ctx.now())) tried.add(hash);
  return apply(ctx, {
    ...{ row, readTransaction },
    transitions: await settlementTransitions(ctx, { row, readTransaction, hints }),
  });
}
