import { getAddress } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow, WithdrawalRow } from "../db/queries/deposit-queries.ts";
import {
  countPartnerDays,
  countPartnerDeposits,
  countPartnerWithdrawals,
  selectPartnerTransactions,
  sumPartnerVolumes,
  sumPartnerWithdrawn,
} from "../db/queries/partner-deposit-queries.ts";
import { isNativeAlias } from "../lib/address.ts";
import { describeError } from "../lib/logger.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import type { Dashboard } from "../schemas/partner-dashboard-schema.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";
import { requirePartner } from "./partner-actor.ts";

/** Maximum number of tokens in a dashboard. Tokens with the most deposits are listed. */
const MAX_TOKENS = 200;
/** Maximum number of days in a dashboard. */
const MAX_DAYS = 366;

/** Figures of a partner without deposits. */
const NO_DEPOSITS = {
  built: 0,
  verified: 0,
  sent: 0,
  pending: 0,
  completed: 0,
  partial: 0,
  refunded: 0,
  failed: 0,
  users: 0,
};

/** Counts of a partner without withdrawals. */
const NO_WITHDRAWALS = {
  ...{ built: 0, sent: 0, pending: 0 },
  ...{ completed: 0, partial: 0, refunded: 0, cancelled: 0, failed: 0 },
};

/**
 * Returns statistics about the orders built with the authenticated partner's API keys since a time, or about all if
 * `since` is null. Repeated orders do not count, nor do continuations that completed a deposit of any partner. Volumes,
 * in the token's smallest unit, are of the 200 tokens with most completed deposits or withdrawals; days are the newest 366. Throws
 * `credentials_required`, `store_unavailable`.
 */
export async function getDashboard(ctx: Context, input: { since: Date | null }): Promise<Dashboard> {
  const { partner } = requirePartner(ctx);
  const span = { address: partner.address, since: input.since };
  const [counted, withdrawals, sums, withdrawn, days, nameOf] = await Promise.all([
    countPartnerDeposits(ctx.db, span),
    countPartnerWithdrawals(ctx.db, span),
    sumPartnerVolumes(ctx.db, { ...span, limit: MAX_TOKENS }),
    sumPartnerWithdrawn(ctx.db, { ...span, limit: MAX_TOKENS }),
    countPartnerDays(ctx.db, { ...span, limit: MAX_DAYS }),
    readTokenNames(ctx),
  ]);
  const { users, ...deposits } = counted ?? NO_DEPOSITS;
  const ended = deposits.completed + deposits.partial + deposits.refunded + deposits.failed;
  return {
    partner_id: partner.partnerId,
    since: input.since?.toISOString() ?? null,
    deposits,
    withdrawals: withdrawals ?? NO_WITHDRAWALS,
    users,
    success_rate: ended === 0 ? null : deposits.completed / ended,
    volumes: sums.map((sum) => withToken(sum, nameOf)),
    withdrawn: withdrawn.map((sum) => withToken(sum, nameOf)),
    days,
  };
}

/** Replaces the token of a sum by its description as the API shows it. */
function withToken<T extends { chainId: number; token: string }>(
  { chainId, token, ...sum }: T,
  nameOf: (chainId: number, address: string) => TokenName,
) {
  const { symbol, decimals } = nameOf(chainId, token);
  return { chain_id: chainId, token_address: getAddress(token), symbol, decimals, ...sum };
}

/** Symbol and decimals of a token. The symbol is empty and `decimals` null if they are unknown. */
export interface TokenName {
  symbol: string;
  decimals: number | null;
}

const UNKNOWN_TOKEN: TokenName = { symbol: "", decimals: null };

/** Returns a vault's share token, whose symbol the registry does not know. */
const shareTokenOf = ({ shareToken, shareDecimals }: Vault) => ({
  address: shareToken,
  symbol: "",
  decimals: shareDecimals,
});

/**
 * Returns a function that looks up the symbol and decimals of the tokens that vaults of the registry accept and of
 * native currencies, and the decimals of their share tokens. All other tokens are unknown. Never throws.
 */
async function readTokenNames(ctx: Context): Promise<(chainId: number, address: string) => TokenName> {
  const names = new Map<string, TokenName>();
  try {
    const { all } = await listRegistry(ctx);
    const shares = all.map((vault) => ({ ...vault, tokens: [shareTokenOf(vault)] }));
    // What a vault accepts may be another one's share token, and has a symbol.
    const accepted = all.map((vault) => ({ ...vault, tokens: [vault.asset, ...vault.acceptedAssets] }));
    for (const { chainId, tokens } of [...shares, ...accepted])
      for (const token of tokens) names.set(`${chainId}:${token.address.toLowerCase()}`, token);
  } catch (error) {
    ctx.log.warn("tokens_unnamed", { error: describeError(error) });
  }
  return (chainId, address) => {
    if (isNativeAlias(address)) return ctx.chains.definitions.get(chainId)?.native ?? UNKNOWN_TOKEN;
    return names.get(`${chainId}:${address.toLowerCase()}`) ?? UNKNOWN_TOKEN;
  };
}

/**
 * Returns one page of the orders built with the authenticated partner's API keys, newest first; of those with the same
 * call and source transaction, one. `before` is the last position of the previous page, or null; a null `direction`
 * selects both. Throws `credentials_required`, `store_unavailable`.
 */
export async function listTransactions(
  ctx: Context,
  page: { limit: number; before: TimePosition | null; direction: "deposit" | "withdrawal" | null },
): Promise<Page<DepositRow | WithdrawalRow>> {
  const { address } = requirePartner(ctx).partner;
  const { before, direction } = page;
  const span = { address, since: null, before, direction };
  const found = await selectPartnerTransactions(ctx.db, { ...span, limit: page.limit + 1 });
  const partsOf = (row: DepositRow | WithdrawalRow) =>
    timeCursorParts({ at: row.createdAt, id: row.trackingId });
  return cutPage(found, { limit: page.limit, partsOf });
}
