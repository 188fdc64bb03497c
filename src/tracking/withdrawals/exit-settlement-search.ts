import { getAddress, type Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { keepHints } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositHint } from "../../db/queries/deposit-hint-queries.ts";
import { isNative } from "../../lib/address.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { ExitSettlement } from "../../vaults/vault-exits.ts";
import { hashesOn } from "../deposits/deposit-transaction-hints.ts";
import {
  isConfirmed,
  requireReceipts,
  type TransactionReader,
} from "../deposits/deposit-transaction-reader.ts";
import { type FoundTransfers, findTransfers, MAX_UNPROVING } from "../track-token-transfers.ts";
import type { ExitSubject, OpenExit } from "./read-exit-request.ts";
import { paymentTo } from "./withdrawal-proofs.ts";
import { type EndSeen, paysNothing } from "./withdrawal-settlements.ts";

/** A redemption request to check. */
export interface RequestInput {
  row: ExitSubject;
  readTransaction: TransactionReader;
  hints: readonly Pick<DepositHint, "chainId" | "txHash">[];
  /** Present for a request that this service did not build: its account may have made others that no row shows. */
  unrecorded?: {
    /** Keeps transactions, which later checks get as hints. Returns false if it could not. */
    keep(hashes: readonly Hex[]): Promise<boolean>;
  };
}

/**
 * Returns the confirmed transactions that settled a request or a part of it, in block order. `whole` is false if there
 * is an unconfirmed one, or if a later check will read more; `gapless` is true if it is certain that there are no others.
 * `since` is the block of the request, and `claimed` the shares of earlier requests that its transaction paid.
 */
export async function findSettlements(
  ctx: Context,
  at: RequestInput & { now: OpenExit },
): Promise<{ ends: EndSeen[]; whole: boolean; gapless: boolean; since: bigint; claimed: bigint }> {
  const { row, readTransaction, hints, now } = at;
  const none = { ends: [], whole: true, gapless: false, since: 0n, claimed: 0n };
  if (row.sourceTxHash === null) return none;
  // A node may have forgotten a proven transaction; without its block nothing tells what came later.
  const proven = row.sourceProven ? [row.sourceTxHash] : [];
  const readSource = requireReceipts(ctx, { readTransaction, chainId: row.vaultChainId, hashes: proven });
  const source = await readSource(row.vaultChainId, row.sourceTxHash as Hex);
  if (source.receipt === null) return none;
  const since = source.receipt.blockNumber;
  const listed = [row.claimTxHash, row.refundTxHash, ...hashesOn(row.vaultChainId, hints)];
  const named = new Set(listed.flatMap((hash) => (hash === null ? [] : [hash as Hex])));
  const found = now.request === null ? await findPayments(ctx, { row, since, now }) : null;
  const logged = new Set(found?.hashes ?? []);
  const hashes = new Set([...named, ...logged]);
  hashes.delete(row.sourceTxHash as Hex);
  const ends: EndSeen[] = [];
  const readLogged = requireReceipts(ctx, { readTransaction, chainId: row.vaultChainId, hashes: logged });
  let whole = found?.complete ?? true;
  let unproving = 0;
  let next: Hex | undefined;
  for (const hash of hashes) {
    // Named ones are read in any case: where they end in the order of the logs says nothing about what was read.
    const counts = !named.has(hash);
    if (counts && unproving === MAX_UNPROVING) {
      next = hash;
      whole = false;
      break;
    }
    if (counts) unproving += 1;
    const seen = await readLogged(row.vaultChainId, hash);
    const { receipt } = seen;
    if (receipt === null || !receipt.succeeded || receipt.blockNumber < since) continue;
    const settlements = settlementsIn(receipt, { row, now, requestLogs: source.receipt.logs });
    if (settlements.length === 0) continue;
    // What the vault reports at the head already leaves out what this paid.
    if (!isConfirmed(ctx, { chainId: row.vaultChainId, seen })) {
      whole = false;
      continue;
    }
    ends.push(...settlements.map((settlement) => ({ hash, receipt, settlement })));
    // Anyone may ask for an unrecorded request, so that all the transactions read for it are counted.
    if (counts && at.unrecorded === undefined) unproving -= 1;
  }
  const proving = ends.map(({ hash }) => hash);
  const searchesOn = found?.complete === false || (at.unrecorded !== undefined && next !== undefined);
  const added = searchesOn ? proving.filter((hash) => !named.has(hash)) : [];
  // A search does not go on past what it must find again: hints are read without it.
  const isKept = searchesOn && (added.length === 0 || (await keep(ctx, { ...at, added })));
  await found?.noteSearched({ proving: isKept ? [] : proving, next });
  ends.sort((one, other) => Number(one.receipt.blockNumber - other.receipt.blockNumber));
  const before = settlementsIn(source.receipt, { row, now, requestLogs: source.receipt.logs });
  const claimed = before.reduce(
    (sum, { outcome, shares }) => (outcome === "paid" ? sum + (shares ?? 0n) : sum),
    0n,
  );
  return { ends, whole, gapless: whole && found?.gapless === true, since, claimed };
}

/** Keeps transactions as hints of a withdrawal, or where an unrecorded request's are kept; false if that failed. */
async function keep(
  ctx: Context,
  { row, unrecorded, added }: RequestInput & { added: readonly Hex[] },
): Promise<boolean> {
  if (unrecorded !== undefined) return unrecorded.keep(added);
  const { trackingId, vaultChainId: chainId } = row;
  const found = added.map((txHash) => ({ chainId, txHash }));
  await keepHints(ctx.db, { trackingId, found, now: new Date(ctx.now()) });
  return true;
}

/** Finds the transactions from block `since` on in which the user received the vault's payment token or its shares. */
async function findPayments(
  ctx: Context,
  { row, since, now }: { row: ExitSubject; since: bigint; now: OpenExit },
): Promise<FoundTransfers | null> {
  const client = ctx.chains.client(row.vaultChainId);
  if (client === null) return null;
  const tokens = [row.exitToken, row.shareToken].filter((token) => !isNative(token));
  return findTransfers(ctx, {
    ...{ client, trackingId: row.trackingId },
    tokens: tokens.map((token) => getAddress(token)),
    party: { to: getAddress(row.userAddress) },
    amounts: null,
    // A request may go on under another id, and the registry may learn of a contract that holds it.
    lookFor: [row.requestId ?? "", ...adapterOf(now.vault).flows(now.vault).addresses].join(),
    from: Number(since),
    head: now.block.number,
  });
}

/**
 * Returns how a receipt settled a withdrawal's request: with a payment, with a return of its shares, or with both. A
 * payment counts only if the paid token reached the user, or if the vault's event says that the shares are worth
 * nothing. For native currency, which has no transfer event, the vault's own event suffices.
 */
export function settlementsIn(
  receipt: Receipt,
  {
    row,
    now,
    requestLogs,
  }: { row: ExitSubject; now: Pick<OpenExit, "vault" | "exits">; requestLogs: Receipt["logs"] },
): ExitSettlement[] {
  const user = getAddress(row.userAddress);
  const requestId = row.requestId ?? "0";
  const given = { user, requestId, logs: receipt.logs, requestLogs };
  const seen = now.exits.findSettlement?.(now.vault, given) ?? null;
  if (seen === null) return [];
  const { returned: shares = 0n, ...settlement } = seen;
  const returned: ExitSettlement[] = shares === 0n ? [] : [{ outcome: "cancelled", assets: 0n, shares }];
  // Anyone may claim no shares for the user.
  if (settlement.outcome === "paid" && settlement.assets === 0n && settlement.shares === 0n) return returned;
  if (settlement.outcome !== "paid" || isNative(row.exitToken)) return [settlement, ...returned];
  // A vault may pay less than its event names; one transaction may pay several requests.
  const paid = { token: row.exitToken, user: row.userAddress, stated: settlement.assets };
  const assets = paymentTo(receipt.logs, paid);
  if (assets === 0n) return paysNothing(settlement) ? [settlement, ...returned] : returned;
  return [{ ...settlement, assets }, ...returned];
}
