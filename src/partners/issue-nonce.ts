import type { Address } from "viem";
import type { Context } from "../context.ts";
import { selectPartner } from "../db/queries/partners.ts";
import type { Nonce, Purpose } from "../schemas/signing.ts";
import { nonceKey, writeStoredMessage } from "./nonce-record.ts";
import { NONCE_TTL_MS, writeMessage } from "./siwe-message.ts";

/**
 * Makes a message for a wallet to sign and keeps it for ten minutes, for this address and purpose alone.
 * Several may be open at once, so that nobody can close another's by asking.
 * Without a purpose: login for a partner, else registration. Throws `store_unavailable`.
 */
export async function issueNonce(
  ctx: Context,
  input: { address: Address; purpose: Purpose | null; chainId: number },
): Promise<Nonce> {
  const { address, chainId } = input;
  const purpose = input.purpose ?? ((await selectPartner(ctx.db, address)) === null ? "register" : "login");
  const nonce = ctx.randomId();
  const issuedAt = ctx.now();
  const { publicUrl } = ctx.config;
  const message = writeMessage({ publicUrl, purpose, address, chainId, nonce, issuedAt });
  const key = nonceKey({ purpose, address, nonce });
  await ctx.nonces.put(key, writeStoredMessage({ message, chainId, issuedAt }), NONCE_TTL_MS);
  return { nonce, message };
}
