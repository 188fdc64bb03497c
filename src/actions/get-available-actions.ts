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
import { missesRequests, readStoredFlows } from "../positions/position-flows.ts";
import { pendingQuery } from "../positions/position-pending-deposits.ts";
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
import { readTimed } from "../vaults/vault-state.ts";
import { firstPaid } from "../withdrawals/withdrawal-order.ts";
import { findAvailableCancellation, findAvailableClaim } from "./find-available-request-actions.ts";
import { findAvailableWithdrawal, mostHeld, type WithdrawalFacts } from "./find-available-withdrawal.ts";
import { POSSIBLE, refused } from "./possible-action.ts";
import type { UserRequests } from "./request-actions.ts";

/**
 * On-chain state from which a user's possible actions at a vault follow. `shares` and `requests` are null if they could
 * not be read.
 */
interface ActionFacts extends WithdrawalFacts, UserRequests {
  deposit: DepositTerms;
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
  const own = { vault, user: of.user, facts, block };
  const [withdraw, claim, cancel] = await Promise.all([
    findAvailableWithdrawal(ctx, own),
    findAvailableClaim(ctx, own),
    findAvailableCancellation(ctx, own),
  ]);
  return {
    ...{ deposit: depositAction(vault, facts.deposit), withdraw, claim, cancel },
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
