import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { selectEvidence } from "../../db/queries/deposit-evidence-queries.ts";
import type {
  DepositRow,
  EvidenceBlock,
  TrackedRow,
  WithdrawalRow,
} from "../../db/queries/deposit-queries.ts";
import { failure } from "../../errors.ts";
import { secondStepOf } from "../withdrawals/withdrawal-state-machine.ts";
import { isClaimed, isOpen, isRequested, madeOwnDeposit } from "./deposit-state-machine.ts";
import type { TransactionReader } from "./deposit-transaction-reader.ts";

type ListedHash = readonly [chainId: number, txHash: string | null];

/**
 * Returns the transactions that prove the state of a deposit's or withdrawal's row, with their chains and without
 * duplicates.
 */
export function provingTransactions(row: TrackedRow): { chainId: number; txHash: Hex }[] {
  const listed = row.direction === "deposit" ? provingDeposit(row) : provingWithdrawal(row);
  const found = new Map(
    listed.flatMap(([chainId, hash]) =>
      hash === null ? [] : [[`${chainId} ${hash}`, { chainId, txHash: hash as Hex }] as const],
    ),
  );
  return [...found.values()];
}

function provingDeposit(row: DepositRow): ListedHash[] {
  const { fromChainId, vaultChainId, history } = row;
  // A deposit with shares was delivered: only the vault may have paid back a part, also of its continuation.
  const byVault = history.some(isRequested) || row.shares !== null;
  return [
    [fromChainId, row.sourceProven ? row.sourceTxHash : null],
    [vaultChainId, row.destinationTxHash],
    [vaultChainId, madeOwnDeposit(row) || row.shares !== null ? row.depositTxHash : null],
    [vaultChainId, isClaimed(row) ? row.claimTxHash : null],
    [byVault ? vaultChainId : fromChainId, row.refundTxHash],
  ];
}

function provingWithdrawal(row: WithdrawalRow): ListedHash[] {
  const { vaultChainId, toChainId } = row;
  return [
    [vaultChainId, row.sourceProven ? row.sourceTxHash : null],
    [vaultChainId, row.claimTxHash],
    [vaultChainId, secondStepOf(row)],
    [toChainId, row.destinationTxHash],
    [vaultChainId, row.refundTxHash],
  ];
}

/** Returns a transaction's block, or null without a receipt with a block hash. Errors of the RPC nodes propagate. */
export async function readEvidence(
  readTransaction: TransactionReader,
  { chainId, txHash }: { chainId: number; txHash: Hex },
): Promise<EvidenceBlock | null> {
  const { receipt } = await readTransaction(chainId, txHash);
  if (receipt?.blockHash === undefined) return null;
  return { chainId, txHash, blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash };
}

/**
 * Returns the blocks of the proving transactions that `after` has and `before` has not. Transactions without a receipt
 * are left out (see `readEvidence`), and so is the source of a routed deposit that had already ended (see
 * `isUnpaired`). Errors of the RPC nodes propagate.
 */
export async function readNewEvidence(
  readTransaction: TransactionReader,
  { before, after }: { before: TrackedRow; after: TrackedRow },
): Promise<EvidenceBlock[]> {
  const found = new Set(provingTransactions(before).map(({ txHash }) => txHash));
  const ended = before.direction === "deposit" && before.provider !== null && !isOpen(before.state);
  if (ended && after.sourceTxHash !== null) found.add(after.sourceTxHash as Hex);
  const added = provingTransactions(after).filter(({ txHash }) => !found.has(txHash));
  const blocks = await Promise.all(added.map((one) => readEvidence(readTransaction, one)));
  return blocks.filter((block) => block !== null);
}

/**
 * Throws `upstream_unavailable` if a transaction of a row is in another block than the one by which its figures were
 * derived: after a reorg, another row that takes them over may be followed first. Throws `store_unavailable` and errors
 * of the RPC nodes.
 */
export async function requireCurrentEvidence(
  ctx: Context,
  { row, readTransaction }: { row: TrackedRow; readTransaction: TransactionReader },
): Promise<void> {
  for (const { chainId, txHash, blockHash, final } of await selectEvidence(ctx.db, [row.trackingId])) {
    if (final && blockHash !== "") continue;
    const read = await readEvidence(readTransaction, { chainId, txHash: txHash as Hex });
    if (read !== null && read.blockHash !== blockHash)
      throw failure("upstream_unavailable", `the block of ${txHash} was replaced`);
  }
}
