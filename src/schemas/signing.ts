import { z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import { AddressInput, ChainIdInput } from "./primitives.ts";

/** A signature that is a contract's business may be long, but it is run on our nodes. Bytes. */
export const MAX_SIGNATURE_BYTES = 8192;

/** A signature: 65 bytes of an account's key, or whatever a smart account understands. */
export const SignatureInput = z
  .string()
  .max(2 + 2 * MAX_SIGNATURE_BYTES, `at most ${MAX_SIGNATURE_BYTES} bytes`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, "must be 0x and hexadecimal digits")
  .transform((text) => text as Hex)
  .openapi({ type: "string", pattern: "^0x(?:[0-9a-fA-F]{2})*$", maxLength: 2 + 2 * MAX_SIGNATURE_BYTES });

/** The chain on which a smart account signs; an account with a key signs for any. */
export const SigningChain = ChainIdInput.default(1).openapi({
  description: "The chain on which a smart account is asked for its signature",
});

/** A signed message, named by its nonce: the message itself is ours. */
export const SignedNonce = z.strictObject({
  address: AddressInput,
  signature: SignatureInput,
  nonce: z.string().min(1).max(128),
});
export type SignedNonce = z.infer<typeof SignedNonce>;

export const signingPurposes = ["register", "login", "apply"] as const;
/** What a signature is good for; one for one thing serves no other. */
export type SigningPurpose = (typeof signingPurposes)[number];

export const Nonce = z.object({ nonce: z.string(), message: z.string() }).openapi("Nonce");
export type Nonce = z.infer<typeof Nonce>;
