import { getAddress } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { selectPartnerDeposits } from "../db/queries/partners-deposits.ts";
import { toWireDeposit } from "../deposits/deposit-wire.ts";
import { cutPage, type Page, type TimePosition, timeParts } from "../lib/page.ts";
import type { PartnerTransaction } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";

/** The deposits that the partner's keys built, newest first; `before` is the last of the page before. Throws `store_unavailable`. */
export async function listTransactions(
  ctx: Context,
  page: { limit: number; before: TimePosition | null },
): Promise<Page<PartnerTransaction>> {
  const { address } = requirePartner(ctx).partner;
  const span = { address, since: null, before: page.before };
  const found = await selectPartnerDeposits(ctx.db, { ...span, limit: page.limit + 1 });
  const partsOf = (row: DepositRow) => timeParts({ at: row.createdAt, id: row.trackingId });
  const { rows, next } = cutPage(found, { limit: page.limit, partsOf });
  const transactions = rows.map((row) => ({
    ...toWireDeposit(row, ctx.now()),
    verified: row.partnerVerified,
    referrer: getAddress(row.referrer),
    referrer_handle: row.referrerHandle,
  }));
  return { rows: transactions, next };
}
