import { type Hex, keccak256, stringToHex, zeroHash } from "viem";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import type { BuildInput } from "../schemas/quote.ts";

/** To whom a deposit is attributed. */
export interface Attribution {
  partnerId: string;
  /** keccak256 of the partner id's UTF-8 bytes, or zero. */
  partnerHash: Hex;
  partnerType: number;
  /** The partner whose key was used; null when the id is only what the caller says: no dashboard shows that. */
  partnerAddress: string | null;
  /** Whether the key's secret was there too. */
  partnerVerified: boolean;
}

/**
 * Attributes a deposit: to the key's owner where there is a key, else to whom the caller names.
 * Throws `partner_mismatch` when the caller names somebody else than the key's owner, `vault_not_enrolled` for
 * a vault that the owner left out.
 */
export function attribute(
  ctx: Context,
  { input, vaultId }: { input: BuildInput; vaultId: string },
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
  const { partner, proof } = ctx.actor;
  if (named !== "" && named !== partner.partnerId) {
    throw failure("partner_mismatch", "partner_id is not that of the API key");
  }
  if (partner.vaults !== null && !partner.vaults.includes(vaultId)) {
    throw failure("vault_not_enrolled", `${vaultId} is not among the vaults that the partner enrolled`);
  }
  return {
    partnerId: partner.partnerId,
    partnerHash: partnerHashOf(partner.partnerId),
    partnerType: partner.partnerType,
    partnerAddress: partner.address.toLowerCase(),
    partnerVerified: proof !== "key",
  };
}

/** What of a partner id goes on chain: keccak256 of its UTF-8 bytes, or zero when it is empty. */
export function partnerHashOf(partnerId: string): Hex {
  return partnerId === "" ? zeroHash : keccak256(stringToHex(partnerId));
}
