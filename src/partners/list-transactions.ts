import { getAddress } from "viem";
import type { Context } from "../context.ts";
import { selectPartnerDeposits } from "../db/queries/partners-deposits.ts";
import { toWireDeposit } from "../deposits/deposit-wire.ts";
import type { PartnerTransaction } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";
import { cutPage, readTimeCursor } from "./time-cursor.ts";

/** The deposits that the partner's keys built, newest first. Throws `store_unavailable`. */
export async function listTransactions(
  ctx: Context,
  page: { limit: number; cursor: string | null },
): Promise<{ rows: PartnerTransaction[]; next: string | null }> {
  const { address } = requirePartner(ctx).partner;
  const before = readTimeCursor(page.cursor);
  const found = await selectPartnerDeposits(ctx.db, { address, since: null, limit: page.limit + 1, before });
  const position = (row: (typeof found)[number]) => ({ at: row.createdAt, id: row.trackingId });
  const { rows, next } = cutPage(found, { limit: page.limit, position });
  const transactions = rows.map((row) => ({
    ...toWireDeposit(row, ctx.now()),
    verified: row.partnerVerified,
    referrer: getAddress(row.referrer),
    referrer_handle: row.referrerHandle,
  }));
  return { rows: transactions, next };
}
