import type { Context } from "../context.ts";
import { selectApplication, upsertApplication } from "../db/queries/applications.ts";
import type { ApplicationInput, ApplicationReceipt } from "../schemas/application.ts";
import { stepRefusal } from "./application-state.ts";
import { proveAddress } from "./prove-address.ts";

/**
 * Files an application that the wallet signed; a rejected one may be filed again.
 * Throws `nonce_invalid`, `signature_invalid`, `application_exists` while one is pending or approved,
 * `application_revoked`, `store_unavailable`, `simulation_unavailable`.
 */
export async function apply(ctx: Context, input: ApplicationInput): Promise<ApplicationReceipt> {
  const { form, ...signed } = input;
  await proveAddress(ctx, { purpose: "apply", signed });
  const id = `app_${ctx.randomId()}`;
  const { address } = signed;
  const filed = await upsertApplication(ctx.db, { id, address, form, now: new Date(ctx.now()) });
  if (filed !== null) return { application_id: filed.id, status: filed.status };
  const standing = await selectApplication(ctx.db, { address });
  throw stepRefusal("file", standing?.status ?? "pending");
}
