import type { Address } from "viem";
import { failure } from "../errors.ts";

/** A partner as every request of theirs needs it. */
export interface PartnerIdentity {
  /** Checksummed. */
  address: Address;
  /** What marks deposits as theirs; on chain as keccak256 of its UTF-8 bytes. */
  partnerId: string;
  /** 0 direct, 1 creator, 2 wallet. */
  partnerType: number;
  /** Vault ids that they restricted themselves to; null: all. */
  vaults: readonly string[] | null;
}

/** How a partner proved who they are: by key alone (anybody may have copied it), by key and secret, by session. */
export type PartnerProof = "key" | "pair" | "session";

export interface PartnerActor {
  kind: "partner";
  partner: PartnerIdentity;
  proof: PartnerProof;
  /** Which pair of theirs was the working one when they were recognised. */
  keyVersion: number;
  /** The digest of the session's token; null without one. */
  session: string | null;
}

/** On whose behalf a request is made. */
export type Actor = { kind: "anonymous" } | PartnerActor | { kind: "admin" };

/** The partner that makes the request. Throws `credentials_required` when none does. */
export function requirePartner(ctx: { readonly actor: Actor }): PartnerActor {
  if (ctx.actor.kind === "partner" && ctx.actor.proof !== "key") return ctx.actor;
  throw failure("credentials_required", "this needs a partner's session");
}
