import type { Address } from "viem";
import { failure } from "../errors.ts";

/** The identity of a partner and the restrictions of its key. */
export interface PartnerIdentity {
  /** Checksummed. */
  address: Address;
  /** Id that attributes deposits to the partner; on chain it is the keccak256 hash of its UTF-8 bytes. */
  partnerId: string;
  /** 0 direct, 1 creator, 2 wallet. */
  partnerType: number;
  /** Ids of the enrolled vaults; null allows every vault. */
  vaults: readonly string[] | null;
}

/** How a request was authenticated: API key alone (public, so it may be copied), key with secret, or session. */
export type PartnerProof = "key" | "pair" | "session";

/** A partner that makes a request. */
export interface PartnerActor {
  kind: "partner";
  partner: PartnerIdentity;
  proof: PartnerProof;
  /** Version of the key pair that was valid at authentication. */
  keyVersion: number;
  /** Digest of the session token; null without a session. */
  session: string | null;
}

/** The caller on whose behalf a request is made. */
export type Actor = { kind: "anonymous" } | PartnerActor | { kind: "admin" };

/** Returns the authenticated partner. Throws `credentials_required` for every other caller, and for an API key without its secret. */
export function requirePartner(ctx: { readonly actor: Actor }): PartnerActor {
  if (ctx.actor.kind === "partner" && ctx.actor.proof !== "key") return ctx.actor;
  throw failure("credentials_required", "this endpoint needs a partner's session");
}
