import { type Address, getAddress, type Hex, hashTypedData, hexToBigInt } from "viem";
import * as z from "zod";
import { decodeRouterCall, type RouterCall } from "../../router/router-codec.ts";
import {
  type AuthorizationKind,
  encodeSignedCall,
  hashOrder,
  toAuthorizationMessage,
  toPermit2Message,
  toPermitMessage,
} from "../../router/router-signature-messages.ts";
import type { AuthorizationFacts } from "./authorization-facts.ts";

const HexText = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as Hex);
const AddressValue = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text): Address => getAddress(text));

/** The data that is stored about the signature for which a built order waits. The signature itself is never stored. */
export const PlannedAuthorization = z.object({
  kind: z.enum(["erc3009", "permit2", "permit"]),
  chainId: z.int(),
  /** The user who signs and pays. */
  owner: AddressValue,
  /** The account that is expected to send the order. */
  submitter: AddressValue,
  /** Calldata of `DepositRouter.execute` with the order, its steps and its sweep list. */
  data: HexText,
  /** EIP-712 domain of the token that verifies the signature, or null for Permit2. */
  domain: z
    .object({
      name: z.string().exactOptional(),
      version: z.string().exactOptional(),
      chainId: z.int(),
      verifyingContract: AddressValue,
    })
    .nullable(),
  /** The owner's next ERC-2612 nonce when the order was built, or null for a kind other than `permit`. */
  permitNonce: z.string().nullable(),
});
export type PlannedAuthorization = z.infer<typeof PlannedAuthorization>;

/**
 * Creates the record of the signature that an order waits for. `data` is the calldata of `DepositRouter.execute`.
 * Throws a TypeError if `facts` lack the domain or nonce that the kind needs.
 */
export function planAuthorization(
  of: Pick<PlannedAuthorization, "chainId" | "owner" | "submitter" | "data"> & {
    kind: AuthorizationKind;
    facts: AuthorizationFacts;
  },
): PlannedAuthorization {
  const { facts, ...planned } = of;
  if (of.kind === "permit2") return { ...planned, domain: null, permitNonce: null };
  const { token, permitNonce } = facts;
  if (token === null) throw new TypeError("the token's domain is not confirmed");
  if (of.kind === "erc3009") return { ...planned, domain: token.domain, permitNonce: null };
  if (permitNonce === null) throw new TypeError("the token has no permit nonce");
  return { ...planned, domain: token.domain, permitNonce: permitNonce.toString() };
}

/**
 * Decodes the Router order that a signature pays for, with its steps and sweep list. Throws an Error if `data` is not
 * calldata of `DepositRouter.execute`.
 */
export const orderOf = ({ data }: Pick<PlannedAuthorization, "data">): RouterCall => decodeRouterCall(data);

/**
 * Returns the nonce with which ERC-3009 and Permit2 bind a signature to the order: the order's EIP-712 digest in the
 * Router's domain. An ERC-2612 permit has the token's own nonce instead.
 */
export const orderNonce = (planned: PlannedAuthorization): Hex =>
  hashOrder(orderOf(planned), planned.chainId);

/** Returns the EIP-712 message that the owner signs. */
function toMessage(planned: PlannedAuthorization) {
  const { kind, chainId, owner, domain, permitNonce } = planned;
  const call = orderOf(planned);
  if (kind === "permit2") return toPermit2Message(call, chainId);
  if (domain === null) throw new TypeError("a token's signature needs its domain");
  if (kind === "erc3009") return toAuthorizationMessage(call, { owner, domain });
  return toPermitMessage(call, { owner, domain, nonce: BigInt(permitNonce ?? "0") });
}

/**
 * Returns the EIP-712 digest that the owner signs. It is the digest of the token's or Permit2's message, not of the
 * Router order.
 */
export const digestOf = (planned: PlannedAuthorization): Hex =>
  hashTypedData(toMessage(planned) as Parameters<typeof hashTypedData>[0]);

/** Name and type of each field of an EIP-712 domain, in the order of the type. Source: EIP-712. */
const DOMAIN_FIELDS = [
  ["name", "string"],
  ["version", "string"],
  ["chainId", "uint256"],
  ["verifyingContract", "address"],
] as const;

/** An EIP-712 message as JSON, for `eth_signTypedData_v4`. */
export type TypedData = Record<string, unknown>;

/**
 * Converts an EIP-712 message to a JSON object for `eth_signTypedData_v4`, with the type of its domain, which older
 * wallets need, and with bigints as decimal strings.
 */
export function toTypedData(message: {
  domain: object;
  types: object;
  primaryType: string;
  message: object;
}): TypedData {
  const own = DOMAIN_FIELDS.filter(([name]) => name in message.domain);
  const types = { EIP712Domain: own.map(([name, type]) => ({ name, type })), ...message.types };
  return JSON.parse(
    JSON.stringify({ ...message, types }, (_, value) =>
      typeof value === "bigint" ? value.toString() : value,
    ),
  ) as TypedData;
}

/** Returns the message that the owner signs, as JSON for `eth_signTypedData_v4`. */
export const typedDataOf = (planned: PlannedAuthorization): TypedData => toTypedData(toMessage(planned));

/**
 * Encodes the Router call that executes the order with the owner's signature, which must be in the form that
 * `checkedSignature` returns.
 */
export const signedCalldata = (planned: PlannedAuthorization, signature: Hex): Hex =>
  encodeSignedCall(orderOf(planned), { kind: planned.kind, owner: planned.owner, signature });

/**
 * Returns the position of an order's nonce in Permit2's bitmap: the word's index and a mask with the one bit set.
 * Source: Permit2, `SignatureTransfer`.
 */
export function permit2NonceBit(planned: PlannedAuthorization): { word: bigint; mask: bigint } {
  const nonce = hexToBigInt(orderNonce(planned));
  return { word: nonce >> 8n, mask: 1n << (nonce & 255n) };
}
