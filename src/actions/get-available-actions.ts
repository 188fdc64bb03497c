import { type Address, erc20Abi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import type { OpenRequest } from "../db/queries/user-flow-queries.ts";
import { type PayerFunds, payerFundsQuery } from "../deposits/payer-funds.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import {
  missesRequests,
  NO_STORED_FLOWS,
  readStoredFlows,
  type StoredFlows,
} from "../positions/position-flows.ts";
import { pendingQuery } from "../positions/position-pending-deposits.ts";
import {
  openRedemptions,
  toWireDepositRequest,
  toWireRedemption,
} from "../positions/position-redemptions.ts";
import type { VaultActions } from "../schemas/position-schema.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import { findVault } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { type DepositEntry, depositEntryForDisplay } from "../vaults/vault-deposit-entry.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { readInTurn } from "../vaults/vault-state.ts";
import { firstPaid } from "../withdrawals/withdrawal-order.ts";
import { type DepositFacts, smallDepositQuery } from "./deposit-action.ts";
import { findAvailableDeposit } from "./find-available-deposit.ts";
import { findAvailableCancellation, findAvailableClaim } from "./find-available-request-actions.ts";
import { findAvailableWithdrawal, mostHeld, type WithdrawalFacts } from "./find-available-withdrawal.ts";
import type { UserRequests } from "./request-actions.ts";

/**
 * On-chain state from which a user's possible actions at a vault follow, but for the shares and the conditions of
 * withdrawing them. `requests` are null if they could not be read.
 */
type ActionFacts = Omit<WithdrawalFacts, keyof HeldWays> &
  DepositFacts &
  UserRequests & { funds: PayerFunds };
type HeldWays = Pick<WithdrawalFacts, "shares" | "ways">;

/**
 * Returns what a user can do at a vault now. A possible action has its largest known amount in smallest units (null if
 * unlimited, unknown or, of claims, in several tokens or in shares), an impossible one an error code and, if known, the
 * time at which it may become possible. If the database fails, requests that are found only by its ids are unknown.
 * Throws `vault_not_found`, `chain_unsupported`, `store_unavailable` and errors of the RPC nodes.
 */
export async function getActions(
  ctx: Context,
  of: { user: Address; vaultId: string },
): Promise<VaultActions> {
  const vault = await findVault(ctx, of.vaultId);
  const { user } = of;
  const storing = readStoredFlows(ctx, { user, chainIds: [vault.chainId] });
  const entry = await depositEntryForDisplay(ctx, vault);
  const { requests: open } = asksForIds(vault) ? await storing : NO_STORED_FLOWS;
  const asked = { user, entry, open };
  const { value, block, rest } = await readInTurn(ctx, {
    chainId: vault.chainId,
    first: (now) => factsQuery(vault, { ...asked, now }),
    second: (now) => withdrawalQuery(vault, { user, now }),
  });
  const stored = await storing;
  const isUnknown = value.requests?.length === 0 && missesRequests(vault, stored.unlisted);
  const facts = isUnknown ? { ...value, requests: null } : value;
  const own = { vault, user, block };
  const payer = { funds: value.funds, block, via: entry.via };
  const [deposit, withdraw, asking] = await Promise.all([
    findAvailableDeposit(ctx, { ...own, facts: { ...facts, payer } }),
    rest.then((found) => findAvailableWithdrawal(ctx, { ...own, facts: { ...facts, ...found } })),
    requestActions(ctx, { ...own, facts, stored }),
  ]);
  return {
    ...{ deposit, withdraw, claim: asking.claim, cancel: asking.cancel },
    requests: [
      ...asking.requests.map((request) => toWireRedemption(vault, { request, open: stored.requests })),
      ...facts.deposits.map((one) => toWireDepositRequest(one, stored.requests)),
    ],
  };
}

/** Returns true if the ids of stored requests may be needed to read the vault's requests. */
function asksForIds(vault: Vault): boolean {
  const { asyncDeposits, exits } = adapterOf(vault);
  return exits?.pending !== undefined || (asyncDeposits?.(vault, "anywhere") ?? null) !== null;
}

/** Returns what a user can claim and cancel now, and the open redemption requests, also those that are not indexed yet. */
async function requestActions(
  ctx: Context,
  of: { vault: Vault; user: Address; facts: UserRequests; block: BlockTime; stored: StoredFlows },
): Promise<Pick<VaultActions, "claim" | "cancel"> & { requests: readonly PendingExit[] }> {
  const { vault, facts, stored } = of;
  const client = ctx.chains.client(vault.chainId);
  const indexedTo = stored.flows.get(vault.chainId)?.indexedTo ?? null;
  const shown = facts.requests;
  const { withUnindexedRequests } = await import("../positions/position-request-events.ts");
  const asked = { ...of, shown, open: stored.requests, indexedTo };
  const requests = client === null ? shown : await withUnindexedRequests(client, asked);
  const own = { ...of, facts: { ...facts, requests } };
  const [claim, cancellation] = await Promise.all([
    findAvailableClaim(ctx, own),
    findAvailableCancellation(ctx, own),
  ]);
  return {
    ...{ claim, cancel: cancellation.action },
    // Some vaults show in no view that they no longer take a request back.
    requests: (requests ?? []).map((request) =>
      cancellation.refused.has(request) ? { ...request, cancellable: false } : request,
    ),
  };
}

function factsQuery(
  vault: Vault,
  of: { user: Address; entry: DepositEntry; open: readonly OpenRequest[]; now: number },
): Query<ActionFacts> {
  const { user, entry, now } = of;
  const byUser = entry.via === "user";
  const none: Query<null> = { reads: {}, interpret: () => null };
  const payer = { token: vault.asset.address, user, spender: byUser ? vault.spender : entry.address };
  const parts = queryAll({
    deposit: smallDepositQuery(vault, { caller: byUser ? user : null, receiver: user, now }),
    funds: payerFundsQuery(payer),
    requests: openRedemptions(vault, of) ?? { reads: {}, interpret: () => [] },
    deposits: pendingQuery({ user, vaults: [vault], open: of.open }) ?? none,
    rewards: adapterOf(vault).exits?.rewards?.(vault) ?? none,
  });
  return mapQuery(parts, ({ deposits, ...found }) => ({
    ...found,
    deposits: (deposits ?? []).filter(({ hidden }) => hidden !== true),
  }));
}

/**
 * Returns the query for a user's shares and the conditions of withdrawing all of them. If the vault's calls would claim
 * further shares first, those of all that it would hold then are read in one further batch.
 */
function withdrawalQuery(vault: Vault, { user, now }: { user: Address; now: number }): Query<HeldWays> {
  const balance = createQuery(
    { balance: read({ to: vault.shareToken, abi: erc20Abi, name: "balanceOf", args: [user] }) },
    (results) => valueOrNull(results.balance),
  );
  const termsOf = (number: bigint) => waysQuery(vault, { user, shares: number, now });
  return andThen(balance, (shares) =>
    andThen(termsOf(shares || 1n), (ways) => {
      const most = mostHeld({ shares, ways });
      const all = most > (shares ?? 0n) ? termsOf(most) : createQuery({}, () => ways);
      return mapQuery(all, (found) => ({ shares, ways: found }));
    }),
  );
}

function waysQuery(
  vault: Vault,
  { user, shares, now }: { user: Address; shares: bigint; now: number },
): Query<HeldWays["ways"]> {
  const exits = adapterOf(vault).exits;
  const modes = exits?.modes(vault) ?? [];
  const entries = modes.flatMap((mode) => {
    const [first, ...others] = exits?.tokens(vault, mode) ?? [];
    if (exits === undefined || first === undefined) return [];
    const request = { mode, shares, owner: user, caller: user, receiver: user, now };
    const tokens = [{ token: first }, ...others.map((token) => ({ token }))] as const;
    return [[mode, firstPaid(tokens, (token) => exits.terms(vault, { ...request, token }))] as const];
  });
  return mapQuery(queryAll(Object.fromEntries(entries)), (all) =>
    modes.flatMap((mode) => {
      const found = all[mode];
      return found === undefined ? [] : [{ mode, ...found }];
    }),
  );
}
