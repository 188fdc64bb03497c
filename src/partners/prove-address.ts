import type { Context } from "../context.ts";
import { type ErrorCode, failure } from "../errors.ts";
import type { Purpose, SignedNonce } from "../schemas/signing.ts";
import { isNonce, nonceKey, readStoredMessage } from "./nonce-record.ts";
import { findMismatches } from "./siwe-message.ts";
import { verifySignature } from "./verify-signature.ts";

/** What a signed nonce can be refused with. */
export const signingErrors: readonly ErrorCode[] = [
  "nonce_invalid",
  "signature_invalid",
  "store_unavailable",
  "simulation_unavailable",
];

/**
 * Spends a nonce, then checks that its message is what we would write and that the address signed it.
 * Whatever comes out, the nonce is gone. Throws `nonce_invalid`, `signature_invalid`, `store_unavailable`,
 * `simulation_unavailable` when a contract's word is needed and no node gives it.
 */
export async function proveAddress(
  ctx: Context,
  input: { purpose: Purpose; signed: SignedNonce },
): Promise<void> {
  const { address, nonce, signature } = input.signed;
  const { purpose } = input;
  const text = isNonce(nonce) ? await ctx.nonces.take(nonceKey({ purpose, address, nonce })) : null;
  const stored = text === null ? null : readStoredMessage(text);
  if (stored === null) {
    throw failure("nonce_invalid", "the nonce is unknown, expired, spent, or another address's or purpose's");
  }
  const { message, chainId, issuedAt } = stored;
  const expected = { publicUrl: ctx.config.publicUrl, purpose, address, chainId, nonce, issuedAt };
  const mismatches = findMismatches(message, { expected, now: ctx.now() });
  if (mismatches.length > 0) {
    ctx.log.warn("sign_in_message_refused", { purpose, mismatches: mismatches.join(" ") });
    throw failure("nonce_invalid", "the nonce's message is not for this deployment or no longer valid");
  }
  if (!(await verifySignature(ctx, { address, message, signature, chainId }))) {
    throw failure("signature_invalid", "the signature is not this address's for this nonce's message");
  }
}
