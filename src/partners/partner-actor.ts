import type { Address } from "viem";
import { failure } from "../errors.ts";
import type { KeyRight } from "../schemas/partner-api-key-schema.ts";

/** Who a partner is, and the vaults to which its API keys are restricted. */
export interface PartnerIdentity {
  /** Wallet of the partner, checksummed. */
  address: Address;
  /**
   * Id that attributes deposits and withdrawals to the partner. On chain, it is recorded as the keccak256 hash of its
   * UTF-8 bytes.
   */
  partnerId: string;
  /** Kind of partner: 0 direct, 1 creator, 2 wallet. */
  partnerType: number;
  /** Ids of the vaults for which the API keys may build, or null if they may build for every vault. */
  vaults: readonly string[] | null;
}

/**
 * How a partner's request was authenticated: by the API key alone (which is public, so anyone may have copied it), by
 * API key and secret (`pair`), or by session, with or without a pair.
 */
export type PartnerProof = "key" | "pair" | "session";

/**
 * All rights that an API key can have; a session has them. Listed here because importing the schema's list would build
 * schemas when an isolate starts.
 */
export const ALL_RIGHTS: readonly KeyRight[] = ["build", "read", "manage"];

/** A partner as the caller of a request, and how the request was authenticated. */
export interface PartnerActor {
  kind: "partner";
  partner: PartnerIdentity;
  proof: PartnerProof;
  /** Version of the key pair when the request was authenticated; for a session alone, of the partner's first pair. */
  keyVersion: number;
  /** Id of the key pair that was used, or null if the request was authenticated by session alone. */
  keyId: string | null;
  /** Rights of the credentials; a session has all rights. */
  rights: readonly KeyRight[];
  /** Digest of the session token, or null if the request was authenticated without a session. */
  session: string | null;
}

/** The caller of a request: anonymous, a partner, or the administrator. */
export type Actor = { kind: "anonymous" } | PartnerActor | { kind: "admin" };

/**
 * Returns the authenticated partner that made a request. Throws `credentials_required` for any other caller, and for a
 * partner that sent its API key without the secret.
 */
export function requirePartner(ctx: { readonly actor: Actor }): PartnerActor {
  if (ctx.actor.kind === "partner" && ctx.actor.proof !== "key") return ctx.actor;
  throw failure("credentials_required", "this endpoint needs a partner's session");
}

/**
 * Throws `key_forbidden` if the request was authenticated without a session, by an API key that lacks a right. Does
 * nothing for any other caller.
 */
export function requireRight({ actor }: { readonly actor: Actor }, right: KeyRight): void {
  if (actor.kind !== "partner" || actor.rights.includes(right)) return;
  throw failure(
    "key_forbidden",
    `this API key does not have the right \`${right}\`: send another key, or a session`,
  );
}
