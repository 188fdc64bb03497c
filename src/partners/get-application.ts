import type { Address } from "viem";
import type { Context } from "../context.ts";
import { selectApplication } from "../db/queries/applications.ts";
import { failure } from "../errors.ts";
import type { Application } from "../schemas/application.ts";
import { toApplication } from "./application-wire.ts";

/** How an address's application stands. Throws `application_not_found`, `store_unavailable`. */
export async function getApplication(ctx: Context, address: Address): Promise<Application> {
  const row = await selectApplication(ctx.db, { address });
  if (row === null) throw failure("application_not_found", `${address} has not applied`);
  return toApplication(row);
}
