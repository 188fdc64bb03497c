import { type Hex, keccak256, stringToHex, zeroHash } from "viem";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";

/** The partner that a deposit or withdrawal is attributed to. */
export interface Attribution {
  /** Public id of the partner, or empty for an order without one. */
  partnerId: string;
  /** keccak256 of the partner id's UTF-8 bytes, or zero if the id is empty. */
  partnerHash: Hex;
  /** Role of the partner: 0 direct, 1 creator, 2 wallet. */
  partnerType: number;
  /**
   * Lowercase address of the partner that made the request, or null if the caller was no partner, even if it named a
   * partner id.
   */
  partnerAddress: string | null;
  /** True if the partner authenticated with the secret of its API key or with a session, otherwise false. */
  partnerVerified: boolean;
}

/** Fields of a build request that name a partner. */
type PartnerInput = { partner_id: string; partner_type: number };

/**
 * Attributes an order to the partner that made the request or, for any other caller, to the unverified partner id in
 * `input`. Throws `key_forbidden` without the right `build`, `partner_mismatch` for another partner's id, and
 * `vault_not_enrolled`.
 */
export function attributeOrder(
  ctx: Context,
  { input, vaultId }: { input: PartnerInput; vaultId: string },
): Attribution {
  const { partner_id: named, partner_type: partnerType } = input;
  if (ctx.actor.kind !== "partner") {
    return {
      partnerId: named,
      partnerHash: partnerHashOf(named),
      partnerType,
      partnerAddress: null,
      partnerVerified: false,
    };
  }
  const { partner, proof, rights } = ctx.actor;
  if (!rights.includes("build"))
    throw failure(
      "key_forbidden",
      "this API key does not have the right `build`: send another key, or give it the right with PATCH /v1/partners/api-keys/{key_id}",
    );
  if (named !== "" && named !== partner.partnerId) {
    throw failure(
      "partner_mismatch",
      "partner_id does not belong to the API key: leave it out, the key names the partner",
    );
  }
  if (partner.vaults !== null && !partner.vaults.includes(vaultId)) {
    throw failure(
      "vault_not_enrolled",
      `the partner has not enrolled ${vaultId}: PUT /v1/partners/vaults enrols vaults, and \`null\` there allows all`,
    );
  }
  return {
    partnerId: partner.partnerId,
    partnerHash: partnerHashOf(partner.partnerId),
    partnerType: partner.partnerType,
    partnerAddress: partner.address.toLowerCase(),
    partnerVerified: proof !== "key",
  };
}

/** Returns the on-chain form of a partner id: keccak256 of its UTF-8 bytes, or zero for an empty id. */
export function partnerHashOf(partnerId: string): Hex {
  return partnerId === "" ? zeroHash : keccak256(stringToHex(partnerId));
}

/** Returns the reference of a deposit or withdrawal in the Router's event: keccak256 of the tracking id. */
export const orderRef = (trackingId: string): Hex => keccak256(stringToHex(trackingId));
