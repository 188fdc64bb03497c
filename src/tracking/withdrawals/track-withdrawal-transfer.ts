import { getAddress, type Hex } from "viem";
import type { Receipt, Transaction, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { isDeliveryOfAnother } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositHint } from "../../db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { type BuiltTransfer, selectBuiltTransfers } from "../../db/queries/withdrawal-queries.ts";
import { isNative } from "../../lib/address.ts";
import type { ProviderStatus } from "../../providers/provider.ts";
import { findDeliveredAmount } from "../deposits/deposit-proofs.ts";
import { hashesOn } from "../deposits/deposit-transaction-hints.ts";
import {
  isConfirmed,
  requireReceipts,
  type TransactionReader,
} from "../deposits/deposit-transaction-reader.ts";
import {
  builtTerms,
  findProvenRefund,
  readProviderStatuses,
  substatusOf,
} from "../deposits/track-deposit-delivery.ts";
import { type FoundTransfers, findTransfers } from "../track-token-transfers.ts";
import {
  findSentTogether,
  findSentTransfer,
  isSentBesides,
  placeAmongEqual,
  readSentAmount,
  swappedAmount,
} from "./sent-transfer.ts";
import { secondStepOf } from "./withdrawal-state-machine.ts";
import type { WithdrawalTransition } from "./withdrawal-transitions.ts";

interface TransferInput {
  row: WithdrawalRow;
  readTransaction: TransactionReader;
  hints: readonly DepositHint[];
}

/**
 * Returns the transition of a withdrawal of which a second step that this service built (the swap or bridge after the
 * vault's payment) has succeeded and is confirmed; empty otherwise. Throws `store_unavailable` and errors of the nodes.
 */
export async function secondExitTransitions(
  ctx: Context,
  at: TransferInput,
): Promise<WithdrawalTransition[]> {
  const { row, readTransaction, hints } = at;
  const built = await selectBuiltTransfers(ctx.db, row.trackingId);
  const paidIn = row.claimTxHash ?? row.sourceTxHash;
  if (built.length === 0 || paidIn === null) return [];
  // It is proven: a node that has forgotten it must not cost the hints, which alone show a payment in native currency.
  const readPaid = requireReceipts(ctx, { readTransaction, chainId: row.vaultChainId, hashes: [paidIn] });
  const paid = await readPaid(row.vaultChainId, paidIn as Hex);
  if (paid.receipt === null) return [];
  const since = paid.receipt.blockNumber;
  const named = [row.depositTxHash, ...hashesOn(row.vaultChainId, hints)];
  const head = Number(since) + paid.confirmations - 1;
  const sent = await findSent(ctx, { row, built, from: Number(since), head });
  const logged = sent?.hashes ?? [];
  const readLogged = requireReceipts(ctx, { readTransaction, chainId: row.vaultChainId, hashes: logged });
  for (const hash of new Set([...named, ...logged])) {
    if (hash === null) continue;
    const seen = await readLogged(row.vaultChainId, hash as Hex);
    if ((seen.receipt?.blockNumber ?? 0n) < since) continue;
    const found = findBuiltTransfer(ctx, { row, built, hash: hash as Hex, seen });
    if (found === null) continue;
    const others = await findSentTogether(ctx, { row, hash: hash as Hex, read: async () => seen });
    if (!isSentBesides(row, { built: found.built, seen, others })) continue;
    const { transition } = found;
    // The index of the proofs has one row for each transaction and share token: the hash alone shows that of another.
    const isFirst = others.every(({ row: one }) => !one.depositProven || one.shareToken !== row.shareToken);
    const besides = others.map((other) => other.row.trackingId);
    return [{ ...transition, change: { ...transition.change, depositProven: isFirst }, besides }];
  }
  await sent?.noteSearched();
  return [];
}

/**
 * Returns the transition of a confirmed transaction that carries out one of the built second steps, with that step. Null
 * for any other transaction.
 */
export function findBuiltTransfer(
  ctx: Context,
  of: { row: WithdrawalRow; built: readonly BuiltTransfer[]; hash: Hex; seen: TransactionOnChain },
): { transition: WithdrawalTransition; built: BuiltTransfer } | null {
  const { row, hash, seen } = of;
  const { transaction, receipt } = seen;
  if (transaction === null || receipt === null) return null;
  if (!isConfirmed(ctx, { chainId: row.vaultChainId, seen })) return null;
  const built = findSentTransfer(row, of);
  return built === null
    ? null
    : { transition: sentTransition(row, { hash, built, transaction, receipt }), built };
}

/** Finds the transactions in which the user paid exactly the amount of a built second step. */
async function findSent(
  ctx: Context,
  of: { row: WithdrawalRow; built: readonly BuiltTransfer[]; from: number; head: number },
): Promise<FoundTransfers | null> {
  const { row, built, from, head } = of;
  const client = ctx.chains.client(row.vaultChainId);
  if (client === null || isNative(row.exitToken)) return null;
  return findTransfers(ctx, {
    ...{ client, trackingId: row.trackingId },
    tokens: [getAddress(row.exitToken)],
    party: { from: getAddress(row.userAddress) },
    amounts: [...new Set(built.map(({ amount }) => amount))].map(BigInt),
    from,
    head,
  });
}

/** Returns the transition for a successful second step: a bridge has taken the tokens, or a swap has paid the user. */
function sentTransition(
  row: WithdrawalRow,
  of: { hash: Hex; built: BuiltTransfer; transaction: Transaction; receipt: Receipt },
): WithdrawalTransition {
  const { provider, bridge, tool, least } = of.built;
  const sent = { depositTxHash: of.hash, depositProven: true, substatus: null, provider, bridge, tool };
  if (row.toChainId !== row.vaultChainId)
    return {
      event: { kind: "chain", shows: "transfer_sent", confirmed: true },
      change: sent,
      write: "on_change",
    };
  const arrived = isNative(row.moveToken) ? null : swappedAmount(row, of);
  // The swap's own calldata demands the least amount; native currency leaves no event that shows more.
  const deliveredAmount = arrived === null || arrived < BigInt(least) ? null : arrived.toString();
  return {
    event: { kind: "chain", shows: "token_paid", confirmed: true },
    change: { ...sent, deliveredAmount },
    write: "on_change",
  };
}

/** Returns the transaction on the vault's chain that sent a withdrawal's tokens into a bridge. */
const bridgedIn = (row: WithdrawalRow): Hex | null => (secondStepOf(row) ?? row.sourceTxHash) as Hex | null;

/**
 * Returns the transitions of a withdrawal whose tokens are in transit: delivery or refund, if a confirmed receipt
 * proves it, otherwise what providers report; empty if none answers. Throws `store_unavailable`, `internal` if the
 * providers' settings are invalid, and errors of the RPC nodes.
 */
export async function exitDeliveryTransitions(
  ctx: Context,
  { row, readTransaction, hints }: TransferInput,
): Promise<WithdrawalTransition[]> {
  const txHash = bridgedIn(row);
  if (txHash === null) return [];
  const arrivals = hashesOn(row.toChainId, hints) as Hex[];
  // A Router order keeps a margin of what the vault paid, and its event tells the transfer.
  const isSecond = secondStepOf(row) !== null;
  const amount = await readSentAmount(ctx, { row, readTransaction });
  const place = isSecond ? await placeAmongEqual(ctx, { row, amount, readTransaction }) : undefined;
  const sender = { account: row.userAddress, amount, place };
  // The minimum of a second step is that of its own build.
  const built = builtTerms(row, { fromToken: row.exitToken, least: isSecond ? null : row.moveMin });
  const { said } = await readProviderStatuses(ctx, {
    row,
    transfer: { txHash, fromChainId: row.vaultChainId, toChainId: row.toChainId, arrivals, sender, built },
  });
  const at = { row, readTransaction, said, txHash };
  const found = (await findDelivery(ctx, at)) ?? (await findReturn(ctx, at));
  const explorer = said.find(({ explorerLink }) => explorerLink !== null)?.explorerLink;
  const routerExplorer = explorer ?? row.routerExplorer;
  if (found !== null) return [{ ...found, change: { ...found.change, routerExplorer } }];
  const substatus = substatusOf(said);
  return said.map(({ phase }) => ({
    event: { kind: "provider", phase },
    change: { substatus, routerExplorer },
    write: "always",
  }));
}

interface BridgedExit {
  row: WithdrawalRow;
  readTransaction: TransactionReader;
  said: readonly ProviderStatus[];
  txHash: Hex;
}

async function findDelivery(
  ctx: Context,
  { row, readTransaction, said }: BridgedExit,
): Promise<WithdrawalTransition | null> {
  for (const { destinationTxHash: hash, proof } of said) {
    const delivery = proof?.delivery ?? null;
    if (hash === null || delivery === null) continue;
    const seen = await readTransaction(row.toChainId, hash);
    if (seen.receipt === null) continue;
    if (delivery.matchedBy === "content" && (await isDeliveryOfAnother(ctx.db, { row, hash }))) continue;
    const own = { userAddress: row.userAddress, moveToken: row.moveToken, destinationCall: false };
    const amount = findDeliveredAmount(seen.receipt, { row: own, delivery });
    if (amount === null) continue;
    const confirmed = isConfirmed(ctx, { chainId: row.toChainId, seen });
    const change = { substatus: null, destinationTxHash: hash, deliveredAmount: amount.toString() };
    // Unconfirmed, it is still in transit.
    return confirmed
      ? { event: { kind: "chain", shows: "token_paid", confirmed }, change, write: "on_change" }
      : null;
  }
  return null;
}

async function findReturn(
  ctx: Context,
  { row, readTransaction, said, txHash }: BridgedExit,
): Promise<WithdrawalTransition | null> {
  const sent = { chainId: row.vaultChainId, sourceTxHash: txHash };
  const refund = await findProvenRefund(ctx, { row, readTransaction, said, ...sent });
  if (refund?.confirmed !== true) return null;
  const change = { substatus: null, refundTxHash: refund.hash, receivedAmount: refund.amount.toString() };
  return { event: { kind: "chain", shows: "refund", confirmed: true }, change, write: "on_change" };
}
