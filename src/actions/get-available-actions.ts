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
import { MAX_UINT256 } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { formatUnixTime } from "../lib/unix-time.ts";
import { missesRequests, readStoredFlows } from "../positions/position-flows.ts";
import { type PendingPosition, pendingQuery } from "../positions/position-pending-deposits.ts";
import {
  openRedemptions,
  toWireDepositRequest,
  toWireRedemption,
} from "../positions/position-redemptions.ts";
import type { VaultAction, VaultActions } from "../schemas/position-schema.ts";
import { adapterOf, explainVaultRevert } from "../vaults/families/vault-families.ts";
import { findVault } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import type { DepositTerms } from "../vaults/vault-adapter.ts";
import { depositEntryForDisplay, pauseReason } from "../vaults/vault-deposit-entry.ts";
import type { PendingExit } from "../vaults/vault-exits.ts";
import { readTimed } from "../vaults/vault-state.ts";
import { firstPaid, mayCancel } from "../withdrawals/withdrawal-order.ts";
import { findAvailableWithdrawal, mostHeld, type WithdrawalFacts } from "./find-available-withdrawal.ts";
import { POSSIBLE, refused } from "./possible-action.ts";

/**
 * On-chain state from which a user's possible actions at a vault follow. `shares` and `requests` are null if they could
 * not be read.
 */
interface ActionFacts extends WithdrawalFacts {
  deposit: DepositTerms;
  requests: readonly PendingExit[] | null;
  deposits: readonly PendingPosition[];
}

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
  const [stored, entry] = await Promise.all([
    readStoredFlows(ctx, { user: of.user, chainIds: [vault.chainId] }),
    depositEntryForDisplay(ctx, vault),
  ]);
  const caller = entry.via === "user" ? of.user : null;
  const open = stored.requests;
  const asked = { user: of.user, caller, open };
  const query = (now: number) => factsQuery(vault, { ...asked, now });
  const { value, block } = await readTimed(ctx, { chainId: vault.chainId, query });
  const isUnknown = value.requests?.length === 0 && missesRequests(vault, stored.unlisted);
  const facts = isUnknown ? { ...value, requests: null } : value;
  return {
    deposit: depositAction(vault, facts.deposit),
    withdraw: await findAvailableWithdrawal(ctx, { vault, user: of.user, facts, block }),
    claim: claimAction(vault, { ...facts, timestamp: block.timestamp }),
    cancel: cancelAction(vault, facts.requests),
    requests: [
      ...(facts.requests ?? []).map((request) => toWireRedemption(vault, { request, open })),
      ...facts.deposits.map((one) => toWireDepositRequest(one, open)),
    ],
  };
}

function factsQuery(
  vault: Vault,
  of: { user: Address; caller: Address | null; open: readonly OpenRequest[]; now: number },
): Query<ActionFacts> {
  const { user, caller, now } = of;
  const adapter = adapterOf(vault);
  const none: Query<null> = { reads: {}, interpret: () => null };
  const whole = 10n ** BigInt(vault.asset.decimals);
  const amount = vault.minDeposit !== null && vault.minDeposit > whole ? vault.minDeposit : whole;
  const balance = createQuery(
    { balance: read({ to: vault.shareToken, abi: erc20Abi, name: "balanceOf", args: [user] }) },
    (results) => valueOrNull(results.balance),
  );
  const withdrawal = andThen(balance, (shares) => withdrawalQuery(vault, { user, shares, now }));
  const parts = queryAll({
    deposit: adapter.terms(vault, { token: vault.asset, amount, caller, receiver: user, now }),
    withdrawal,
    requests: openRedemptions(vault, of) ?? { reads: {}, interpret: () => [] },
    deposits: pendingQuery({ user, vaults: [vault], open: of.open }) ?? none,
    rewards: adapter.exits?.rewards?.(vault) ?? none,
  });
  return mapQuery(parts, ({ deposit, withdrawal: { shares, ways }, requests, deposits, rewards }) => ({
    ...{ deposit, shares, ways, rewards },
    requests,
    deposits: deposits ?? [],
  }));
}

/**
 * Returns the query for the conditions of withdrawing `shares`, the user's balance. If the vault's calls would claim
 * further shares first, those of all that it would hold then are read in one further batch.
 */
function withdrawalQuery(
  vault: Vault,
  { user, shares, now }: { user: Address; shares: bigint | null; now: number },
): Query<Pick<WithdrawalFacts, "shares" | "ways">> {
  const termsOf = (number: bigint) => waysQuery(vault, { user, shares: number, now });
  return andThen(termsOf(shares || 1n), (ways) => {
    const most = mostHeld({ shares, ways });
    const all = most > (shares ?? 0n) ? termsOf(most) : createQuery({}, () => ways);
    return mapQuery(all, (found) => ({ shares, ways: found }));
  });
}

function waysQuery(
  vault: Vault,
  { user, shares, now }: { user: Address; shares: bigint; now: number },
): Query<ActionFacts["ways"]> {
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
      return found === undefined ? [] : [{ mode, terms: found.terms }];
    }),
  );
}

/** Claim or cancellation while the vault's open requests cannot be read. */
const UNREAD = refused({
  code: "simulation_unavailable",
  reason: "the account's requests at this vault could not be read",
});

/** Returns whether a user can deposit now, by the vault's registry entry and the conditions of a small deposit. */
export function depositAction(vault: Vault, terms: DepositTerms): VaultAction {
  const mode =
    terms.async === undefined
      ? depositMode(vault)
      : terms.async
        ? ("request" as const)
        : ("instant" as const);
  if (vault.status !== "active" || terms.paused)
    return refused({ code: "vault_paused", reason: pauseReason(vault), max: "0", mode });
  if (terms.asset === null) {
    const reason = `${vault.name} does not confirm that it accepts ${vault.asset.symbol}`;
    return refused({ code: "upstream_rejected", reason, mode });
  }
  if (terms.refusal)
    return refused({ code: terms.refusal, reason: `${vault.name} rejects deposits of this account`, mode });
  if (terms.maxDeposit === 0n)
    return refused({ code: "above_maximum", reason: `${vault.name} is full`, max: "0", mode });
  const code = terms.previewRevert === null ? null : explainVaultRevert(vault, terms.previewRevert).code;
  if (code !== null) return refused({ code, reason: `${vault.name} does not accept deposits now`, mode });
  const limit = terms.maxDeposit === null || terms.maxDeposit >= MAX_UINT256 / 2n ? null : terms.maxDeposit;
  return { ...POSSIBLE, max: limit?.toString() ?? null, mode };
}

const depositMode = (vault: Vault) =>
  adapterOf(vault).asyncDeposits?.(vault) ? ("request" as const) : ("instant" as const);

/**
 * Returns what a user can claim now: redemptions that are ready, otherwise deposit requests. `max` of a possible claim
 * is their payment, or the assets deposited for the shares, in smallest units; null if unknown, in several tokens or in
 * shares. The code `cooldown` has the earliest known time in `until`. `timestamp`: the block's, in UNIX seconds.
 */
export function claimAction(
  vault: Vault,
  {
    requests,
    deposits,
    timestamp,
  }: Pick<ActionFacts, "requests" | "deposits"> & Pick<BlockTime, "timestamp">,
): VaultAction {
  const known = requests ?? [];
  const ready = known.filter(({ state }) => state === "claimable");
  const mode = (ready[0] ?? known[0])?.mode ?? null;
  if (ready.length > 0) return { ...POSSIBLE, max: paymentOf(ready), mode };
  const settled = deposits.filter(({ claim }) => claim !== null);
  if (settled.length > 0) {
    const back = settled.every(({ claim }) => claim?.paysBack === true);
    const max = sumOf(settled.map((one) => (back ? (one.returnedAssets ?? null) : one.claimableAssets)));
    const reason = back
      ? "the assets of a cancelled deposit request can be claimed back"
      : "the shares of a deposit request are ready";
    return { ...POSSIBLE, max, mode: "request", reason };
  }
  if (requests === null) return UNREAD;
  if (requests.length + deposits.length === 0) return noRequest(vault);
  const pending = requests.filter(({ state }) => state === "pending");
  if (pending.length + deposits.length === 0) {
    const reason = "the vault no longer pays the account's requests";
    return refused({ code: "nothing_to_withdraw", reason, max: "0", mode });
  }
  const times = pending.flatMap(({ earliest }) => earliest ?? []).filter((time) => time > timestamp);
  const waiting = { max: "0", mode: mode ?? "request" } as const;
  if (times.length === 0)
    return refused({
      ...waiting,
      code: "request_pending",
      reason: "the vault has not settled the request yet",
    });
  const until = formatUnixTime(Math.min(...times));
  return refused({ ...waiting, code: "cooldown", reason: "the vault's waiting time is not over", until });
}

/** Returns what claimable requests pay, as a decimal string; null if unknown, in several tokens or in shares. */
function paymentOf(requests: readonly PendingExit[]): string | null {
  const tokens = new Set(requests.map(({ pays, token }) => `${pays}:${token.toLowerCase()}`));
  const isShares = requests.some(({ pays }) => pays === "shares");
  return tokens.size > 1 || isShares ? null : sumOf(requests.map(({ claimableAssets }) => claimableAssets));
}

/** Returns the sum of amounts as a decimal string, or null if one of them is unknown. */
function sumOf(amounts: readonly (bigint | null)[]): string | null {
  const add = (total: bigint | null, own: bigint | null) =>
    total === null || own === null ? null : total + own;
  return amounts.reduce<bigint | null>(add, 0n)?.toString() ?? null;
}

/** Returns the claim or cancellation of an account without open requests. */
function noRequest(vault: Vault): VaultAction {
  if (adapterOf(vault).exits?.pending !== undefined)
    return refused({ code: "nothing_to_withdraw", reason: "the account has no open request", max: "0" });
  const reason = `${vault.name} takes no redemption requests`;
  return refused({ code: "mode_unsupported", reason, max: "0" });
}

function cancelAction(vault: Vault, requests: readonly PendingExit[] | null): VaultAction {
  if (requests === null) return UNREAD;
  const open = requests.filter(({ cancellable }) => cancellable);
  const mode = (open[0] ?? requests[0])?.mode ?? null;
  if (open.length > 0) return { ...POSSIBLE, max: sumOf(open.map(({ shares }) => shares)), mode };
  if (requests.length === 0) return noRequest(vault);
  if (!mayCancel(vault)) {
    const never = `${vault.name} does not allow requests to be cancelled`;
    return refused({ code: "mode_unsupported", reason: never, max: "0", mode });
  }
  const reason = "no request of this account can be cancelled now";
  return refused({ code: "withdrawal_state", reason, max: "0", mode });
}
