import { zeroAddress } from "viem";
import * as z from "zod";
import { isNativeAlias, sameAddress } from "../lib/address.ts";
import { AddressInput, TrackingIdText } from "./primitive-schemas.ts";
import { SignatureInput } from "./signing-schema.ts";
import { Steps } from "./step-schema.ts";

/** Ways in which a user can let the Router take the payment. */
export const authorizeWays = ["approve", "erc3009", "permit2", "permit", "auto"] as const;
export type AuthorizeWay = (typeof authorizeWays)[number];

/** The way of paying and the sender of a signed order, as fields of a request to build. */
export const authorizeFields = {
  authorize: z
    .enum(authorizeWays)
    .optional()
    .meta({
      description:
        "How the user lets the DepositRouter take the payment. `approve` (the default): an approval transaction; `erc3009`, " +
        "`permit2`, `permit`: a signature of this kind, or 400 `authorization_unsupported` where it does not work; `auto`: " +
        "the first that works of a standing allowance, ERC-3009, ERC-2612, Permit2 where the user has approved it, and an " +
        "approval. With a signature `transaction_request` is `null`: send it to `POST …/{tracking_id}/authorize`.",
      example: "auto",
    }),
  submitter: AddressInput.refine((address) => address !== zeroAddress, "must not be the zero address")
    .optional()
    .meta({
      description:
        "Account that will send the signed order and pay its gas. Default: `user_address`. Another account needs a " +
        "signature by `erc3009` or `permit2`, which `auto` looks for too.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
};

/** The fields of a build by which a submitter is judged. */
interface Submitted {
  user_address: `0x${string}`;
  submitter?: `0x${string}` | undefined;
  authorize?: AuthorizeWay | undefined;
  from_token?: `0x${string}`;
}

/**
 * Returns true if the named submitter can send the order: the user can always, another account only what a signature
 * over the whole order pays for in a token.
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

/** The issue of a build whose submitter cannot send it. */
export const submitterIssue = {
  path: ["submitter"],
  error: "only `user_address` can send an order that is paid by approval, permit or in the native currency",
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

/** Request body that asks for the cancellation of a signed order. */
export const CancelInput = z
  .object({
    signature: SignatureInput.optional().meta({
      description:
        "Signature of the `typed_data` of the `cancel` step, where that step is a signature (ERC-3009); the answer then holds " +
        "the transaction that cancels.",
    }),
  })
  .meta({ id: "CancelInput", description: "Request for the cancellation of a signed order." });

/** Response to a request for a cancellation. */
export const CancelAnswer = z
  .object({ tracking_id: TrackingIdText, steps: Steps })
  .meta({ id: "Cancellation", description: "What the user does to make a signed order unusable." });
