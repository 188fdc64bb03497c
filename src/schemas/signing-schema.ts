import type { Hex } from "viem";
import * as z from "zod";
import { AddressInput, ChainIdInput } from "./primitive-schemas.ts";

/** A signature that is a contract's business may be long, but it is run on our nodes. Bytes. */
export const MAX_SIGNATURE_BYTES = 8192;

/** A signature: 65 bytes of an account's key, or whatever a smart account understands. */
export const SignatureInput = z
  .string()
  .max(2 + 2 * MAX_SIGNATURE_BYTES, `at most ${MAX_SIGNATURE_BYTES} bytes`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, "must be 0x and hexadecimal digits")
  .transform((text) => text as Hex)
  .meta({
    type: "string",
    pattern: "^0x(?:[0-9a-fA-F]{2})*$",
    maxLength: 2 + 2 * MAX_SIGNATURE_BYTES,
    description:
      "Signature of the message by `address`: 65 bytes, or what a smart account verifies (ERC-1271, ERC-6492).",
    example:
      "0x0bf5059875921e668a5bdf2c7fc4844592d2572bcd0668d2d6c52f5054e2d0836bf84c7174cb7476364cc3dbd968b0f7172ed85794bb358b0c3b525da1786f9f1c",
  });

/** The chain on which a smart account signs; an account with a key signs for any. */
export const SigningChain = ChainIdInput.default(1).meta({
  description:
    "EIP-155 id of the chain that a smart account verifies its signature on; of no effect for other accounts.",
  example: 1,
});

/** A signed message, named by its nonce: the message itself is ours. */
export const SignedNonce = z.strictObject({
  address: AddressInput.meta({
    description: "Wallet that signed the message.",
    example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  }),
  signature: SignatureInput,
  nonce: z.string().min(1).max(128).meta({
    description: "Nonce of the signed message; works once, within ten minutes.",
    example: "k3J9xQ2mVb7RtYp4",
  }),
});
export type SignedNonce = z.infer<typeof SignedNonce>;

/** The operations that signatures are for. */
export const signingPurposes = ["register", "login", "apply"] as const;
/** What a signature is good for; one for one thing serves no other. */
export type SigningPurpose = (typeof signingPurposes)[number];

/** A nonce, and the message to sign with it. */
export const Nonce = z
  .object({
    nonce: z.string().meta({
      description: "Nonce of the message; works once, within ten minutes.",
      example: "k3J9xQ2mVb7RtYp4",
    }),
    message: z.string().meta({
      description: "EIP-4361 (Sign-In with Ethereum) message, to be signed unchanged with the wallet.",
    }),
  })
  .meta({ id: "Nonce", description: "A nonce, and the message to sign with it." });
export type Nonce = z.infer<typeof Nonce>;
