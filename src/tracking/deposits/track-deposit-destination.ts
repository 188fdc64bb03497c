import { getAddress, type Hex, zeroAddress } from "viem";
import type { Receipt, Transaction } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { selectEvidence } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { AppError, failure } from "../../errors.ts";
import { isNative, sameAddress } from "../../lib/address.ts";
import { type FoundTransfers, findTransfers } from "../track-token-transfers.ts";
import { findShareProof, routerRefs, type ShareProof, transfersOf } from "./deposit-proofs.ts";
import {
  isConfirmed,
  readHead,
  requireReceipts,
  type TransactionReader,
} from "./deposit-transaction-reader.ts";
import { completedTransition, type Transition } from "./deposit-transitions.ts";
import { ownMintsIn, type VaultPayment } from "./deposits-in-batch.ts";
import { findDepositsByReference } from "./find-deposit-logs.ts";
import { mintTransitions } from "./track-deposit-mint.ts";
import { findVaultOfDeposit, requestsIn, requestTransitions } from "./track-deposit-request.ts";

interface VaultCall {
  /** The contract that users call to deposit into the vault. */
  entryPoint: string;
  transaction: Transaction;
  receipt: Receipt;
  /** True if the receipt shows the user's request at the vault, which may send the shares of an earlier one. */
  requested: boolean;
}

/**
 * Returns true if a successful transaction pays exactly the delivered amount or the guaranteed minimum, by the user's
 * own call to the vault's entry point or in a batch with an event of that contract. Such a batch must not contain a
 * Router order, pay in native currency, or, without a request, bring the user shares other than by one mint for each
 * payment.
 */
export function callsVault(row: VaultPayment, called: VaultCall): boolean {
  const { entryPoint, transaction, receipt, requested } = called;
  if (isOwnCall(row, called)) return paysNative(row, transaction) || paysSecondStep(row, receipt);
  const emitted = receipt.logs.some(({ address }) => sameAddress(address, entryPoint));
  if (!emitted || routerRefs(receipt).length > 0 || !paysSecondStep(row, receipt)) return false;
  return requested || mintsShares(row, receipt);
}

/** Returns true if a transaction pays the delivered amount, or the guaranteed minimum, in native currency. */
function paysNative(
  { moveToken, deliveredAmount, moveMin }: Pick<DepositRow, "moveToken" | "deliveredAmount" | "moveMin">,
  { value }: Transaction,
): boolean {
  return moveToken !== null && isNative(moveToken) && [deliveredAmount, moveMin].includes(value.toString());
}

/** Returns true if the user paid exactly the delivered amount, or the guaranteed minimum, of the target token. */
function paysSecondStep(
  row: Pick<DepositRow, "userAddress" | "moveToken" | "deliveredAmount" | "moveMin">,
  { logs }: Receipt,
): boolean {
  return transfersOf(logs, row.moveToken).some(
    ({ from, value }) =>
      sameAddress(from, row.userAddress) && [row.deliveredAmount, row.moveMin].includes(value.toString()),
  );
}

/** Returns true if a transaction is the user's own call of a vault's entry point, and no batch. */
const isOwnCall = (
  { userAddress }: Pick<DepositRow, "userAddress">,
  { entryPoint, transaction: { from, to } }: Pick<VaultCall, "entryPoint" | "transaction">,
): boolean => sameAddress(from, userAddress) && to !== null && sameAddress(to, entryPoint);

/**
 * Returns true if the user received no shares, or shares that were newly minted in a single transfer for each payment.
 * Shares that come from an account were bought.
 */
function mintsShares(row: VaultPayment, receipt: Receipt): boolean {
  const got = transfersOf(receipt.logs, row.shareToken).filter(({ to }) => sameAddress(to, row.userAddress));
  if (got.length > 1) return ownMintsIn(row, receipt).length > 0;
  return got.every(({ from }) => sameAddress(from, zeroAddress));
}

interface VaultTransaction {
  row: DepositRow;
  /** Hash of a transaction on the vault's chain that was reported or found. */
  hash: Hex;
  readTransaction: TransactionReader;
}

/**
 * Returns true if a row awaits its second step, the deposit of what was delivered to the user: in the state
 * `awaiting_deposit`, and in `partial` as long as no shares are recorded.
 */
export function awaitsSecondStep(row: Pick<DepositRow, "state" | "shares">): boolean {
  return row.state === "awaiting_deposit" || (row.state === "partial" && row.shares === null);
}

/**
 * Returns the transitions that a confirmed transaction on the vault's chain proves for a routed deposit, by its revert,
 * the Router's event or, while the second step is awaited, a vault call; empty if none. Throws `store_unavailable`,
 * `vault_not_found` and errors of the RPC nodes.
 */
export async function vaultTransitions(ctx: Context, at: VaultTransaction): Promise<Transition[]> {
  const { row, hash, readTransaction } = at;
  const seen = await readTransaction(row.vaultChainId, hash);
  const { transaction, receipt } = seen;
  const confirmed = isConfirmed(ctx, { chainId: row.vaultChainId, seen });
  if (receipt === null || transaction === null || !confirmed) return [];
  const event = { kind: "chain", shows: "deposit_reverted", confirmed } as const;
  if (!receipt.succeeded) return [{ event, change: {}, write: "on_change" }];
  const byRouter = findShareProof(receipt, { row, via: "router" });
  if (byRouter !== null) return [routerTransition({ row, hash, confirmed }, byRouter)];
  if (!awaitsSecondStep(row)) return [];
  const call = await findVaultCall(ctx, { ...at, transaction, receipt });
  if (call === null) return [];
  // Before the shares, which may be those of an earlier request.
  const requested = await requestTransitions(ctx, { row, hash, receipt, confirmed });
  if (requested.length > 0) return requested;
  return mintTransitions(ctx, { row, hash, receipt, confirmed, ...call });
}

/**
 * Returns the transition that the Router's event proves for a routed deposit. A one-step deposit is completed by the
 * bridge's call, a two-step or partial deposit by the user's second transaction.
 */
function routerTransition(
  at: { row: DepositRow; hash: Hex; confirmed: boolean },
  proof: ShareProof,
): Transition {
  const { row, hash } = at;
  if (!row.twoStep && row.state !== "partial")
    return completedTransition(at, { ...proof, destinationTxHash: hash });
  const transition = completedTransition(at, proof);
  return { ...transition, change: { ...transition.change, depositTxHash: hash } };
}

/**
 * Returns how a transaction pays the delivery into the vault by the user's own call (see `callsVault`), within a batch
 * or not; null if it does not, or is in a block before that of the delivery.
 */
async function findVaultCall(
  ctx: Context,
  {
    row,
    readTransaction,
    transaction,
    receipt,
  }: VaultTransaction & { transaction: Transaction; receipt: Receipt },
): Promise<{ batched: boolean } | null> {
  if (row.destinationTxHash === null) return null;
  const vault = await findVaultOfDeposit(ctx, row);
  const { entryPoint } = vault;
  const requested = requestsIn(receipt, { vault, row }).length > 0;
  if (!callsVault(row, { entryPoint, transaction, receipt, requested })) return null;
  const delivery = await readProven(ctx, { row, readTransaction, hash: row.destinationTxHash });
  if (receipt.blockNumber < delivery.blockNumber) return null;
  return { batched: !isOwnCall(row, { entryPoint, transaction }) };
}

/** A proven transaction on a chain. */
interface ProvenTransaction {
  blockNumber: bigint;
  /** True if it succeeded and has the confirmations that its chain requires. */
  confirmed: boolean;
  /** The chain's head block at this reading, or null if the transaction's block is known from its evidence alone. */
  head: number | null;
}

/**
 * Reads a proven transaction on a deposit's vault chain. If that fails with `upstream_unavailable`, as when no node has
 * its receipt, returns what the deposit's final evidence says, so that the search for later transactions goes on; if
 * there is none, throws that error, so that no hint is dropped. Throws `store_unavailable` and other errors of the
 * nodes too.
 */
export async function readProven(
  ctx: Context,
  { row, readTransaction, hash }: { row: DepositRow; readTransaction: TransactionReader; hash: string },
): Promise<ProvenTransaction> {
  const { vaultChainId: chainId, trackingId } = row;
  try {
    const read = requireReceipts(ctx, { readTransaction, chainId, hashes: [hash] });
    const seen = await read(chainId, hash as Hex);
    const { receipt, confirmations } = seen;
    if (receipt === null) throw failure("upstream_unavailable", `no receipt of ${hash}`);
    const { blockNumber, succeeded } = receipt;
    const confirmed = succeeded && isConfirmed(ctx, { chainId, seen });
    return { blockNumber, confirmed, head: Number(blockNumber) + confirmations - 1 };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "upstream_unavailable") throw error;
    const kept = (await selectEvidence(ctx.db, [trackingId])).find(
      (one) => one.chainId === chainId && one.txHash === hash && one.final && one.blockHash !== "",
    );
    if (kept === undefined) throw error;
    return { blockNumber: BigInt(kept.blockNumber), confirmed: true, head: null };
  }
}

/**
 * Finds candidates for a second step: transactions since the delivery in which the user paid exactly the delivered
 * amount or the minimum; for native currency, a Router order with the row's reference in about the 1,000 newest blocks.
 * Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function findSecondStepTransactions(
  ctx: Context,
  { row, readTransaction }: { row: DepositRow; readTransaction: TransactionReader },
): Promise<Pick<FoundTransfers, "hashes"> & Partial<FoundTransfers>> {
  const { vaultChainId, deliveredAmount, moveToken, destinationTxHash } = row;
  const client = ctx.chains.client(vaultChainId);
  if (client === null || deliveredAmount === null || moveToken === null || destinationTxHash === null)
    return { hashes: [] };
  const token = getAddress(moveToken);
  if (isNative(token)) return { hashes: [...(await findDepositsByReference(ctx, [row])).values()] };
  const delivery = await readProven(ctx, { row, readTransaction, hash: destinationTxHash });
  return findTransfers(ctx, {
    ...{ client, trackingId: row.trackingId },
    tokens: [token],
    party: { from: getAddress(row.userAddress) },
    amounts: [BigInt(deliveredAmount), BigInt(row.moveMin ?? deliveredAmount)],
    from: Number(delivery.blockNumber),
    head: delivery.head ?? (await readHead(ctx, vaultChainId)),
  });
}
