import { type Hex, keccak256 } from "viem";
import type { Receipt, Transaction, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import type { TrackedRow, WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import {
  type BuiltTransfer,
  selectBuiltTransfers,
  selectSentTogether,
} from "../../db/queries/withdrawal-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import { transfersOf } from "../deposits/deposit-proofs.ts";
import type { TransactionReader } from "../deposits/deposit-transaction-reader.ts";
import { innerDataHashes } from "../tracked-calldata-hashes.ts";
import { paymentTo } from "./withdrawal-proofs.ts";
import { secondStepOf } from "./withdrawal-state-machine.ts";

type Payer = Pick<WithdrawalRow, "userAddress" | "exitToken">;

/** How often a transaction makes the call of a built second step, and pays its amount. */
interface Made {
  calls: number;
  payments: number;
}

const NOT_MADE: Made = { calls: 0, payments: 0 };

/** Returns true if a transaction is a call of a contract by the withdrawal's user, and no batch. */
const isOwnCall = (
  { userAddress }: Payer,
  { transaction: { from, to }, target }: { transaction: Transaction; target: string },
): boolean => sameAddress(from, userAddress) && sameAddress(to ?? "", target);

/** Returns the amounts of the token of the vault's payment that its user paid, by the token's transfers in logs. */
const paymentsIn = (logs: Receipt["logs"], { userAddress, exitToken }: Payer): bigint[] =>
  transfersOf(logs, exitToken).flatMap(({ from, value }) => (sameAddress(from, userAddress) ? [value] : []));

/** Returns a function that counts how often a transaction makes a withdrawal's second step. */
function counterOf(row: Payer, { transaction, receipt }: TransactionOnChain): (built: BuiltTransfer) => Made {
  if (transaction === null || receipt === null || !receipt.succeeded) return () => NOT_MADE;
  const { input } = transaction;
  const paid = paymentsIn(receipt.logs, row);
  const inner = once(() => innerDataHashes(input));
  return ({ target, dataHash, amount }) => {
    if (isOwnCall(row, { transaction, target }))
      return keccak256(input) === dataHash ? { calls: 1, payments: 1 } : NOT_MADE;
    const payments = paid.filter((value) => value === BigInt(amount)).length;
    if (payments === 0 || !receipt.logs.some(({ address }) => sameAddress(address, target))) return NOT_MADE;
    return { calls: inner().get(dataHash as Hex) ?? 0, payments };
  };
}

/**
 * Returns the second step, of those that were built for a withdrawal, which a successful transaction makes: the user's
 * own call, or a batch that contains it and pays exactly its amount. Native currency is not recognised in a batch. Null
 * if there is none. Pure.
 */
export function findSentTransfer(
  row: Payer,
  { built, seen }: { built: readonly BuiltTransfer[]; seen: TransactionOnChain },
): BuiltTransfer | null {
  const count = counterOf(row, seen);
  return built.find((one) => count(one).calls > 0) ?? null;
}

/**
 * Returns what a withdrawal's second step has brought by a swap, in the smallest unit of the requested token. Of a batch
 * that is the only arrival from its payment on until the user's next one, because other calls pay the user too; null if
 * that is unclear. Pure.
 */
export function swappedAmount(
  row: Payer & Pick<WithdrawalRow, "moveToken">,
  of: { built: BuiltTransfer; transaction: Transaction; receipt: Receipt },
): bigint | null {
  const { userAddress: user, moveToken: token, exitToken } = row;
  const { logs } = of.receipt;
  const { target, amount } = of.built;
  if (isOwnCall(row, { ...of, target })) return paymentTo(logs, { token, user, stated: null });
  const spendings = logs.flatMap((log, at) =>
    transfersOf([log], log.address).flatMap(({ from, value }) =>
      sameAddress(from, user)
        ? [{ at, own: sameAddress(log.address, exitToken) && value === BigInt(amount) }]
        : [],
    ),
  );
  const [payment, ...equal] = spendings.filter(({ own }) => own);
  if (payment === undefined || equal.length > 0) return null;
  const next = spendings.find(({ at }) => at > payment.at);
  const arrivals = transfersOf(logs.slice(payment.at, next?.at), token).filter(({ to }) =>
    sameAddress(to, user),
  );
  return arrivals.length === 1 ? (arrivals[0]?.value ?? null) : null;
}

/** Another withdrawal of the user with a second step in the same transaction; null if that is not known any more. */
interface SentTogether {
  row: WithdrawalRow;
  sent: BuiltTransfer | null;
}

/**
 * Returns the user's other withdrawals whose second steps are recorded in a transaction, with those steps; `read` reads
 * it if there are any. Throws `store_unavailable`; errors of `read` propagate.
 */
export async function findSentTogether(
  ctx: Context,
  { row, hash, read }: { row: WithdrawalRow; hash: Hex; read: () => Promise<TransactionOnChain> },
): Promise<SentTogether[]> {
  const others = await selectSentTogether(ctx.db, { row, hash });
  if (others.length === 0) return [];
  const seen = await read();
  return others.map(({ row: other, built }) => ({
    row: other,
    sent: findSentTransfer(other, { built, seen }),
  }));
}

/**
 * Returns true if a transaction makes a withdrawal's second step besides those of others: one call and one payment prove
 * one withdrawal. Pure.
 */
export function isSentBesides(
  row: Payer,
  of: { built: BuiltTransfer; seen: TransactionOnChain; others: readonly SentTogether[] },
): boolean {
  const { built, seen, others } = of;
  const { calls, payments } = counterOf(row, seen)(built);
  const takes = (own: (other: SentTogether & { sent: BuiltTransfer }) => boolean): number =>
    others.filter(({ row: other, sent }) => sent === null || own({ row: other, sent })).length;
  const called = takes(({ sent }) => sent.dataHash === built.dataHash);
  const paid = takes((other) => other.sent.amount === built.amount && other.row.exitToken === row.exitToken);
  return calls > called && payments > paid;
}

/**
 * Reads the amount that a withdrawal's proven second step took, in the smallest unit of the token that the vault paid:
 * all of it or, of a rebasing token or a payment for several requests, what the step was built for. Null if that is
 * unknown. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function readSentAmount(
  ctx: Context,
  { row, readTransaction }: { row: TrackedRow; readTransaction: TransactionReader },
): Promise<bigint | null> {
  if (row.direction === "deposit") return null;
  const hash = secondStepOf(row);
  if (hash === null) return null;
  const whole = row.assets === null ? null : BigInt(row.assets);
  const built = await selectBuiltTransfers(ctx.db, row.trackingId);
  if (whole !== null && built.every(({ amount }) => BigInt(amount) === whole)) return whole;
  const seen = await readTransaction(row.vaultChainId, hash);
  const sent = findSentTransfer(row, { built, seen });
  return sent === null ? whole : BigInt(sent.amount);
}

/**
 * Returns the place of a withdrawal among those of the user that sent as much to the same place in one transaction, and
 * the number of their transfers: nothing tells these apart, so that each withdrawal has one in the order of the tracking
 * ids. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function placeAmongEqual(
  ctx: Context,
  of: { row: WithdrawalRow; amount: bigint | null; readTransaction: TransactionReader },
): Promise<{ index: number; count: number }> {
  const { row, amount, readTransaction } = of;
  const hash = row.depositTxHash as Hex;
  const read = () => readTransaction(row.vaultChainId, hash);
  const equal = (await findSentTogether(ctx, { row, hash, read })).filter(
    ({ row: { exitToken, moveToken, toChainId, bridge }, sent }) =>
      sent?.amount === amount?.toString() &&
      exitToken === row.exitToken &&
      moveToken === row.moveToken &&
      toChainId === row.toChainId &&
      bridge === row.bridge,
  );
  const index = equal.filter((other) => other.row.trackingId < row.trackingId).length;
  if (equal.length === 0 || amount === null) return { index, count: equal.length + 1 };
  // Two that are tracked at the same moment may both be proven by one payment: the first of them has its transfer.
  const payments = paymentsIn((await read()).receipt?.logs ?? [], row).filter((value) => value === amount);
  return { index, count: Math.min(equal.length + 1, Math.max(payments.length, 1)) };
}
