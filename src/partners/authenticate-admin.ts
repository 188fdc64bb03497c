import { hexToBytes } from "viem";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { equalDigests, sha256 } from "./digest.ts";

/**
 * Checks the administrator's token against `ADMIN_TOKEN`. Throws `route_not_found` where there is none
 * configured, `credentials_invalid`.
 */
export async function authenticateAdmin(ctx: Context, token: string): Promise<{ kind: "admin" }> {
  const { adminToken } = ctx.config;
  if (adminToken === null) throw failure("route_not_found", "no route has this path");
  const [given, expected] = await Promise.all([sha256(token), sha256(adminToken)]);
  if (equalDigests(hexToBytes(`0x${given}`), hexToBytes(`0x${expected}`))) return { kind: "admin" };
  throw failure("credentials_invalid", "this is not the administrator's token");
}
