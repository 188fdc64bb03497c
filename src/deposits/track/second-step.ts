import { getAddress, type Hex, zeroAddress } from "viem";
import type { Receipt, Transaction } from "../../chains/transaction.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposits.ts";
import { isNative, sameAddress } from "../../lib/address.ts";
import { findVaultOfDeposit, requestTransitions } from "./async-request.ts";
import { findDepositsByReference, findTransfers } from "./log-search.ts";
import { findShareProof, routerRefs, type ShareProof, transfersOf } from "./proofs.ts";
import { isConfirmed, type TransactionReader } from "./transaction-reader.ts";
import { completedTransition, type Transition } from "./transitions.ts";

interface VaultCall {
  /** Of the vault: where deposits go that the user makes. */
  entryPoint: string;
  transaction: Transaction;
  receipt: Receipt;
}

/** Whether a successful transaction is the user's own call of a vault, by itself or in the batch of a smart account. */
export function callsVault(
  row: Pick<DepositRow, "userAddress" | "shareToken" | "moveToken" | "deliveredAmount" | "moveMin">,
  called: VaultCall,
): boolean {
  const { entryPoint, transaction, receipt } = called;
  const { from, to } = transaction;
  if (sameAddress(from, row.userAddress) && to !== null && sameAddress(to, entryPoint)) return true;
  const told = receipt.logs.some(({ address }) => sameAddress(address, entryPoint));
  return (
    told && routerRefs(receipt).length === 0 && paysSecondStep(row, receipt) && mintsShares(row, receipt)
  );
}

/** Just what it was handed the step for: what arrived, or what was guaranteed. */
function paysSecondStep(
  row: Pick<DepositRow, "userAddress" | "moveToken" | "deliveredAmount" | "moveMin">,
  { logs }: Receipt,
): boolean {
  return transfersOf(logs, row.moveToken).some(
    ({ from, value }) =>
      sameAddress(from, row.userAddress) && [row.deliveredAmount, row.moveMin].includes(value.toString()),
  );
}

/** All at once and newly minted, if any: several are of several calls, and what somebody sends was bought. */
function mintsShares(row: Pick<DepositRow, "userAddress" | "shareToken">, { logs }: Receipt): boolean {
  const got = transfersOf(logs, row.shareToken).filter(({ to }) => sameAddress(to, row.userAddress));
  return got.length <= 1 && got.every(({ from }) => sameAddress(from, zeroAddress));
}

interface VaultTransaction {
  row: DepositRow;
  /** A transaction of the vault's chain, as somebody named it. */
  hash: Hex;
  readTransaction: TransactionReader;
}

/** Whether the user holds what was moved and may still deposit it. */
export function awaitsSecondStep(row: Pick<DepositRow, "state" | "shares">): boolean {
  return row.state === "awaiting_deposit" || (row.state === "partial" && row.shares === null);
}

/**
 * What a transaction of the vault's chain shows of a deposit whose money comes from elsewhere: the Router's event
 * for it, or, once the money arrived at the user, the user's own call of the vault with shares or a request in
 * return. A second step that reverted changes nothing, it may be sent again. Throws `store_unavailable`,
 * `vault_not_found` and what reading the chain throws.
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
  if (!awaitsSecondStep(row) || !(await isUserVaultCall(ctx, { ...at, transaction, receipt }))) return [];
  const proof = findShareProof(receipt, { row, via: "user" });
  if (proof === null) return requestTransitions(ctx, { row, hash, receipt, confirmed });
  return [completedTransition({ row, confirmed }, { ...proof, depositTxHash: hash })];
}

/** By the bridge, which calls the Router itself, or by the user in a second step. */
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

/** Whether the user called the vault's entry point, and not before the money was there. */
async function isUserVaultCall(
  ctx: Context,
  {
    row,
    readTransaction,
    transaction,
    receipt,
  }: VaultTransaction & { transaction: Transaction; receipt: Receipt },
): Promise<boolean> {
  if (row.destinationTxHash === null) return false;
  const { entryPoint } = await findVaultOfDeposit(ctx, row);
  if (!callsVault(row, { entryPoint, transaction, receipt })) return false;
  const delivery = await readTransaction(row.vaultChainId, row.destinationTxHash as Hex);
  return delivery.receipt !== null && receipt.blockNumber >= delivery.receipt.blockNumber;
}

/**
 * Transactions in which the user paid, since the delivery, exactly what a second step was handed out for: what
 * arrived or what was guaranteed. Where to look, not proof: a vault that must see its user names no deposit. Native
 * money leaves no such trace, but only the Router deposits it, which names the deposit.
 * Throws what reading the chain throws.
 */
export async function findSecondStepTransactions(
  ctx: Context,
  { row, readTransaction }: { row: DepositRow; readTransaction: TransactionReader },
): Promise<Hex[]> {
  const { vaultChainId, deliveredAmount, moveToken, destinationTxHash } = row;
  const client = ctx.chains.client(vaultChainId);
  if (client === null || deliveredAmount === null || moveToken === null || destinationTxHash === null)
    return [];
  const token = getAddress(moveToken);
  if (isNative(token)) return [...(await findDepositsByReference(ctx, [row])).values()];
  const { receipt, confirmations } = await readTransaction(vaultChainId, destinationTxHash as Hex);
  if (receipt === null) return [];
  const delivered = Number(receipt.blockNumber);
  return findTransfers(client, {
    tokens: [token],
    party: { from: getAddress(row.userAddress) },
    amounts: [BigInt(deliveredAmount), BigInt(row.moveMin ?? deliveredAmount)],
    from: delivered,
    head: delivered + confirmations - 1,
  });
}
