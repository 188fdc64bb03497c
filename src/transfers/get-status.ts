import { type Hex, keccak256 } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { transactionLink } from "../chains/explorer.ts";
import { type SeenTransaction, seeTransaction } from "../chains/transaction.ts";
import type { Context } from "../context.ts";
import { type DepositRow, selectDepositsByTransaction } from "../db/queries/deposits.ts";
import { routerRefs } from "../deposits/evidence.ts";
import { observeSource } from "../deposits/observe.ts";
import { currentState, statusOf } from "../deposits/state.ts";
import { AppError, failure, failureFrom } from "../errors.ts";
import type { TransferStatus } from "../schemas/status.ts";
import { judgeUntracked, type Verdict } from "./judge-untracked.ts";

export interface StatusQuery {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/**
 * Tells where the money of a transaction is. A tracked deposit is moved on by what the chain shows; a hash
 * nobody knows writes nothing. Throws `chain_unsupported`, `store_unavailable`, `upstream_unavailable`,
 * `upstream_timeout`.
 */
export async function getStatus(ctx: Context, query: StatusQuery): Promise<TransferStatus> {
  const client = ctx.chains.client(query.fromChainId);
  if (client === null || !ctx.chains.definitions.has(query.toChainId)) {
    const chainId = client === null ? query.fromChainId : query.toChainId;
    throw failure("chain_unsupported", `chain ${chainId} is not served`);
  }
  const seen = await look(client, query.txHash);
  const row = await trackedDeposit(ctx, { query, seen });
  if (row !== null) {
    const moved = await observeSource(ctx, { row, client, hash: query.txHash, seen });
    const shown = await showTracked(ctx, { row: moved, client, query, seen });
    if (shown !== null) return shown;
  }
  return showUntracked(query, { client, verdict: await judgeUntracked(ctx, { client, seen }) });
}

async function look(client: ChainClient, hash: Hex): Promise<SeenTransaction> {
  try {
    return await seeTransaction(client, hash);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw failureFrom(
      "upstream_unavailable",
      `a node of ${client.definition.name} gave an unusable answer`,
      error,
    );
  }
}

/** The deposit a transaction carries, or is said to carry; proven and referenced ones before mere claims. */
async function trackedDeposit(
  ctx: Context,
  found: { query: StatusQuery; seen: SeenTransaction },
): Promise<DepositRow | null> {
  const { query, seen } = found;
  const refs = seen.receipt === null ? [] : routerRefs(seen.receipt);
  const dataHash = seen.transaction === null ? null : keccak256(seen.transaction.input);
  const rows = await selectDepositsByTransaction(ctx.db, {
    hash: query.txHash,
    chainId: query.fromChainId,
    dataHash,
    refs,
  });
  const weight = (row: DepositRow): number => {
    if (row.sourceTxHash === query.txHash && row.sourceProven) return 4;
    if (refs.some((ref) => ref === row.ref)) return 3;
    if (row.sourceDataHash === dataHash && !row.sourceProven) return 2;
    return row.sourceTxHash === query.txHash ? 1 : 0;
  };
  const ranked = rows.filter((row) => weight(row) > 0).sort((a, b) => weight(b) - weight(a));
  return ranked[0] ?? null;
}

/** A tracked deposit's status; null when this transaction is only claimed to carry it and shows something else. */
async function showTracked(
  ctx: Context,
  found: { row: DepositRow; client: ChainClient; query: StatusQuery; seen: SeenTransaction },
): Promise<TransferStatus | null> {
  const { row, client, query, seen } = found;
  const proven = row.sourceProven && row.sourceTxHash === query.txHash;
  if (!proven && seen.receipt !== null) return null;
  const state = currentState(row, ctx.now());
  const { status, substatus } = statusOf(state, row.substatus);
  const link = transactionLink(client.definition, query.txHash);
  const side = (amount: string | null) => ({
    tx_hash: query.txHash,
    tx_link: link,
    amount,
    chain_id: row.fromChainId,
  });
  return {
    status,
    substatus,
    sending: row.sourceTxHash === query.txHash ? side(row.fromAmount) : null,
    receiving: row.shares === null ? null : side(row.shares),
    bridge: row.bridge,
    router_explorer: null,
    deposit: { tracking_id: row.trackingId, state, shares: row.shares, next: null },
  };
}

function showUntracked(
  query: StatusQuery,
  judged: { client: ChainClient; verdict: Verdict },
): TransferStatus {
  const { client, verdict } = judged;
  const link = transactionLink(client.definition, query.txHash);
  const side = (amount: bigint | null) => ({
    tx_hash: query.txHash,
    tx_link: link,
    amount: amount?.toString() ?? null,
    chain_id: query.fromChainId,
  });
  const absent = verdict.status === "NOT_FOUND" || verdict.status === "INVALID";
  return {
    status: verdict.status,
    substatus: verdict.substatus,
    sending: absent ? null : side(verdict.sent),
    receiving: verdict.received === null ? null : side(verdict.received),
    bridge: null,
    router_explorer: null,
    deposit: null,
  };
}
