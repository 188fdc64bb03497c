import type { Hex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { transactionLink } from "../../chains/chain-definitions.ts";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import type { TransferStatus } from "../../schemas/deposit-schema.ts";
import { findToken } from "../../vaults/find-token.ts";
import { isRequested } from "../track/async-deposit-request.ts";
import { currentState, isUnseen, statusOf } from "../track/deposit-state-machine.ts";
import { pollAfter, readDepositSteps } from "../track/deposit-steps.ts";
import { nextStep } from "../track/next-deposit-step.ts";
import type { FoundTransaction } from "./find-deposit-of-transaction.ts";
import type { UntrackedStatus } from "./untracked-transaction-status.ts";

type TransferSide = NonNullable<TransferStatus["sending"]>;

/**
 * Converts a tracked deposit to the transfer status that the API returns, with the deposit's next step. Throws only
 * unexpected errors.
 */
export async function toTransferStatus(ctx: Context, row: DepositRow): Promise<TransferStatus> {
  const state = currentState(row, ctx.now());
  const { next, refusal } = await nextStep(ctx, row);
  const steps = await readDepositSteps(ctx, { row, state, next });
  return {
    ...statusOf(state, row.substatus),
    // Until the source transaction is seen on-chain, its hash and amount are only reported.
    sending: isUnseen(state) ? null : await sendingOf(ctx, row),
    receiving: await receivingOf(ctx, row),
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    deposit: { tracking_id: row.trackingId, state, shares: row.shares, next, next_refusal: refusal, steps },
    poll_after_ms: pollAfter(state),
  };
}

/**
 * Returns the sending side of a deposit's transfer status, or null while the source transaction was not seen on the
 * source chain, even if a delivery proves the deposit.
 */
async function sendingOf(ctx: Context, row: DepositRow): Promise<TransferSide | null> {
  const shown = row.sourceProven || row.state === "submitted";
  if (row.sourceTxHash === null || !shown) return null;
  const paid = { token: row.fromToken, kind: "asset" } as const;
  return sideOf(ctx, { hash: row.sourceTxHash, amount: row.fromAmount, chainId: row.fromChainId, ...paid });
}

/**
 * Returns the receiving side of a deposit's transfer status, with the amount that the user received: shares, the
 * delivered token, or a refund. Returns null while nothing has arrived.
 */
async function receivingOf(ctx: Context, row: DepositRow): Promise<TransferSide | null> {
  switch (row.state) {
    case "completed": {
      const claimed = row.history.some(isRequested) ? row.claimTxHash : null;
      const hash = claimed ?? row.depositTxHash ?? row.destinationTxHash ?? row.sourceTxHash;
      const minted = { token: row.shareToken, kind: "shares" } as const;
      return sideOf(ctx, { hash, amount: row.shares, chainId: row.vaultChainId, ...minted });
    }
    case "awaiting_deposit":
    case "requested":
    case "claimable":
    case "partial": {
      if (row.destinationTxHash === null) return null;
      const { destinationTxHash: hash, deliveredAmount: amount } = row;
      return sideOf(ctx, { hash, amount, chainId: row.vaultChainId, token: row.moveToken, kind: "asset" });
    }
    case "refunded":
      return sideOf(ctx, {
        hash: row.refundTxHash,
        amount: row.receivedAmount,
        chainId: row.fromChainId,
        token: row.fromToken,
        kind: "asset",
      });
    default:
      return null;
  }
}

/** One side of a transfer, as the database has it. */
interface StoredSide {
  hash: string | null;
  amount: string | null;
  chainId: number;
  token: string | null;
  kind: "asset" | "shares";
}

async function sideOf(
  ctx: Context,
  { hash, amount, chainId, token: address, kind }: StoredSide,
): Promise<TransferSide> {
  const token = address === null ? null : await findToken(ctx, { chainId, address });
  const chain = ctx.chains.definitions.get(chainId);
  const link = chain === undefined || hash === null ? null : transactionLink(chain, hash);
  return { tx_hash: hash as Hex | null, tx_link: link, amount, chain_id: chainId, token, kind };
}

/** Milliseconds after which the status of a transaction without a deposit may have changed. */
const UNTRACKED_POLL_MS: Readonly<Record<string, number>> = { NOT_FOUND: 3_000, PENDING: 5_000 };
/** The same for a status that is final. */
const DONE_POLL_MS = 60_000;

/**
 * Converts the classification of a transaction without a recorded deposit to the transfer status that the API returns.
 */
export function toUntrackedStatus(
  { hash, chainId }: FoundTransaction,
  { client, verdict }: { client: ChainClient; verdict: UntrackedStatus },
): TransferStatus {
  const link = transactionLink(client.definition, hash);
  const side = (amount: bigint | null) => ({
    tx_hash: hash,
    tx_link: link,
    amount: amount?.toString() ?? null,
    chain_id: chainId,
    token: null,
    kind: null,
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
    poll_after_ms: UNTRACKED_POLL_MS[verdict.status] ?? DONE_POLL_MS,
  };
}
