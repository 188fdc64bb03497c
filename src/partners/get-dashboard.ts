import { getAddress } from "viem";
import type { Context } from "../context.ts";
import { countPartnerDeposits, sumPartnerVolumes } from "../db/queries/partners-deposits.ts";
import type { Dashboard } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";
import { readTokenNames } from "./token-names.ts";

/** Tokens that one dashboard lists, those with the most deposits first. */
const MAX_TOKENS = 200;

const NONE = {
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
 * What a partner's keys brought about, from tracked deposits: counts, users, the share that succeeded, and
 * volumes token by token, which are never added up. Throws `store_unavailable`.
 */
export async function getDashboard(ctx: Context, input: { since: Date | null }): Promise<Dashboard> {
  const { partner } = requirePartner(ctx);
  const span = { address: partner.address, since: input.since };
  const [counted, sums, nameOf] = await Promise.all([
    countPartnerDeposits(ctx.db, span),
    sumPartnerVolumes(ctx.db, { ...span, limit: MAX_TOKENS }),
    readTokenNames(ctx),
  ]);
  const { users, ...deposits } = counted ?? NONE;
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
      ...pick(nameOf(chainId, token)),
      ...sum,
    })),
  };
}

const pick = ({ symbol, decimals }: { symbol: string; decimals: number | null }) => ({ symbol, decimals });
