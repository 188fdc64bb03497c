import type { Hex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { transactionLink } from "../chains/explorer.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { followDeposit } from "../deposits/follow.ts";
import { createLook, type Look } from "../deposits/look.ts";
import { moveDeposit, type Observation } from "../deposits/move.ts";
import { observeAtVault } from "../deposits/observe-at-vault.ts";
import { isSourceOpen, observeSource } from "../deposits/observe-source.ts";
import { isOpen, isUnseen } from "../deposits/state.ts";
import { AppError, failure } from "../errors.ts";
import type { TransferStatus } from "../schemas/status.ts";
import { judgeUntracked, type Verdict } from "./judge-untracked.ts";
import { showDeposit } from "./show-deposit.ts";
import { showRepeated } from "./show-repeated.ts";
import { type Bond, type FoundTransaction, isProvenBy, trackedDeposit } from "./tracked-deposit.ts";

export interface StatusQuery {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/**
 * Tells where the money of a transaction is, be it the source's, the delivery's or the second step's. A tracked
 * deposit is moved on by what its chains show; a hash nobody knows writes nothing. Throws `chain_unsupported`,
 * `store_unavailable`, and `upstream_unavailable`, `upstream_timeout` when the chain cannot be read and nothing
 * is proven of the transaction.
 */
export async function getStatus(ctx: Context, query: StatusQuery): Promise<TransferStatus> {
  const client = ctx.chains.client(query.fromChainId);
  if (client === null || !ctx.chains.definitions.has(query.toChainId)) {
    const chainId = client === null ? query.fromChainId : query.toChainId;
    throw failure("chain_unsupported", `chain ${chainId} is not served`);
  }
  const look = createLook(ctx);
  const { found, unreadable } = await findTransaction(query, look);
  const tracked = await trackedDeposit(ctx, found);
  if (unreadable !== null && tracked?.bond !== "proven") throw unreadable;
  if (tracked?.bond === "repeated") return showRepeated(ctx, { row: tracked.row, found, look });
  if (tracked !== null) {
    const row = await moveOn(ctx, { row: tracked.row, found, look });
    if (!isAnother(row, { bond: tracked.bond, found })) return showDeposit(ctx, row);
  }
  const { seen } = found;
  if (seen === null) throw failure("upstream_unavailable", "the transaction's chain cannot be read");
  const on = ctx.chains.client(found.chainId) ?? client;
  return showUntracked(found, { client: on, verdict: await judgeUntracked(ctx, { client: on, seen }) });
}

/**
 * Whether a transaction shows something else than the deposit it was taken for: it was only said to carry it, names
 * it and proves nothing of it, or repeats what another one brought to its end. It is judged by itself then.
 */
function isAnother(row: DepositRow, { bond, found }: { bond: Bond; found: FoundTransaction }): boolean {
  if ((found.seen?.receipt ?? null) === null || isProvenBy(row, found.hash)) return false;
  return bond === "claimed" || isUnseen(row.state) || !isOpen(row.state);
}

interface Search {
  found: FoundTransaction;
  /** Why the source chain could not be read; null: it could. */
  unreadable: AppError | null;
}

/** Looks on the source chain, then on the vault's, for the hash may be of the delivery or the second step. */
async function findTransaction({ txHash: hash, ...query }: StatusQuery, look: Look): Promise<Search> {
  const { fromChainId, toChainId } = query;
  let unreadable: AppError | null = null;
  for (const chainId of new Set([fromChainId, toChainId])) {
    try {
      const seen = await look(chainId, hash);
      if (seen.transaction !== null || seen.receipt !== null)
        return { found: { hash, chainId, seen }, unreadable: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Of the vault's chain the hash need not be: what the source chain does not know is not found.
      if (chainId === fromChainId) unreadable = error;
    }
  }
  const seen = unreadable === null ? await look(fromChainId, hash) : null;
  return { found: { hash, chainId: fromChainId, seen }, unreadable };
}

/** Moves a deposit by the transaction that was found, then by whatever else its chains show. */
async function moveOn(
  ctx: Context,
  { row, found, look }: { row: DepositRow; found: FoundTransaction; look: Look },
): Promise<DepositRow> {
  const observations = await observeFound(ctx, { row, found, look });
  const moved = await moveDeposit(ctx, { row, observations });
  return (await followDeposit(ctx, { row: moved, look })).row;
}

async function observeFound(
  ctx: Context,
  { row, found, look }: { row: DepositRow; found: FoundTransaction; look: Look },
): Promise<Observation[]> {
  const { hash, chainId, seen } = found;
  if (seen === null) return [];
  const mayBeSource = chainId === row.fromChainId && isSourceOpen(row) && !isProvenBy(row, hash);
  const atSource = mayBeSource ? await observeSource(ctx, { row, hash, seen }) : [];
  const mayBeAtVault = chainId === row.vaultChainId && row.provider !== null && atSource.length === 0;
  return mayBeAtVault ? observeAtVault(ctx, { row, hash, look }) : atSource;
}

function showUntracked(
  { hash, chainId }: FoundTransaction,
  { client, verdict }: { client: ChainClient; verdict: Verdict },
): TransferStatus {
  const link = transactionLink(client.definition, hash);
  const side = (amount: bigint | null) => ({
    tx_hash: hash,
    tx_link: link,
    amount: amount?.toString() ?? null,
    chain_id: chainId,
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
