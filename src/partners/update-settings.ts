import type { Context } from "../context.ts";
import { updatePartner } from "../db/queries/partners.ts";
import type { Partner, SettingsInput } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";
import { getPartner } from "./get-partner.ts";

/** Changes what the partner says of itself; what the input leaves out stays. Throws `store_unavailable`. */
export async function updateSettings(ctx: Context, input: SettingsInput): Promise<Partner> {
  const { address } = requirePartner(ctx).partner;
  const { contact_email: contactEmail, partner_type: partnerType, ...texts } = input;
  const named = Object.entries({ ...texts, contactEmail, partnerType });
  const change = Object.fromEntries(named.filter(([, value]) => value !== undefined));
  if (Object.keys(change).length > 0) await updatePartner(ctx.db, { address, change });
  return getPartner(ctx, address);
}
