import { type Hex, zeroAddress } from "viem";
import type { Context } from "../../context.ts";
import {
  isDeliveryOfAnother,
  isRefundOfAnother,
  selectRefundedTogether,
} from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositRow, TrackedRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import { describeError } from "../../lib/logger.ts";
import type {
  BridgeProof,
  DeliveryProof,
  ProviderStatus,
  TransferReference,
  TransferTerms,
} from "../../providers/provider.ts";
import { readSentAmount } from "../withdrawals/sent-transfer.ts";
import { findDeliveredAmount, findRefund, findShareProof } from "./deposit-proofs.ts";
import { isConfirmed, readBlockTime, type TransactionReader } from "./deposit-transaction-reader.ts";
import {
  completedTransition,
  deliveredTransition,
  refundedTransition,
  type Transition,
} from "./deposit-transitions.ts";
import { vaultTransitions } from "./track-deposit-destination.ts";

/** What providers say of a transfer. */
interface ProviderAnswers {
  /** Their statuses; those with evidence from the bridge's contracts come first. */
  said: ProviderStatus[];
  /** True if the bridge may number its transfers and this one's number could not be read. */
  unread: boolean;
}

/**
 * Reads a transfer's status from its provider and, if another provider operates the bridge, from that one too. A
 * provider that fails is logged and left out. Throws `internal` if the providers' settings are invalid.
 */
export async function readProviderStatuses(
  ctx: Context,
  of: {
    row: Pick<TrackedRow, "trackingId" | "provider" | "bridge" | "tool">;
    transfer: Omit<Required<TransferReference>, "tool">;
  },
): Promise<ProviderAnswers> {
  const { row } = of;
  const { scope } = ctx.providers;
  const asked = (await ctx.providers.all()).filter(
    ({ name }) => name === row.provider || name === row.bridge,
  );
  const transfer = { ...of.transfer, tool: row.tool ?? "" };
  const answers = await Promise.all(
    asked.map(async (provider) => {
      try {
        return await provider.status(scope, transfer);
      } catch (error) {
        ctx.log.warn("provider_status_failed", {
          provider: provider.name,
          tracking_id: row.trackingId,
          error: describeError(error),
        });
        return null;
      }
    }),
  );
  const said = answers.filter((answer) => answer !== null);
  said.sort((a, b) => Number(b.proof !== null) - Number(a.proof !== null));
  // The bridge's own provider would have read the transfer's number.
  const silent = asked.some(({ name }, index) => name === row.bridge && answers[index] === null);
  return { said, unread: silent || said.some(({ unread }) => unread) };
}

interface DeliveryInput {
  row: DepositRow;
  readTransaction: TransactionReader;
  /** Transactions on the vault's chain that may be the delivery of the transfer, or contain the Router's event. */
  arrivals?: readonly Hex[];
}

/** Providers' substatuses that the API returns unchanged. */
const PUBLIC_SUBSTATUSES = new Set([
  "BRIDGE_NOT_AVAILABLE",
  "CHAIN_NOT_AVAILABLE",
  "REFUND_IN_PROGRESS",
  "UNKNOWN_ERROR",
]);

/**
 * Returns the transitions of a routed deposit whose transfer is under way: its completion, delivery or refund, if a
 * receipt proves it, otherwise the substatus by its providers; empty if none answers. Throws `store_unavailable`,
 * `internal` if the providers' settings are invalid, and errors of the RPC nodes.
 */
export async function deliveryTransitions(ctx: Context, following: DeliveryInput): Promise<Transition[]> {
  const { row, arrivals = [] } = following;
  const { fromChainId, vaultChainId: toChainId } = row;
  const txHash = row.sourceTxHash as Hex;
  const sender = { account: row.userAddress, amount: BigInt(row.fromAmount) };
  const built = builtTerms(row, { fromToken: row.fromToken, least: row.moveMin });
  const { said, unread } = await readProviderStatuses(ctx, {
    row,
    transfer: { txHash, fromChainId, toChainId, arrivals, sender, built },
  });
  // While its number is unread, a Router event with the deposit's reference may belong to another transfer.
  const found =
    (await findOutcome(ctx, { ...following, said })) ??
    (unread ? null : await repeatedOutcome(ctx, { ...following, said })) ??
    statusTransitions(said);
  const explorer = said.find(({ explorerLink }) => explorerLink !== null)?.explorerLink;
  if (explorer === undefined) return found;
  return found.map((one) => ({ ...one, change: { ...one.change, routerExplorer: explorer } }));
}

/** Returns what was built of a row's transfer. Of the known providers, only Across never swaps the paid token. */
export function builtTerms(
  row: Pick<TrackedRow, "ref" | "provider" | "moveToken" | "destinationCall">,
  { fromToken, least }: { fromToken: string; least: string | null },
): TransferTerms {
  return {
    ref: row.ref,
    fromToken,
    swaps: row.provider !== "across",
    toToken: row.moveToken,
    least: least === null ? null : BigInt(least),
    call: row.destinationCall,
  };
}

/**
 * Returns the transition for the first transaction named by a provider that proves a delivery, otherwise a refund, or
 * null. If the bridge numbers its transfers, only a payout with this one's number can be its delivery.
 */
async function findOutcome(ctx: Context, following: WithStatuses): Promise<Transition[] | null> {
  const { said } = following;
  const naming = said.some(isNumbered) ? said.filter(({ proof }) => proof?.delivery != null) : said;
  for (const hash of new Set(naming.map(({ destinationTxHash }) => destinationTxHash))) {
    const delivery = hash === null ? null : await arrivalTransition(ctx, { ...following, hash });
    if (delivery !== null) return [delivery];
  }
  const { row, readTransaction } = following;
  const sent = { chainId: row.fromChainId, sourceTxHash: row.sourceTxHash as Hex };
  const refund = await findProvenRefund(ctx, { row, readTransaction, said, ...sent });
  if (refund === null) return null;
  const { confirmed, amount, hash } = refund;
  return [refundedTransition({ row, confirmed }, { amount, refundTxHash: hash })];
}

/**
 * Returns the transitions for a Router event of the deposit in one of `arrivals`, or null. If the bridge numbers its
 * transfers and its contracts show this one, such an event belongs to another transfer.
 */
async function repeatedOutcome(ctx: Context, following: WithStatuses): Promise<Transition[] | null> {
  const { row, readTransaction, said, arrivals = [] } = following;
  if (said.some(isNumbered)) return null;
  for (const hash of arrivals) {
    const transitions = await vaultTransitions(ctx, { row, hash, readTransaction });
    if (transitions.some(({ event }) => event.kind === "chain" && event.shows === "shares"))
      return transitions;
  }
  return null;
}

/** A transfer whose refund is searched: its status by providers, and the transaction on `chainId` that sent it. */
interface RefundInput {
  row: TrackedRow;
  readTransaction: TransactionReader;
  said: readonly ProviderStatus[];
  chainId: number;
  sourceTxHash: Hex;
}

/** A refund that the chain proves: its transaction, and the amount in the smallest unit of the token that was sent. */
interface ProvenRefund {
  hash: Hex;
  amount: bigint;
  confirmed: boolean;
}

/**
 * Returns the first transaction named by providers that repays what the bridge took, after the transfer's deadline, and
 * nothing else than this transfer and others of the user that it repays too; it may be unconfirmed. Null if there is
 * none. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function findProvenRefund(ctx: Context, of: RefundInput): Promise<ProvenRefund | null> {
  // Until then, no transaction counts: an earlier payment may refund a different transfer of the same amount.
  const taken = of.said.map(({ proof }) => proof?.taken ?? null).find((one) => one?.refundable === true);
  if (!taken) return null;
  for (const hash of new Set(of.said.flatMap(({ refundTxHash }) => refundTxHash ?? []))) {
    const refund = await readRefund(ctx, { ...of, taken, hash });
    if (refund !== null) return refund;
  }
  return null;
}

type Taken = NonNullable<BridgeProof["taken"]>;

async function readRefund(
  ctx: Context,
  of: RefundInput & { taken: Taken; hash: Hex },
): Promise<ProvenRefund | null> {
  const { row, readTransaction, chainId, taken, hash, sourceTxHash } = of;
  if (hash === sourceTxHash) return null;
  const [seen, sent] = await Promise.all([
    readTransaction(chainId, hash),
    readTransaction(chainId, sourceTxHash),
  ]);
  if (seen.receipt === null || sent.receipt === null) return null;
  const { blockNumber } = seen.receipt;
  const paid = findRefund(seen.receipt, { row, took: taken });
  if (paid === null || blockNumber < sent.receipt.blockNumber) return null;
  if ((await readBlockTime(ctx, { chainId, blockNumber })) <= taken.deadline) return null;
  if (!(await isOwnRefund(ctx, { row, readTransaction, hash, paid, taken }))) return null;
  return { hash, amount: taken.amount, confirmed: isConfirmed(ctx, { chainId, seen }) };
}

/**
 * Returns true if a payment is the refund of a transfer alone, and not recorded for another; or of this one together
 * with other deposits of the user, as Across adds up what is overdue: those recorded for it, and some in transit.
 */
async function isOwnRefund(
  ctx: Context,
  {
    paid,
    taken,
    readTransaction,
    ...of
  }: Pick<RefundInput, "row" | "readTransaction"> & { hash: Hex; paid: bigint; taken: Taken },
): Promise<boolean> {
  if (paid === taken.amount) return !(await isRefundOfAnother(ctx.db, of));
  const { wrappedNative } = ctx.chains.definitions.get(of.row.fromChainId) ?? { wrappedNative: null };
  const wraps = wrappedNative !== null && sameAddress(taken.token, wrappedNative);
  const tokens = wraps ? [taken.token, zeroAddress] : [taken.token];
  const found = await selectRefundedTogether(ctx.db, { ...of, tokens });
  const others = await Promise.all(
    found.map(async ({ row, amount, refunded }) => ({
      amount: amount ?? (await readSentAmount(ctx, { row, readTransaction })) ?? 0n,
      refunded,
    })),
  );
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
  const recorded = others.filter(({ refunded }) => refunded).map(({ amount }) => amount);
  const left = paid - taken.amount - sum(recorded);
  let sums = [0n];
  for (const { amount, refunded } of others)
    if (!refunded) sums = [...sums, ...sums.map((one) => one + amount)];
  return sums.includes(left);
}

/** Returns true if a status has evidence from a bridge that numbers its transfers. */
const isNumbered = ({ proof }: Pick<ProviderStatus, "proof">): boolean => proof?.taken != null;

type WithStatuses = DeliveryInput & { said: readonly ProviderStatus[] };
type WithHash = WithStatuses & { hash: Hex };

/**
 * Returns true if a delivery that was matched only by its content (amounts and parties, without a transfer id) is
 * already recorded for a different deposit.
 */
async function isOtherDelivery(
  ctx: Context,
  of: { row: DepositRow; hash: Hex; delivery: DeliveryProof },
): Promise<boolean> {
  return of.delivery.matchedBy === "content" && (await isDeliveryOfAnother(ctx.db, of));
}

/**
 * Returns the transition of a deposit if a transaction on the vault's chain delivered shares or the target token to its
 * user. Null if the transaction proves neither.
 */
async function arrivalTransition(
  ctx: Context,
  { row, readTransaction, said, hash }: WithHash,
): Promise<Transition | null> {
  const seen = await readTransaction(row.vaultChainId, hash);
  if (seen.receipt === null) return null;
  const at = { row, confirmed: isConfirmed(ctx, { chainId: row.vaultChainId, seen }) };
  const proof = findShareProof(seen.receipt, { row, via: "router" });
  if (proof !== null) return completedTransition(at, { ...proof, destinationTxHash: hash });
  const witness = said.find((hint) => hint.destinationTxHash === hash && hint.proof?.delivery != null);
  const delivery = witness?.proof?.delivery ?? null;
  if (delivery === null || (await isOtherDelivery(ctx, { row, hash, delivery }))) return null;
  const amount = findDeliveredAmount(seen.receipt, { row, delivery });
  return amount === null ? null : deliveredTransition(at, { amount, destinationTxHash: hash });
}

/**
 * Returns transitions that keep a deposit's state and set its substatus to that of the providers' statuses, or to null.
 */
function statusTransitions(said: readonly ProviderStatus[]): Transition[] {
  const substatus = substatusOf(said);
  return said.map(({ phase }) => ({
    event: { kind: "provider", phase },
    change: { substatus },
    write: "always",
  }));
}

/**
 * Returns the substatus that the API shows for the providers' statuses of a deposit or withdrawal: that of the first
 * status that has one, or null.
 */
export function substatusOf(said: readonly ProviderStatus[]): string | null {
  return said.map(toSubstatus).find((word) => word !== null) ?? null;
}

function toSubstatus({ phase, substatus }: ProviderStatus): string | null {
  if (phase === "refunding" || phase === "refunded") return "REFUND_IN_PROGRESS";
  if (phase === "failed") return "UNKNOWN_ERROR";
  return substatus !== null && PUBLIC_SUBSTATUSES.has(substatus) ? substatus : null;
}
