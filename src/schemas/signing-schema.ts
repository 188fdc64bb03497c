import type { Hex } from "viem";
import * as z from "zod";
import { isNativeAlias, sameAddress } from "../lib/address.ts";
import { AddressInput, ChainIdInput, TrackingIdText, UserInput } from "./primitive-schemas.ts";
import { Steps } from "./step-schema.ts";

/**
 * Maximum length of a signature, in bytes. Smart accounts need long signatures, but nodes have to execute their
 * verification, so the length is limited.
 */
export const MAX_SIGNATURE_BYTES = 8192;

/**
 * A signature in a request, at most 8,192 bytes, made with an account's private key, or the bytes that a smart account
 * accepts (ERC-1271, ERC-6492).
 */
export const SignatureInput = z
  .string()
  .max(2 + 2 * MAX_SIGNATURE_BYTES, `must have at most ${MAX_SIGNATURE_BYTES} bytes`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, "must be 0x and hexadecimal digits")
  .transform((text) => text as Hex)
  .meta({
    type: "string",
    pattern: "^0x(?:[0-9a-fA-F]{2})*$",
    maxLength: 2 + 2 * MAX_SIGNATURE_BYTES,
    description:
      "Signature of the message by `address`: 65 bytes, or bytes that a smart account accepts (ERC-1271, ERC-6492).",
    example:
      "0x0bf5059875921e668a5bdf2c7fc4844592d2572bcd0668d2d6c52f5054e2d0836bf84c7174cb7476364cc3dbd968b0f7172ed85794bb358b0c3b525da1786f9f1c",
  });

/**
 * Chain that the message names and on which a smart account's signature (ERC-1271) is verified, by default Ethereum
 * (1). A signature of an externally owned account is verified without a chain.
 */
export const SigningChain = ChainIdInput.default(1).meta({
  description:
    "EIP-155 id of the chain on which a smart account verifies its signature. It has no effect for other accounts.",
  example: 1,
});

/**
 * A wallet's address, the nonce of a sign-in message, and the wallet's signature of that message, which is not sent.
 */
export const SignedNonce = z.object({
  address: AddressInput.meta({
    description: "Wallet that signed the message.",
    example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  }),
  signature: SignatureInput,
  nonce: z.string().min(1).max(128).meta({
    description: "Nonce of the signed message. It can be used once, within ten minutes.",
    example: "k3J9xQ2mVb7RtYp4",
  }),
});
export type SignedNonce = z.infer<typeof SignedNonce>;

/**
 * Operations of a partner that a wallet authorizes by signing a sign-in message: registering as a partner, signing in,
 * and applying to become a partner.
 */
export const signingPurposes = ["register", "login", "apply"] as const;
/** The operation that a wallet signature authorizes. A signature is valid for one operation only. */
export type SigningPurpose = (typeof signingPurposes)[number];

/** Response with a nonce and the sign-in message that contains it, for the wallet to sign. */
export const Nonce = z
  .object({
    nonce: z.string().meta({
      description: "Nonce of the message. It can be used once, within ten minutes.",
      example: "k3J9xQ2mVb7RtYp4",
    }),
    message: z.string().meta({
      description: "Sign-In with Ethereum message (EIP-4361), which the wallet must sign unchanged.",
    }),
  })
  .meta({ id: "Nonce", description: "A nonce, and the message that contains it and must be signed." });
export type Nonce = z.infer<typeof Nonce>;

/** Values of the request field `authorize`: the ways to authorize a payment, which `authorizeFields` describes. */
export const authorizeWays = ["approve", "erc3009", "permit2", "permit", "auto"] as const;
export type AuthorizeWay = (typeof authorizeWays)[number];

/** Fields of a build request that say how the payment is authorized, and which account will submit a signed order. */
export const authorizeFields = {
  authorize: z
    .enum(authorizeWays)
    .optional()
    .meta({
      description:
        "How the user authorizes the DepositRouter to take the payment. `approve` (the default): an approval transaction; `erc3009`, " +
        "`permit2`, `permit`: a signature of this kind, or 400 `authorization_unsupported` where it does not work; `auto`: " +
        "the first that works of a standing allowance, ERC-3009, ERC-2612, Permit2 where the user has approved it, and an " +
        "approval. With a signature `transaction_request` is `null`: send it to `POST …/{tracking_id}/authorize`.",
      example: "auto",
    }),
  submitter: UserInput.optional().meta({
    description:
      "Account that will send the signed order and pay its gas. Default: `user_address`. Another account needs a " +
      "signature by `erc3009` or `permit2`, both of which `auto` considers.",
    example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  }),
};

/** Fields of a build request that decide whether the named submitter can send the order. */
interface Submitted {
  user_address: `0x${string}`;
  submitter?: `0x${string}` | undefined;
  authorize?: AuthorizeWay | undefined;
  from_token?: `0x${string}`;
}

/**
 * Returns true if the named submitter can send the order: the user, or another account unless the payment is by an
 * approval, by a permit or in the native currency.
 */
export function canSubmit({
  user_address: user,
  submitter,
  authorize = "approve",
  from_token,
}: Submitted): boolean {
  if (submitter === undefined || sameAddress(submitter, user)) return true;
  if (from_token !== undefined && isNativeAlias(from_token)) return false;
  return authorize !== "approve" && authorize !== "permit";
}

/** Validation issue of a build request whose submitter cannot send the order. */
export const submitterIssue = {
  path: ["submitter"],
  error:
    "only `user_address` can send an order that is paid by approval, permit or in the native currency: leave it out, or pay a token by `authorize` erc3009 or permit2",
};

/** Request body with the user's signature of a built order. */
export const AuthorizeInput = z
  .object({
    signature: SignatureInput.meta({
      description:
        "Signature of the `typed_data` of the order's `signature` step: 65 bytes, or bytes that a contract account accepts " +
        "(ERC-1271).",
    }),
  })
  .meta({ id: "AuthorizeInput", description: "The user's signature of a built order." });

/**
 * Request body for the cancellation of a signed order. An ERC-3009 order needs two requests: the first returns the
 * message to sign, the second takes its signature.
 */
export const CancelInput = z
  .object({
    signature: SignatureInput.optional().meta({
      description:
        "Signature of the `typed_data` of the `cancel` step, where that step is a signature (ERC-3009); the response then contains the cancelling transaction.",
    }),
  })
  .meta({
    id: "CancelInput",
    description: "Request for the cancellation of a signed order. The first one is `{}`.",
  });

/** Response to the cancellation of a signed order. */
export const CancelAnswer = z
  .object({ tracking_id: TrackingIdText, steps: Steps })
  .meta({ id: "Cancellation", description: "The user's step that invalidates a signed order." });
