import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { pgCode, UNIQUE_VIOLATION } from "../../db/database-client.ts";
import {
  type EvidenceRow,
  isProofOfAnother,
  replaceEvidence,
} from "../../db/queries/deposit-evidence-queries.ts";
import { type DepositHint, selectHints } from "../../db/queries/deposit-hint-queries.ts";
import type {
  DepositChange,
  DepositRow,
  EvidenceBlock,
  TrackedRow,
  WithdrawalChange,
  WithdrawalRow,
} from "../../db/queries/deposit-queries.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { trackWithdrawal } from "../withdrawals/track-withdrawal.ts";
import { currentWithdrawalState } from "../withdrawals/withdrawal-state-machine.ts";
import { previewWithdrawal, restateWithdrawal } from "../withdrawals/withdrawal-transitions.ts";
import { currentState, isRequested } from "./deposit-state-machine.ts";
import { requireReceipts, type TransactionReader } from "./deposit-transaction-reader.ts";
import { type ComparedProof, comparedIn, previewTransitions, restateDeposit } from "./deposit-transitions.ts";
import { trackDeposit } from "./track-deposit.ts";
import { provingTransactions, readEvidence } from "./track-deposit-evidence.ts";

interface EvidenceOf<Row extends TrackedRow = TrackedRow> {
  row: Row;
  readTransaction: TransactionReader;
}

/**
 * State of a row's evidence, the recorded blocks of the transactions that prove it: `incomplete` (a block may be
 * missing), `open` (none is missing, but they may not be final) or `final`.
 */
export type EvidenceStatus = "incomplete" | "open" | "final";

/**
 * Records the blocks of the transactions that prove a row, so that reorgs of them are noticed, and deletes its other
 * evidence. `known` is the evidence so far. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function recordEvidence(
  ctx: Context,
  { row, readTransaction, known }: EvidenceOf & { known: readonly (EvidenceBlock & { final: boolean })[] },
): Promise<EvidenceStatus> {
  const wanted = provingTransactions(row);
  const at = ({ chainId, txHash }: { chainId: number; txHash: string }) =>
    known.find((one) => one.chainId === chainId && one.txHash === txHash && one.blockHash !== "");
  if (wanted.length === known.length && wanted.every((one) => at(one) !== undefined))
    return known.every(({ final }) => final) ? "final" : "open";
  const blocks: EvidenceBlock[] = [];
  for (const one of wanted) {
    const stored = at(one);
    const read = stored ?? (await readEvidence(readTransaction, one));
    if (read !== null) blocks.push(read);
  }
  const { trackingId } = row;
  const plain = blocks.map(({ chainId, txHash, blockNumber, blockHash }) => ({
    ...{ chainId, txHash },
    ...{ blockNumber, blockHash },
  }));
  await replaceEvidence(ctx.db, { trackingId, blocks: plain });
  return blocks.length === wanted.length ? "open" : "incomplete";
}

/** Time after which a transaction that is in no block counts as lost, in milliseconds. */
const GONE_MS = 5 * MINUTE_MS;
/** Time after which nodes may have pruned a transaction, so that its absence shows nothing, in milliseconds. */
const FORGOTTEN_MS = DAY_MS;

/**
 * Returns true if a row's state must be derived again: evidence of it counts as lost, as after a reorg; or a submitted
 * row has no source transaction; or, five minutes to a day after the row's last change, one of its transactions without
 * evidence is in no block. In state `submitted`: is unknown to the nodes, also later. Errors of the RPC nodes propagate.
 */
export async function hasLostEvidence(
  ctx: Context,
  { row, readTransaction, known }: EvidenceOf & { known: readonly EvidenceRow[] },
): Promise<boolean> {
  if (known.some(({ blockHash }) => blockHash === "")) return true;
  // Its pending transaction has come to prove another deposit, or something else.
  if (row.state === "submitted" && row.sourceTxHash === null) return true;
  const age = ctx.now() - row.updatedAt.getTime();
  // What is submitted proves nothing yet, and nothing else would end its state.
  if (age < GONE_MS || (age > FORGOTTEN_MS && row.state !== "submitted")) return false;
  const { state, sourceTxHash, fromChainId: chainId } = row;
  const sent =
    state === "submitted" && sourceTxHash !== null ? [{ chainId, txHash: sourceTxHash as Hex }] : [];
  for (const one of [...provingTransactions(row), ...sent]) {
    if (known.some(({ txHash }) => txHash === one.txHash)) continue;
    const { transaction, receipt } = await readTransaction(one.chainId, one.txHash);
    if (receipt === null && (transaction === null || state !== "submitted")) return true;
  }
  return false;
}

/**
 * Returns true if a routed deposit that has ended (for the caller to check) must be derived again, because its source,
 * proven after its delivery, is no evidence yet. `unread` if a proving transaction has no receipt; false more than a day
 * after the row's last change, when nodes may have pruned one. Errors of the RPC nodes propagate.
 */
export async function isUnpaired(
  ctx: Context,
  { row, readTransaction, known }: EvidenceOf & { known: readonly EvidenceRow[] },
): Promise<boolean | "unread"> {
  const { direction, provider, sourceProven, sourceTxHash } = row;
  if (
    direction === "withdrawal" ||
    provider === null ||
    !sourceProven ||
    known.some(({ txHash }) => txHash === sourceTxHash)
  )
    return false;
  if (ctx.now() - row.updatedAt.getTime() > FORGOTTEN_MS) return false;
  for (const { chainId, txHash } of provingTransactions(row))
    if ((await readTransaction(chainId, txHash)).receipt === null) return "unread";
  return true;
}

/**
 * Derives a row's state again from the chains, and stores it if it differs. Returns `unread` if chains or vault cannot
 * be read, `overtaken` if its deposit transaction (of a withdrawal: its second step) was just recorded as the proof of
 * another row, or another writer has changed it. Throws `store_unavailable`.
 */
export async function restateFromChains(
  ctx: Context,
  { row, known, ...of }: EvidenceOf & { known: readonly EvidenceRow[] },
): Promise<TrackedRow | "unread" | "overtaken"> {
  const readTransaction = requireKept(ctx, { ...of, known });
  try {
    const stated = await (row.direction === "deposit"
      ? restateDepositFromChains(ctx, { row, readTransaction })
      : restateExitFromChains(ctx, { row, readTransaction }));
    if (stated !== null) return stated;
  } catch (error) {
    if (pgCode(error) !== UNIQUE_VIOLATION) throw error;
  }
  ctx.log.warn("restatement_overtaken", { tracking_id: row.trackingId });
  return "overtaken";
}

/** Returns a reader that requires the receipts of the evidence that no reorg has replaced. */
function requireKept(
  ctx: Context,
  { readTransaction, known }: { readTransaction: TransactionReader; known: readonly EvidenceRow[] },
): TransactionReader {
  const kept = known.filter(({ blockHash }) => blockHash !== "");
  return kept.reduce<TransactionReader>(
    (read, { chainId, txHash }) => requireReceipts(ctx, { readTransaction: read, chainId, hashes: [txHash] }),
    readTransaction,
  );
}

async function restateExitFromChains(
  ctx: Context,
  { row, readTransaction }: EvidenceOf<WithdrawalRow>,
): Promise<WithdrawalRow | "unread" | null> {
  const unsent = row.twoStep ? { ...NO_EXIT_SEEN, ...NO_TRANSFER } : NO_EXIT_SEEN;
  const blank: WithdrawalRow = { ...row, ...unsent, state: "built", history: [] };
  const compared: (ComparedProof | null)[] = [];
  // A request may have been paid in parts; the row names only the last payment.
  const found = (await selectHints(ctx.db, [row.trackingId])).slice(-MAX_RESTATED_HINTS);
  const { row: shown, unreadable } = await trackWithdrawal(ctx, {
    ...{ row: blank, readTransaction, hints: [...found, ...hintsOf(row, new Date(ctx.now()))] },
    apply: async (of, input) => {
      compared.push(comparedIn(input));
      return unlessUsed(of, { before: input.row, after: await previewWithdrawal(of, input) });
    },
  });
  if (unreadable !== null) return "unread";
  const state = currentWithdrawalState(shown, ctx.now());
  const columns = Object.fromEntries(Object.keys(unsent).map((name) => [name, Reflect.get(shown, name)]));
  const differs =
    state !== row.state || Object.entries(columns).some(([name, value]) => Reflect.get(row, name) !== value);
  if (!differs) return row;
  ctx.log.warn("withdrawal_restated", { tracking_id: row.trackingId, from: row.state, to: state });
  return restateWithdrawal(ctx, { row, shown: { ...columns, state }, compared });
}

async function restateDepositFromChains(
  ctx: Context,
  { row, readTransaction }: EvidenceOf<DepositRow>,
): Promise<DepositRow | "unread" | null> {
  const blank: DepositRow = { ...row, ...NOTHING_SEEN, state: "built", history: [] };
  const hints = hintsOf(row, new Date(ctx.now()));
  const compared: (ComparedProof | null)[] = [];
  const { row: shown, unreadable } = await trackDeposit(ctx, {
    ...{ row: blank, readTransaction, hints },
    apply: (of, input) => {
      compared.push(comparedIn(input));
      return unlessUsed(of, { before: input.row, after: previewTransitions(of, input) });
    },
  });
  if (unreadable !== null) return "unread";
  const state = currentState(shown, ctx.now());
  const columns = Object.fromEntries(
    Object.keys(NOTHING_SEEN).map((name) => [name, shown[name as keyof typeof NOTHING_SEEN]]),
  );
  const differs =
    state !== row.state || Object.entries(columns).some(([name, value]) => Reflect.get(row, name) !== value);
  if (!differs) return row;
  ctx.log.warn("deposit_restated", { tracking_id: row.trackingId, from: row.state, to: state });
  const last = compared.findLast((one) => one !== null) ?? null;
  return restateDeposit(ctx, { row, shown: { ...columns, state }, compared: last });
}

/** Maximum number of a withdrawal's newest hints that are read when its state is derived again. */
const MAX_RESTATED_HINTS = 24;

/** Returns a previewed row, or the row before it if the transaction that proves it already proves another one. */
async function unlessUsed<Row extends TrackedRow>(
  ctx: Context,
  { before, after }: { before: Row; after: Row },
): Promise<Row> {
  const same = before.depositProven && before.depositTxHash === after.depositTxHash;
  return !same && (await isProofOfAnother(ctx.db, after)) ? before : after;
}

/** Column values of a deposit without any known transaction. */
const NOTHING_SEEN = {
  substatus: null,
  shares: null,
  receivedAmount: null,
  sourceTxHash: null,
  sourceProven: false,
  depositTxHash: null,
  depositProven: false,
  claimTxHash: null,
  destinationTxHash: null,
  refundTxHash: null,
  deliveredAmount: null,
  requestId: null,
} as const satisfies DepositChange;

/** Column values of a withdrawal without any known transaction. */
const NO_EXIT_SEEN = { ...NOTHING_SEEN, assets: null } as const satisfies WithdrawalChange;
const NO_TRANSFER = { provider: null, bridge: null, tool: null } as const satisfies WithdrawalChange;

/**
 * Returns a row's transactions, proven or not, as hints noted at `notedAt`. The refund of a deposit that was never
 * requested at its vault is left out: a bridge paid it, on the source chain.
 */
export function hintsOf(row: TrackedRow, notedAt: Date): DepositHint[] {
  const { trackingId, fromChainId, vaultChainId } = row;
  const exits = row.direction === "withdrawal";
  const listed: readonly (readonly [number, string | null])[] = [
    [fromChainId, row.sourceTxHash],
    [vaultChainId, row.depositTxHash],
    [exits ? row.toChainId : vaultChainId, row.destinationTxHash],
    [vaultChainId, row.claimTxHash],
    [vaultChainId, exits || row.history.some(isRequested) ? row.refundTxHash : null],
  ];
  return listed.flatMap(([chainId, txHash]) =>
    txHash === null
      ? []
      : [{ trackingId, chainId, txHash, origin: "logs" as const, notedAt, droppedAt: null }],
  );
}
