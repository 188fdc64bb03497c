import { bytesToHex, getAddress, hexToBytes } from "viem";
import type { Pepper } from "../config.ts";
import type { Context } from "../context.ts";
import { type KeyOwner, selectKeyOwner } from "../db/queries/api-keys.ts";
import { AppError, failure } from "../errors.ts";
import type { PartnerActor } from "./actor.ts";
import { isCredential, mintCredential } from "./credentials.ts";
import { equalDigests, pepperedDigest } from "./digest.ts";

/** What a request brought along in `X-API-Key` and `X-API-Secret`; null: no such header. */
export interface OfferedPair {
  key: string | null;
  secret: string | null;
}

interface Digests {
  pepper: Pepper;
  key: Uint8Array;
  secret: Uint8Array;
}

/** Stand in for what is not there, so that the same work is done for it. Nobody has them. */
const decoys = { key: "", secret: "" };

/**
 * Finds the partner of a key, or of a key and its secret. Nothing is remembered from one request to the next.
 * Malformed, unknown, revoked, swapped and wrong are told apart by neither the answer nor the time it takes.
 * Throws `credentials_invalid`, `store_unavailable`; `internal` when the deployment has no pepper.
 */
export async function authenticateKey(ctx: Context, offered: OfferedPair): Promise<PartnerActor> {
  if (decoys.key === "")
    Object.assign(decoys, { key: mintCredential("live"), secret: mintCredential("secret") });
  const hasKey = isCredential("live", offered.key ?? "");
  const hasSecret = isCredential("secret", offered.secret ?? "");
  const key = (hasKey ? offered.key : null) ?? decoys.key;
  const secret = (hasSecret ? offered.secret : null) ?? decoys.secret;
  const digests = await Promise.all(
    ctx.config.partnerPeppers.map((pepper) => digestPair(pepper, { key, secret })),
  );
  const [newest] = digests;
  if (newest === undefined) throw new AppError("internal", "configuration: missing: PARTNER_PEPPERS");
  const owner = await selectKeyOwner(
    ctx.db,
    digests.map((digest) => bytesToHex(digest.key).slice(2)),
  );
  const used = digests.find(({ pepper }) => pepper.version === owner.pepperVersion) ?? newest;
  const equal = equalDigests(used.secret, hexToBytes(`0x${owner.secretDigest}`));
  const proof = offered.secret === null ? "key" : "pair";
  const proven = proof === "key" || (equal && hasSecret);
  if (!hasKey || !owner.found || !owner.live || !proven) {
    throw failure("credentials_invalid", "the API key, or its secret, is not valid");
  }
  return actorOf(owner, proof);
}

async function digestPair(pepper: Pepper, pair: { key: string; secret: string }): Promise<Digests> {
  const [key, secret] = await Promise.all([
    pepperedDigest(pepper, { use: "key", value: pair.key }),
    pepperedDigest(pepper, { use: "secret", value: pair.secret }),
  ]);
  return { pepper, key, secret };
}

function actorOf(owner: KeyOwner, proof: "key" | "pair"): PartnerActor {
  const { address, partnerId, partnerType, vaults, keyVersion } = owner;
  const partner = { address: getAddress(address), partnerId, partnerType, vaults };
  return { kind: "partner", partner, proof, keyVersion, session: null };
}
