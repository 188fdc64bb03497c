import { getAddress } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import {
  countPartnerDeposits,
  selectPartnerDeposits,
  sumPartnerVolumes,
} from "../db/queries/partner-deposit-queries.ts";
import { isNativeAlias } from "../lib/address.ts";
import { describeError } from "../lib/logger.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import type { Dashboard } from "../schemas/partner-schema.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import { requirePartner } from "./request-actor.ts";

/** The most tokens that a dashboard lists, by number of deposits. */
const MAX_TOKENS = 200;

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

/**
 * Reads the figures of the deposits built with a partner's keys: counts by state, users, success rate, and volumes by
 * token, in smallest units. Throws `credentials_required`, `store_unavailable`.
 */
export async function getDashboard(ctx: Context, input: { since: Date | null }): Promise<Dashboard> {
  const { partner } = requirePartner(ctx);
  const span = { address: partner.address, since: input.since };
  const [counted, sums, nameOf] = await Promise.all([
    countPartnerDeposits(ctx.db, span),
    sumPartnerVolumes(ctx.db, { ...span, limit: MAX_TOKENS }),
    readTokenNames(ctx),
  ]);
  const { users, ...deposits } = counted ?? NO_DEPOSITS;
  const ended = deposits.completed + deposits.partial + deposits.refunded + deposits.failed;
  return {
    partner_id: partner.partnerId,
    since: input.since?.toISOString() ?? null,
    deposits,
    users,
    success_rate: ended === 0 ? null : deposits.completed / ended,
    volumes: sums.map(({ chainId, token, ...sum }) => ({
      chain_id: chainId,
      token_address: getAddress(token),
      ...pickTokenName(nameOf(chainId, token)),
      ...sum,
    })),
  };
}

const pickTokenName = ({ symbol, decimals }: { symbol: string; decimals: number | null }) => ({
  symbol,
  decimals,
});

/** Symbol and decimals of a token; an unknown token has an empty symbol and null decimals. */
export interface TokenName {
  symbol: string;
  decimals: number | null;
}

const UNKNOWN_TOKEN: TokenName = { symbol: "", decimals: null };

/**
 * Returns a lookup of token names for the assets of listed vaults and the chains' native tokens. Other tokens are unknown,
 * as are all while the registry cannot be read. Never throws.
 */
async function readTokenNames(ctx: Context): Promise<(chainId: number, address: string) => TokenName> {
  const names = new Map<string, TokenName>();
  try {
    for (const vault of (await listRegistry(ctx)).all) {
      for (const token of [vault.asset, ...vault.acceptedAssets])
        names.set(`${vault.chainId}:${token.address.toLowerCase()}`, token);
    }
  } catch (error) {
    ctx.log.warn("tokens_unnamed", { error: describeError(error) });
  }
  return (chainId, address) => {
    if (isNativeAlias(address)) return ctx.chains.definitions.get(chainId)?.native ?? UNKNOWN_TOKEN;
    return names.get(`${chainId}:${address.toLowerCase()}`) ?? UNKNOWN_TOKEN;
  };
}

/** Lists the deposits built with the partner's keys, newest first, after the position `before`. Throws `store_unavailable`. */
export async function listTransactions(
  ctx: Context,
  page: { limit: number; before: TimePosition | null },
): Promise<Page<DepositRow>> {
  const { address } = requirePartner(ctx).partner;
  const span = { address, since: null, before: page.before };
  const found = await selectPartnerDeposits(ctx.db, { ...span, limit: page.limit + 1 });
  const partsOf = (row: DepositRow) => timeCursorParts({ at: row.createdAt, id: row.trackingId });
  return cutPage(found, { limit: page.limit, partsOf });
}
