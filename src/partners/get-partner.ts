import type { Address } from "viem";
import type { Context } from "../context.ts";
import { selectPartner } from "../db/queries/partners.ts";
import { failure } from "../errors.ts";
import type { Partner } from "../schemas/partner.ts";
import { toPartner } from "./partner-wire.ts";

/** One partner. Throws `partner_not_found`, `store_unavailable`. */
export async function getPartner(ctx: Context, address: Address): Promise<Partner> {
  const row = await selectPartner(ctx.db, address);
  if (row === null) throw failure("partner_not_found", `${address} is no partner`);
  return toPartner(row);
}
