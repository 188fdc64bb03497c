import { getAddress, type Hex, zeroAddress } from "viem";
import type { Receipt, TransactionOnChain } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import type { WithdrawalChange, WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { selectEqualRedemptions, selectOtherRedemptions } from "../../db/queries/withdrawal-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { ExitRequestSeen } from "../../vaults/vault-exits.ts";
import { contractsOfEntry } from "../../vaults/vault-params.ts";
import { transfersOf } from "../deposits/deposit-proofs.ts";
import { isConfirmed } from "../deposits/deposit-transaction-reader.ts";
import { failureReason } from "../deposits/track-deposit-failure.ts";
import { findVaultOfDeposit } from "../deposits/track-deposit-request.ts";
import {
  callsOf,
  isEarlierSource,
  isSourceTransaction,
  matchesSource,
} from "../deposits/track-deposit-source.ts";
import { holdsSource, leaveToEarlierRow } from "../track-equal-orders.ts";
import {
  type DisputedExit,
  type EqualCalls,
  type ExitPayment,
  findDirectExit,
  findDisputedExit,
  findRouterExit,
  findUnpaidShares,
} from "./withdrawal-proofs.ts";
import { isOpenRequest, type OnchainWithdrawalEvent } from "./withdrawal-state-machine.ts";
import type { WithdrawalTransition } from "./withdrawal-transitions.ts";

/**
 * Returns true if a transaction can still become the first one of a withdrawal: none is proven yet, or the proven one
 * reverted. A failed withdrawal that had an open request is not open, nor one whose vault took the shares for nothing:
 * another transaction in its place would hide that loss.
 */
export function isExitSourceOpen(row: WithdrawalRow): boolean {
  if (!row.sourceProven) return true;
  const reverted = row.state === "failed" && row.shares === null;
  return reverted && !row.history.some(({ state }) => isOpenRequest(state));
}

interface ExitCandidate {
  row: WithdrawalRow;
  hash: Hex;
  seen: TransactionOnChain;
  /** Receives the transaction if it is left to another withdrawal with the same call for now. */
  leave?: ((hash: Hex) => unknown) | undefined;
}

/**
 * Returns the transitions of a withdrawal that a transaction shows as its first one: pending, reverted (if confirmed),
 * or a redemption, request or cooldown. Empty otherwise, and if it counts for an equal row. Throws `store_unavailable`,
 * `vault_not_found` and errors of the RPC nodes.
 */
export async function exitSourceTransitions(
  ctx: Context,
  candidate: ExitCandidate,
): Promise<WithdrawalTransition[]> {
  const { row, hash, seen, leave } = candidate;
  const { transaction, receipt } = seen;
  const carries = matchesSource(row, seen);
  if (receipt === null) {
    // A pending transaction proves nothing, because another transaction may replace it.
    const change = { sourceTxHash: hash, substatus: null };
    return carries ? [{ event: { kind: "source_pending" }, change, write: "on_change" }] : [];
  }
  const confirmed = isConfirmed(ctx, { chainId: row.fromChainId, seen });
  if (!receipt.succeeded)
    return carries && (await holdsSource(ctx, { row, hash, receipt, leave }))
      ? revertTransitions(ctx, { ...candidate, confirmed })
      : [];
  const vault = await findVaultOfDeposit(ctx, row);
  const routed = findRouterExit(receipt, { row, vault });
  const at = { row, hash, confirmed };
  if (routed !== null) return [paidTransition(at, routed)];
  const disputed = findDisputedExit(receipt, row);
  if (disputed !== null) return [disputedTransition(at, disputed)];
  if (!carries) {
    if (confirmed && isEarlierSource(row, seen)) await leaveToEarlierRow(ctx, { row, hash, receipt, leave });
    return [];
  }
  // Without the Router's event, what transfers show may be a rest that a swap left over.
  if (sameAddress(row.sourceTo, depositRouterAddress)) return [];
  const batched = transaction !== null && !isSourceTransaction(row, transaction);
  const calls = batched ? callsOf(row, transaction) : 1;
  if (!(await holdsSource(ctx, { row, hash, receipt, calls, leave }))) return [];
  const equal = calls > 1 ? await selectEqualRedemptions(ctx.db, { row, hash }) : [];
  const others = batched ? await selectOtherRedemptions(ctx.db, row, { anyId: true }) : [];
  const together = [...others.filter(({ sourceTxHash }) => sourceTxHash === hash), ...equal];
  const taken = together.map(({ requestId }) => requestId);
  // Rows with the same call that continue otherwise may stand for the same request.
  const isSameCall = (one: WithdrawalRow) =>
    one.sourceTo === row.sourceTo && one.sourceDataHash === row.sourceDataHash;
  const held = [...together.filter((one) => !isSameCall(one)), ...equal].map(({ requestId }) => requestId);
  const shown = ownTransitions(vault, { ...at, receipt, batched, taken, held, calls, equal });
  if (calls === 1) return shown;
  return shown.map((one) => ({ ...one, besides: equal.map(({ trackingId }) => trackingId) }));
}

interface SeenSource {
  row: WithdrawalRow;
  hash: Hex;
  confirmed: boolean;
}

/** A call of the user's own, and the ids of the requests that other withdrawals have in its transaction (`taken`). */
interface OwnSource extends SeenSource, EqualCalls {
  receipt: Receipt;
  batched: boolean;
  taken: readonly (string | null)[];
  /** Those of them that other calls have made. */
  held: readonly (string | null)[];
}

/** Maximum number of a vault's logs that are searched for further requests of a batch. */
const MAX_LOGS = 100;

/**
 * Returns what `find` finds in a receipt's logs: the first request of the user, and those that it finds in the vault's
 * logs without the ones before. Some may be repeated.
 */
function requestsInBatch(
  { logs }: Receipt,
  { vault, find }: { vault: Vault; find: (logs: Receipt["logs"]) => ExitRequestSeen | null },
): ExitRequestSeen[] {
  const first = find(logs);
  if (first === null) return [];
  const emitters = contractsOfEntry(vault);
  const own = logs.filter(({ address }) => emitters.includes(address.toLowerCase()));
  return [first, ...own.slice(0, MAX_LOGS).flatMap((_, at) => find(own.slice(at + 1)) ?? [])];
}

/**
 * Returns the request that a withdrawal has made, or null. Of several in one batch that are for its shares, it is one in
 * its token and, if possible, with an id that no other withdrawal has, or at least none that is another call.
 */
function requestOf(vault: Vault, { row, receipt, batched, taken, held }: OwnSource): ExitRequestSeen | null {
  const user = getAddress(row.userAddress);
  const { exits } = adapterOf(vault);
  const find = (logs: Receipt["logs"]) => exits?.findRequest?.(vault, { user, logs }) ?? null;
  if (!batched) return find(receipt.logs);
  const found = requestsInBatch(receipt, { vault, find });
  const keepsShares = exits?.keepsShares === true;
  // Without the logs before it, a further one may have unknown shares.
  const fitting = found.filter(
    (request, at) =>
      (at === 0 || request.shares !== null) && isRequestOf(row, { request, batched, receipt, keepsShares }),
  );
  const rankOf = ({ token, requestId }: ExitRequestSeen): number =>
    (token === undefined || sameAddress(token, row.exitToken) ? 4 : 0) +
    (held.includes(requestId) ? 0 : 2) +
    (taken.includes(requestId) ? 0 : 1);
  const most = Math.max(...fitting.map(rankOf));
  return fitting.find((request) => rankOf(request) === most) ?? null;
}

/** Returns the transitions of a redemption or request that the user made directly at the vault. */
function ownTransitions(vault: Vault, at: OwnSource): WithdrawalTransition[] {
  const { row, receipt, batched, calls, equal, held } = at;
  const { exits } = adapterOf(vault);
  const seen = findDirectExit(receipt, { row, vault, batched, calls, equal });
  const isOwn = seen === null || !batched || tookShares(row, { receipt, shares: seen.shares, equal });
  const paid = isOwn ? seen : null;
  // Other vaults pay an earlier request in the transaction of the next one.
  const part = exits?.redeemQueues === true ? paid : null;
  const request = requestOf(vault, at);
  // Requests that a vault adds up under one id are not told apart.
  if (request !== null && equal.length > 0 && held.includes(request.requestId)) return [];
  if (request !== null) return [requestTransition(at, { request, paid: part })];
  if (paid !== null) return [paidTransition(at, paid)];
  const shares = batched || row.mode !== "instant" ? null : findUnpaidShares(receipt, { row, vault });
  if (shares === null) return [];
  const change = { shares: shares.toString(), substatus: "UNKNOWN_ERROR" } as const;
  return [sourceTransition(at, { shows: "nothing_paid", change })];
}

/**
 * Returns true if shares left the user in a receipt: exactly the built ones if the vault's event shows none; as many as
 * it shows, besides those of each of the `equal` ones. Anyone can claim an earlier request for the user in a batch that
 * contains the built calldata, but cannot take shares of the user.
 */
function tookShares(
  { shareToken, userAddress, estimatedShares }: WithdrawalRow,
  { receipt, shares, equal }: Pick<EqualCalls, "equal"> & { receipt: Receipt; shares: bigint | null },
): boolean {
  const sent = transfersOf(receipt.logs, shareToken).filter(({ from }) => sameAddress(from, userAddress));
  const exact = shares ?? BigInt(estimatedShares);
  if (equal.length > 0) return sent.filter(({ value }) => value === exact).length > equal.length;
  return sent.some(({ value }) => (shares === null ? value === exact : value > 0n));
}

/**
 * Returns true if a request belongs to a withdrawal. In a batch, it must be for the built number of shares, less a fee
 * if the vault moved one, and the shares must not come from another account: some vaults let anyone make a request with
 * their own shares for the user. If any shares move, some of them are the user's, except if a request moves none
 * (`keepsShares`).
 */
function isRequestOf(
  { fromAmount, shareToken, userAddress }: WithdrawalRow,
  of: { request: ExitRequestSeen; batched: boolean; receipt: Receipt; keepsShares: boolean },
): boolean {
  const { request, batched, receipt, keepsShares } = of;
  const { shares } = request;
  if (!batched || shares === null) return true;
  const asked = BigInt(fromAmount);
  const fee = asked - shares;
  if (shares === 0n || (asked !== 0n && fee < 0n)) return false;
  const transfers = transfersOf(receipt.logs, shareToken).filter(({ value }) => value > 0n);
  // The event may name the shares before a fee, which moves apart, so that no transfer is of as many. Mints are others'.
  const moved = transfers.filter(({ from }) => !sameAddress(from, zeroAddress));
  if (!keepsShares && moved.length > 0 && !moved.some(({ from }) => sameAddress(from, userAddress)))
    return false;
  const movedBy = (amount: bigint) => transfers.filter(({ value }) => value === amount);
  const isUsers = (amount: bigint) => movedBy(amount).some(({ from }) => sameAddress(from, userAddress));
  if (movedBy(shares).length > 0 && !isUsers(shares)) return false;
  return asked === 0n || fee === 0n || (isUsers(asked) && movedBy(fee).length > 0);
}

function requestTransition(
  at: SeenSource,
  { request, paid }: { request: ExitRequestSeen; paid: ExitPayment | null },
): WithdrawalTransition {
  const shows = at.row.mode === "cooldown" ? "cooldown_started" : "request_made";
  return sourceTransition(at, {
    shows,
    change: {
      requestId: request.requestId,
      shares: request.shares?.toString() ?? null,
      assets: paid?.amount.toString() ?? null,
    },
  });
}

const SHOWN: Readonly<Record<ExitPayment["reached"], OnchainWithdrawalEvent>> = {
  asked: "token_paid",
  asset: "assets_paid",
  bridge: "transfer_sent",
};

function paidTransition(at: SeenSource, paid: ExitPayment): WithdrawalTransition {
  const change: WithdrawalChange = {
    shares: paid.shares?.toString() ?? null,
    assets: paid.assets?.toString() ?? null,
    deliveredAmount: paid.reached === "asked" ? paid.amount.toString() : null,
  };
  return sourceTransition(at, { shows: SHOWN[paid.reached], change });
}

/**
 * Returns the transition of an order for which the Router took the shares, but the paid token's transfers show less than
 * its minimum. A part counts if it is of the vault's token; what a swap paid too little of is unknown.
 */
function disputedTransition(at: SeenSource, { shares: taken, assets }: DisputedExit): WithdrawalTransition {
  const shares = taken.toString();
  if (assets !== null && assets > 0n)
    return sourceTransition(at, { shows: "partly_paid", change: { shares, assets: assets.toString() } });
  return sourceTransition(at, { shows: "nothing_paid", change: { shares, substatus: "UNKNOWN_ERROR" } });
}

/** Returns the transition for the first transaction. Once confirmed, the transaction is marked as proven. */
function sourceTransition(
  { hash, confirmed }: SeenSource,
  { shows, change }: { shows: OnchainWithdrawalEvent; change: WithdrawalChange },
): WithdrawalTransition {
  const seen = { sourceTxHash: hash, substatus: null };
  const event = { kind: "chain", shows, confirmed } as const;
  // Positions find some requests only by their id. The vault says whether it is open, so an early id does no harm.
  if (!confirmed) {
    const { requestId } = change;
    const named = requestId === undefined ? seen : { ...seen, requestId };
    return { event, change: named, write: "on_change" };
  }
  return { event, change: { ...seen, ...change, sourceProven: true }, write: "on_change" };
}

async function revertTransitions(
  ctx: Context,
  { row, hash, seen, confirmed }: ExitCandidate & { confirmed: boolean },
): Promise<WithdrawalTransition[]> {
  const { transaction, receipt } = seen;
  const client = ctx.chains.client(row.fromChainId);
  if (!confirmed || client === null || transaction === null || receipt === null) return [];
  const substatus = await failureReason(client, { transaction, receipt });
  const event = { kind: "chain", shows: "source_reverted", confirmed } as const;
  const change = { sourceTxHash: hash, sourceProven: true, substatus };
  return [{ event, change, write: "on_change" }];
}
