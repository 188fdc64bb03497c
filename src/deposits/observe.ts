import { type Hex, keccak256 } from "viem";
import type { ChainClient } from "../chains/client.ts";
import type { SeenTransaction } from "../chains/transaction.ts";
import type { Context } from "../context.ts";
import { type DepositChange, type DepositRow, selectDeposit, updateDeposit } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { depositRouterAddress } from "../router/address.ts";
import { findShareProof } from "./evidence.ts";
import { failureReason } from "./failure-reason.ts";
import { type Evidence, next } from "./state.ts";

/** What a transaction shows of a deposit, and what is noted if that moves it. */
interface Observation {
  evidence: Evidence;
  change: DepositChange;
}

/**
 * Moves a deposit by what its transaction shows on its chain, and gives the row as it is then. A writer who
 * was faster wins; its row is given. Throws `store_unavailable` and what reading the chain throws.
 */
export async function observeSource(
  ctx: Context,
  input: { row: DepositRow; client: ChainClient; hash: Hex; seen: SeenTransaction },
): Promise<DepositRow> {
  const { row } = input;
  const observed = await observation(input);
  const state = observed === null ? row.state : next(row.state, observed.evidence);
  if (observed === null || state === row.state) return row;
  const at = new Date(ctx.now()).toISOString();
  const change = { ...observed.change, state, history: [...row.history, { state, at }] };
  const updated = await updateDeposit(ctx.db, { trackingId: row.trackingId, from: row.state, change });
  return updated ?? (await selectDeposit(ctx.db, row.trackingId)) ?? row;
}

async function observation(input: {
  row: DepositRow;
  client: ChainClient;
  hash: Hex;
  seen: SeenTransaction;
}): Promise<Observation | null> {
  const { row, client, hash, seen } = input;
  const { transaction, receipt } = seen;
  const carries = transaction !== null && isHandedOut(row, transaction);
  if (receipt === null) {
    // Only a receipt proves: a waiting transaction may still be replaced by another.
    if (!carries) return null;
    return { evidence: { kind: "source_waits" }, change: { sourceTxHash: hash, substatus: null } };
  }
  const via = sameAddress(row.sourceTo, depositRouterAddress) ? "router" : "user";
  if (via === "user" && !carries) return null;
  const confirmed = seen.confirmations >= client.definition.confirmations;
  if (!receipt.succeeded) {
    if (!carries || !confirmed || transaction === null) return null;
    const substatus = await failureReason(client, { transaction, receipt });
    const evidence = { kind: "chain", shows: "source_reverted", confirmed } as const;
    return { evidence, change: { sourceTxHash: hash, sourceProven: true, substatus } };
  }
  const proof = findShareProof(receipt, { row, via });
  if (proof === null) return null;
  const proven = { sourceTxHash: hash, sourceProven: true, substatus: null };
  const evidence = { kind: "chain", shows: "shares", confirmed } as const;
  if (!confirmed) return { evidence, change: proven };
  const shares = proof.shares.toString();
  return { evidence, change: { ...proven, shares, receivedAmount: proof.amountIn?.toString() ?? null } };
}

/** Whether a transaction is the one that build handed out: same sender, target and calldata. */
function isHandedOut(row: DepositRow, transaction: NonNullable<SeenTransaction["transaction"]>): boolean {
  return (
    sameAddress(transaction.from, row.userAddress) &&
    transaction.to !== null &&
    sameAddress(transaction.to, row.sourceTo) &&
    keccak256(transaction.input) === row.sourceDataHash
  );
}
