import type { Context } from "../../context.ts";
import { type DepositHint, selectHints } from "../../db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import { dropReadHints, keepUndecided, sourceCandidates } from "../deposits/deposit-transaction-hints.ts";
import { isConfirmed, type TransactionReader } from "../deposits/deposit-transaction-reader.ts";
import { exitRequestTransitions } from "./track-withdrawal-request.ts";
import { exitSourceTransitions, isExitSourceOpen } from "./track-withdrawal-source.ts";
import { exitDeliveryTransitions, secondExitTransitions } from "./track-withdrawal-transfer.ts";
import { isOpenRequest } from "./withdrawal-state-machine.ts";
import {
  applyToWithdrawal,
  type ProvenWithdrawal,
  type WithdrawalTransition,
} from "./withdrawal-transitions.ts";

interface TrackInput {
  row: WithdrawalRow;
  readTransaction: TransactionReader;
  /** Hints: transactions that may belong to the withdrawal. */
  hints: readonly DepositHint[];
  /** Stores the transitions. */
  apply: (ctx: Context, input: ProvenWithdrawal) => Promise<WithdrawalRow>;
  /** Hashes of hints that later checks must read again. `trackSource` and `trackRequest` add to them. */
  undecided: Set<string>;
}

/**
 * A withdrawal after tracking. `unreadable` is the error that ended tracking early, such as that of a chain that could
 * not be read or of a vault that is not found, otherwise null.
 */
export interface TrackedWithdrawal {
  row: WithdrawalRow;
  unreadable: AppError | null;
  /** The hints that need further reads. */
  left: readonly DepositHint[];
}

/**
 * Tracks a withdrawal on the chains, stores changes with `apply`, and drops hints that need no further reads. Errors of
 * chains or vault are returned as `unreadable`; absent `hints` are loaded. Throws `store_unavailable`.
 */
export async function trackWithdrawal(
  ctx: Context,
  given: Pick<TrackInput, "row" | "readTransaction"> & Partial<Pick<TrackInput, "hints" | "apply">>,
): Promise<TrackedWithdrawal> {
  const { row, readTransaction, apply: store = applyToWithdrawal } = given;
  let conflict = false;
  const onConflict = (): void => {
    conflict = true;
  };
  const apply: typeof store = (of, input) => store(of, { ...input, onConflict });
  const hints = given.hints ?? (await selectHints(ctx.db, [row.trackingId]));
  const undecided = new Set<string>();
  let current = row;
  try {
    for (const follow of [trackSource, trackRequest, trackSecondStep, trackDelivery])
      current = await follow(ctx, { row: current, readTransaction, hints, apply, undecided });
    // What a hint proves was not stored, so it must be read again.
    if (conflict) return { row: current, unreadable: null, left: hints };
    const decided = hints.filter(({ txHash }) => !undecided.has(txHash));
    const left = await dropReadHints(ctx, { row: current, readTransaction, hints: decided });
    return {
      row: current,
      unreadable: null,
      left: hints.filter((hint) => undecided.has(hint.txHash) || left.includes(hint)),
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "store_unavailable") throw error;
    ctx.log.warn("withdrawal_unread", { tracking_id: row.trackingId, error: describeError(error) });
    return { row: current, unreadable: error, left: hints };
  }
}

/**
 * Tracks the first transaction: tries its candidates until one is proven. A recorded hash is removed if its confirmed
 * receipt does not show the withdrawal.
 */
async function trackSource(
  ctx: Context,
  { row, readTransaction, hints, apply, undecided }: TrackInput,
): Promise<WithdrawalRow> {
  let current = row;
  const leave = keepUndecided(ctx, { hints, undecided });
  for (const hash of sourceCandidates(row, hints)) {
    if (!isExitSourceOpen(current)) return current;
    const seen = await readTransaction(row.fromChainId, hash);
    const transitions = await exitSourceTransitions(ctx, { row: current, hash, seen, leave });
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
 * Transition that removes a recorded first transaction that does not belong to the withdrawal. The state stays the
 * same.
 */
const NO_SOURCE: WithdrawalTransition = {
  event: { kind: "provider", phase: "unknown" },
  change: { sourceTxHash: null },
  write: "always",
};

async function trackRequest(ctx: Context, at: TrackInput): Promise<WithdrawalRow> {
  if (!isOpenRequest(at.row.state)) return at.row;
  const { transitions, undecided } = await exitRequestTransitions(ctx, at);
  for (const hash of undecided) at.undecided.add(hash);
  return at.apply(ctx, { ...at, transitions });
}

async function trackSecondStep(ctx: Context, at: TrackInput): Promise<WithdrawalRow> {
  if (at.row.state !== "awaiting_transfer") return at.row;
  return at.apply(ctx, { ...at, transitions: await secondExitTransitions(ctx, at) });
}

async function trackDelivery(ctx: Context, at: TrackInput): Promise<WithdrawalRow> {
  if (at.row.state !== "bridging") return at.row;
  return at.apply(ctx, { ...at, transitions: await exitDeliveryTransitions(ctx, at) });
}
