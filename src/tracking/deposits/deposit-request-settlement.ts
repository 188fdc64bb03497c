import { getAddress, type Hex } from "viem";
import type { Receipt, Transaction, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { selectOtherRequests } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositHint } from "../../db/queries/deposit-hint-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import type { DepositClaim } from "../../vaults/vault-deposit-claim.ts";
import { findTransfers, MAX_UNPROVING } from "../track-token-transfers.ts";
import { countShareTransfers, netTransfers, transfersOf } from "./deposit-proofs.ts";
import { isRequested } from "./deposit-state-machine.ts";
import { hashesOn } from "./deposit-transaction-hints.ts";
import { isConfirmed, requireReceipts, type TransactionReader } from "./deposit-transaction-reader.ts";
import type { Transition } from "./deposit-transitions.ts";
import { isRequestGone, type RequestState, readRequest } from "./track-deposit-request.ts";

/**
 * Whose shares a claim transaction sent: only those of the given request (`own`), perhaps those of other requests too
 * (`shared`), or only those of other requests (`another's`).
 */
export type ClaimOwnership = "own" | "shared" | "another's";

/**
 * Decides whose shares a claim transaction sent. `others` are the account's other requests at the vault. Errors of the
 * RPC nodes propagate.
 */
export async function claimOwnership(
  of: { row: RequestSubject; others: readonly DepositRow[]; receipt: Receipt; hash: Hex },
  readTransaction: TransactionReader,
): Promise<ClaimOwnership> {
  const { row, others, receipt, hash } = of;
  const several = countShareTransfers(row, receipt) > 1;
  // A vault with one balance per account settles all of its requests together, and no event says how the shares are
  // divided; one with request ids sends the shares of each request separately.
  const together = (other: DepositRow): boolean => other.requestId === row.requestId || several;
  const claimed = others.filter((other) => other.state === "completed" && other.claimTxHash === hash);
  if (claimed.some((other) => !together(other))) return "another's";
  if (claimed.length > 0) return "shared";
  const before = await openBefore({ others: others.filter(together), receipt, hash }, readTransaction);
  return before.length > 0 ? "shared" : "own";
}

/** Returns the open requests among `others` that were made up to a receipt's block, but not by its transaction. */
async function openBefore(
  { others, receipt, hash }: Pick<Judged, "others" | "receipt" | "hash">,
  readTransaction: TransactionReader,
): Promise<DepositRow[]> {
  const before: DepositRow[] = [];
  for (const other of others) {
    // A request is settled after its own transaction, which may claim an earlier one.
    if (!isRequested(other) || other.depositTxHash === null || other.depositTxHash === hash) continue;
    const asked = await readTransaction(other.vaultChainId, other.depositTxHash as Hex);
    // Its request is proven: a node that has forgotten the transaction does not show that it came later.
    if ((asked.receipt?.blockNumber ?? 0n) <= receipt.blockNumber) before.push(other);
  }
  return before;
}

/**
 * The fields of a deposit by which its request at an asynchronous vault is followed. For a request that this service
 * did not build, `trackingId` is an id that no other request has, and `fromAmount` is in the asset's smallest unit
 * (empty if unknown).
 */
export type RequestSubject = Pick<
  DepositRow,
  | "trackingId"
  | "userAddress"
  | "vaultChainId"
  | "vaultAddress"
  | "shareToken"
  | "fromAmount"
  | "receivedAmount"
  | "requestId"
  | "depositTxHash"
  | "claimTxHash"
>;

interface SettlementInput {
  row: RequestSubject;
  readTransaction: TransactionReader;
  /** Transactions that may belong to the deposit and may have settled its request. */
  hints?: readonly DepositHint[];
}

/**
 * Reads from the chain what has become of a deposit's request: a list of at most one transition (claimable, completed,
 * refunded or rejected), empty if none is known. In most families, the vault's views show the total of the account's
 * requests, or its last one: `claimable` may then be due to another request, and the end of this one is found only when
 * they show none open, or when a later request of the user claimed it. `shares` of a completed deposit is null if others may have been settled with it. Throws
 * `store_unavailable`, `vault_not_found`, `chain_unsupported` and errors of the RPC nodes.
 */
export async function settlementTransitions(ctx: Context, at: SettlementInput): Promise<Transition[]> {
  const now = await readRequest(ctx, at.row);
  if (now === null) return [];
  const others = await selectOtherRequests(ctx.db, at.row);
  const seen = { ...at, now, others };
  const gone = isRequestGone(now.pending) === true;
  if (!gone && (await isClaimedByNext(seen))) {
    const { ended } = await findSettlement(ctx, seen);
    if (ended !== null) return [ended];
  }
  const { claimableShares, claimableAssets, returnedAssets } = now.pending;
  if ([claimableShares, claimableAssets, returnedAssets].some((amount) => (amount ?? 0n) > 0n)) {
    const event = { kind: "chain", shows: "vault_settled", confirmed: true } as const;
    return [{ event, change: {}, write: "on_change" }];
  }
  if (!gone) return [];
  const { ended, complete } = await findSettlement(ctx, { ...seen, gone });
  if (ended !== null) return [ended];
  // A transaction that refunded the user may be in the blocks that were not searched.
  return now.pending.rejected === true && complete ? [REJECTED_TRANSITION] : [];
}

/** Transition of a deposit whose request the vault rejected: it fails, and the user must be refunded. */
const REJECTED_TRANSITION: Transition = {
  event: { kind: "chain", shows: "vault_rejected", confirmed: true },
  change: { substatus: "NOT_PROCESSABLE_REFUND_NEEDED" },
  write: "on_change",
};

/**
 * Returns true if the transaction of one of the user's other open requests, made later, shows a claim of the user, and
 * the vault shows no more assets as open than the later requests have. The claim may be of another request.
 */
async function isClaimedByNext(at: SettlementInput & Pick<Judged, "now" | "others">): Promise<boolean> {
  const { row, now, others, readTransaction } = at;
  const open = others.filter((other) => isRequested(other) && other.depositTxHash !== row.depositTxHash);
  if (open.length === 0 || row.depositTxHash === null) return false;
  const asked = await readTransaction(row.vaultChainId, row.depositTxHash as Hex);
  const user = getAddress(row.userAddress);
  const { pendingAssets, claimableAssets } = now.pending;
  let claimed = false;
  let later = 0n;
  for (const { depositTxHash, receivedAmount, fromAmount } of open) {
    const { receipt } = await readTransaction(row.vaultChainId, depositTxHash as Hex);
    if (receipt === null || asked.receipt === null || receipt.blockNumber < asked.receipt.blockNumber)
      continue;
    later += BigInt(receivedAmount ?? fromAmount);
    const claim = { user, requestId: row.requestId, logs: receipt.logs };
    claimed ||= now.requests.findClaim(now.vault, claim) !== null;
  }
  return claimed && pendingAssets !== null && pendingAssets + (claimableAssets ?? 0n) <= later;
}

/**
 * Finds the transactions that sent a request's shares, or the first that refunded it with the vault's event of a
 * cancellation; otherwise, if no request is open (`gone`), a part of the shares or the first other refund. Returns the
 * transition as `ended`, or null if none is found. `complete` is false if a later search will read more.
 */
async function findSettlement(
  ctx: Context,
  at: SettlementInput & Pick<Judged, "now" | "others"> & { gone?: true },
): Promise<{ ended: Transition | null; complete: boolean }> {
  const { row, readTransaction, now } = at;
  const client = ctx.chains.client(row.vaultChainId);
  if (client === null || row.depositTxHash === null) return UNSEARCHED;
  const request = await readTransaction(row.vaultChainId, row.depositTxHash as Hex);
  if (request.receipt === null) return UNSEARCHED;
  const found = await findTransfers(ctx, {
    ...{ client, trackingId: row.trackingId },
    tokens: [getAddress(row.shareToken), now.vault.asset.address],
    party: { to: getAddress(row.userAddress) },
    amounts: null,
    from: Number(request.receipt.blockNumber),
    head: now.block.number,
  });
  const asked = { ...at, since: request.receipt.blockNumber };
  const named = [row.claimTxHash, ...hashesOn(row.vaultChainId, at.hints ?? [])];
  const reported = named.flatMap((hash) => (hash === null ? [] : [hash as Hex]));
  const next = found.hashes[MAX_UNPROVING];
  const candidates = [...new Set([...reported, ...found.hashes.slice(0, MAX_UNPROVING)])].filter(
    (hash) => hash !== row.depositTxHash,
  );
  const readLogged = requireReceipts(ctx, {
    ...{ readTransaction, chainId: row.vaultChainId, hashes: found.hashes },
  });
  const claims: Claim[] = [];
  let refund: { transition: Transition; hash: Hex } | null = null;
  for (const hash of candidates) {
    const seen = await readLogged(row.vaultChainId, hash);
    if (!isConfirmed(ctx, { chainId: row.vaultChainId, seen })) continue;
    const mined = minedSince(seen, asked.since);
    if (mined === null) continue;
    const claim = await claimIn({ ...asked, ...mined, hash });
    if (claim !== null) claims.push(claim);
    if (isWhole(row, claims)) return { ended: claimTransition(row, claims), complete: true };
    if (claim !== null) continue;
    const paid = await refundTransition({ ...asked, ...mined, hash });
    // Shares that come after a cancellation are those of another request.
    if (paid !== null && isCancellation({ ...asked, ...mined })) return { ended: paid, complete: true };
    // Any other payment counts only if no transaction shows shares, which end the request whatever else was paid.
    refund ??= paid === null ? null : { transition: paid, hash };
  }
  // One of the transactions that were not read may show shares, or further ones.
  const ended = claims.length > 0 ? claimTransition(row, claims) : (refund?.transition ?? null);
  if (at.gone && ended !== null && next === undefined) return { ended, complete: true };
  const proving = [...claims, ...(refund === null ? [] : [refund])].map(({ hash }) => hash);
  await found.noteSearched({ next, proving });
  return { ended: null, complete: found.complete && next === undefined };
}

const UNSEARCHED = { ended: null, complete: false } as const;

/** A transaction that succeeded, and its receipt. */
interface Mined {
  transaction: Transaction;
  receipt: Receipt;
}

/** Returns a transaction that succeeded in block `since` or a later one; null for any other. */
function minedSince({ transaction, receipt }: TransactionOnChain, since: bigint): Mined | null {
  if (transaction === null || receipt === null || !receipt.succeeded) return null;
  return receipt.blockNumber < since ? null : { transaction, receipt };
}

interface Judged extends Mined {
  row: RequestSubject;
  readTransaction: TransactionReader;
  now: RequestState;
  /** The user's other requests at the vault. */
  others: readonly DepositRow[];
  hash: Hex;
}

/** A transaction that sent a request's shares or a part of them. */
interface Claim extends DepositClaim {
  hash: Hex;
  blockNumber: bigint;
  /** False if it may have sent shares of other requests too. */
  own: boolean;
}

/**
 * Returns the claim of a request that a transaction shows by the vault's own event, or null if it shows none; also null
 * if the vault rejected the request.
 */
async function claimIn(of: Judged): Promise<Claim | null> {
  const { row, now, others, receipt, hash } = of;
  if (now.pending.rejected === true) return null;
  const { requestId } = row;
  const claim = { user: getAddress(row.userAddress), requestId, logs: receipt.logs };
  const seen = now.requests.findClaim(now.vault, claim);
  if (seen === null || seen.shares <= 0n) return null;
  const ownership = await claimOwnership({ row, others, receipt, hash }, of.readTransaction);
  if (ownership === "another's") return null;
  return { ...seen, hash, blockNumber: receipt.blockNumber, own: ownership === "own" };
}

/** Returns by how many assets a request exceeds its claims: 0 or less if they are for all of it. */
function unclaimed(
  { receivedAmount, fromAmount }: Pick<RequestSubject, "receivedAmount" | "fromAmount">,
  claims: readonly Claim[],
): bigint {
  const asked = BigInt(receivedAmount ?? fromAmount);
  return claims.reduce((left, { assets }) => left - (assets ?? asked), asked);
}

/** Returns true if claims are for all of a request's assets, or more. */
const isWhole = (row: RequestSubject, claims: readonly Claim[]): boolean =>
  claims.length > 0 && unclaimed(row, claims) <= 0n;

/**
 * Returns the transition of a deposit whose shares were sent by the given claims. The shares are null if others may
 * have been settled with it: also if several claims together are for more than its assets.
 */
function claimTransition(row: RequestSubject, claims: readonly Claim[]): Transition {
  const alone = claims.length === 1 || unclaimed(row, claims) >= 0n;
  const shares = claims.reduce((sum, claim) => sum + claim.shares, 0n);
  const known = alone && claims.every(({ own }) => own) ? shares.toString() : null;
  const last = claims.reduce((one, other) => (other.blockNumber >= one.blockNumber ? other : one));
  return {
    event: { kind: "chain", shows: "vault_claimed", confirmed: true },
    change: { substatus: null, shares: known, claimTxHash: last.hash },
    write: "on_change",
  };
}

/**
 * Returns the transition of a deposit whose whole amount a transaction paid back, or null if it did not. Anyone may
 * refund a rejected request; for any other, the vault must have paid or cancelled it. Only a cancellation may pay more,
 * for the requests with the same id that it cancelled too.
 */
async function refundTransition(of: Judged): Promise<Transition | null> {
  const { row, now, transaction, receipt, hash } = of;
  const { vault, pending } = now;
  const user = getAddress(row.userAddress);
  const { logs } = receipt;
  const contracts = [vault.entryPoint, vault.address];
  const back = netTransfers(logs, { token: vault.asset.address, account: user }) - takenBack(of);
  const asked = row.receivedAmount ?? row.fromAmount;
  const cancelled = isCancellation(of);
  if (asked === "" || back <= 0n) return null;
  if (back !== BigInt(asked) && !(cancelled && back >= (await askedTogether(of)))) return null;
  const byAnyone = pending.rejected === true && mayRefund(transaction, { user, contracts });
  const byVault =
    cancelled ||
    transfersOf(logs, vault.asset.address).some(
      ({ from, to }) => sameAddress(to, user) && contracts.some((own) => sameAddress(own, from)),
    );
  if (!byAnyone && !byVault) return null;
  return {
    event: { kind: "chain", shows: "refund", confirmed: true },
    change: { substatus: null, refundTxHash: hash, receivedAmount: asked },
    write: "on_change",
  };
}

/** Returns the assets of other requests that a transaction has refunded already. */
const takenBack = ({ row, others, hash }: Judged): bigint =>
  others
    // An equal deposit that shares the transaction stands for the same request.
    .filter((one) => one.refundTxHash === hash && one.depositTxHash !== row.depositTxHash)
    .reduce((sum, one) => sum + BigInt(one.receivedAmount ?? one.fromAmount), 0n);

/**
 * Returns the assets of a request and of the user's other open ones with its id that were made before a receipt. If a
 * cancellation pays less, a part of them was settled, and nothing shows whose.
 */
async function askedTogether(of: Judged): Promise<bigint> {
  const others = of.others.filter(({ requestId }) => requestId === of.row.requestId);
  const before = await openBefore({ ...of, others }, of.readTransaction);
  return [of.row, ...before].reduce((sum, one) => sum + BigInt(one.receivedAmount ?? one.fromAmount), 0n);
}

/** Returns true if the vault's own event shows that a receipt cancelled the request. */
function isCancellation({ row, now, receipt }: Pick<Judged, "row" | "now" | "receipt">): boolean {
  const { requestId, userAddress } = row;
  const seen = { user: getAddress(userAddress), requestId, logs: receipt.logs };
  return now.requests.findCancellation?.(now.vault, seen) === true;
}

/**
 * Returns true if a transaction may have refunded a rejected request: it called one of the vault's `contracts`, or
 * another account than the user sent it.
 */
export function mayRefund(
  { from, to }: Transaction,
  { user, contracts }: { user: string; contracts: readonly string[] },
): boolean {
  return !sameAddress(from, user) || contracts.some((own) => sameAddress(own, to ?? ""));
}
