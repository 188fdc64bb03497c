import { erc20Abi, getAddress } from "viem";
import { createQuery, type Read, read, valueOrNull } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { selectHints, selectStepPlan } from "../db/queries/deposit-hint-queries.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { isNative } from "../lib/address.ts";
import { readUncached } from "../vaults/vault-state.ts";
import { type BuiltSecondStep, noteAskedSpenders } from "./order-asked-approvals.ts";
import { StepPlan } from "./order-steps.ts";
import { TRANSFER_ROUNDING } from "./simulate-order-payment.ts";

/** Column of a row with the transaction that an order waits for. */
type AwaitedColumn = "sourceTxHash" | "depositTxHash" | "claimTxHash" | "refundTxHash";
/** Fields of a row of either direction on which its steps depend. */
type SteppedRow = Pick<DepositRow, "trackingId" | "userAddress" | AwaitedColumn>;

/** An order whose steps are listed, with what differs between deposits and withdrawals. */
interface SteppedOrder<R extends SteppedRow> {
  row: R;
  /** Transaction that the current state waits for and its chain, or null if it waits for none. */
  awaited: { column: AwaitedColumn; chainId: number } | null;
  /** Transactions of earlier steps, which may be reported on the same chain. */
  earlier: readonly (string | null)[];
  /**
   * Returns true if a reported transaction cannot be the awaited one, because the chain still waits for that although
   * this one is over: it failed, or did only a part. Absent if none can be over.
   */
  isOver?(hash: string): Promise<boolean>;
  /** The second step's transaction, if the user can send it now; absent or null otherwise. */
  second?: BuiltSecondStep | null;
  /** Returns true if the user still has to send the first transaction. */
  isFirstRequired(row: R): boolean;
  /** Returns the plan to use if none is stored or the stored one cannot be parsed. */
  planOf(row: R): Promise<StepPlan>;
}

/** State of an order's steps that its row does not contain. */
interface StepStateRead<R> {
  /** The row, with the reported transaction of the current step as long as no chain shows one. */
  row: R;
  plan: StepPlan;
  /** The allowance for the first transaction, or null if it is not needed or could not be read. */
  allowance: bigint | null;
  /** Spenders, in lowercase, for which an earlier build of the second step asked for an approval. */
  asked: readonly string[];
}

/**
 * Reads what an order's steps need beside its row: the stored plan, else that of `planOf`; the reported transaction of
 * the current step; the allowance, null if not needed or unreadable; and the approvals asked for earlier, to which it
 * adds that of `second`. Throws `store_unavailable`; errors of `planOf` propagate.
 */
export async function readStepState<R extends SteppedRow>(
  ctx: Context,
  order: SteppedOrder<R>,
): Promise<StepStateRead<R>> {
  const [kept, row] = await Promise.all([
    selectStepPlan(ctx.db, order.row.trackingId),
    withReportedHash(ctx, order),
  ]);
  const { trackingId } = order.row;
  const asked = await noteAskedSpenders(ctx, { trackingId, kept, next: order.second ?? null });
  const stored = StepPlan.safeParse(kept);
  const plan = stored.success ? stored.data : await order.planOf(row);
  const pays = order.isFirstRequired(row) && plan.source.spender !== null;
  if (!pays) return { row, plan, allowance: null, asked };
  const { chainId, token, spender } = plan.source;
  const owner = row.userAddress;
  const of = { chainId, token: token.address, owner, spender: spender ?? owner };
  return { row, plan, allowance: await readAllowance(ctx, of), asked };
}

/**
 * Returns the row with the reported transaction of the current step, until a chain shows one: a client that has sent a
 * transaction must not be asked to send it again.
 */
async function withReportedHash<R extends SteppedRow>(
  ctx: Context,
  { row, awaited, earlier, isOver }: SteppedOrder<R>,
): Promise<R> {
  if (awaited === null || row[awaited.column] !== null) return row;
  const hints = await selectHints(ctx.db, [row.trackingId]);
  const reported = hints.filter(
    ({ chainId, origin, txHash }) =>
      chainId === awaited.chainId && (origin === "report" || origin === "both") && !earlier.includes(txHash),
  );
  // Anyone may report what is over, after what the user has just sent.
  for (const { txHash } of reported.slice(-MAX_REPORTS).reverse())
    if ((await isOver?.(txHash)) !== true) return { ...row, [awaited.column]: txHash };
  return row;
}

/** Maximum number of reported transactions that are looked at, the latest first. */
const MAX_REPORTS = 5;

/** Reads an allowance, in the token's smallest unit, or returns null if it cannot be read. */
export function readAllowance(
  ctx: Context,
  of: { chainId: number; token: string; owner: string; spender: string },
): Promise<bigint | null> {
  const args = [getAddress(of.owner), getAddress(of.spender)] as const;
  return readWord(ctx, {
    ...of,
    word: read({ to: getAddress(of.token), abi: erc20Abi, name: "allowance", args }),
  });
}

/**
 * Returns the amount of an arrival that its account can send on, in the token's smallest unit: `amount`, which the
 * `Transfer` event shows, or the balance if that is lower by no more than a rebasing token's rounding.
 */
export async function creditedAmount(
  ctx: Context,
  of: { chainId: number; token: string; owner: string; amount: bigint },
): Promise<bigint> {
  const { chainId, token, owner, amount } = of;
  if (isNative(token)) return amount;
  const args = [getAddress(owner)] as const;
  const balance = await readWord(ctx, {
    chainId,
    word: read({ to: getAddress(token), abi: erc20Abi, name: "balanceOf", args }),
  });
  if (balance === null || balance === 0n || balance >= amount) return amount;
  return balance + TRANSFER_ROUNDING >= amount ? balance : amount;
}

async function readWord(
  ctx: Context,
  { chainId, word }: { chainId: number; word: Read<bigint> },
): Promise<bigint | null> {
  const query = createQuery({ word }, (results) => valueOrNull(results.word));
  const answer = await readUncached(ctx, { chainId, query }).catch(() => null);
  return answer?.value ?? null;
}
