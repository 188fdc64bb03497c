import { bytesToHex } from "viem";
import type { Context } from "../context.ts";
import type { StoredPair } from "../db/queries/api-keys.ts";
import { AppError } from "../errors.ts";
import type { RotatedKeys } from "../schemas/partner.ts";
import { mintCredential, prefixOf } from "./credentials.ts";
import { pepperedDigest } from "./digest.ts";

/**
 * Makes a key and its secret: what the partner is shown, once, and what is stored of it.
 * Throws `internal` when the deployment has no pepper.
 */
export async function makeKeyPair(ctx: Context): Promise<{ shown: RotatedKeys; stored: StoredPair }> {
  const [pepper] = ctx.config.partnerPeppers;
  if (pepper === undefined) throw new AppError("internal", "configuration: missing: PARTNER_PEPPERS");
  const [key, secret] = [mintCredential("live"), mintCredential("secret")];
  const prefix = prefixOf(key);
  const stored = {
    keyDigest: hex(await pepperedDigest(pepper, { use: "key", value: key })),
    secretDigest: hex(await pepperedDigest(pepper, { use: "secret", value: secret })),
    pepperVersion: pepper.version,
    prefix,
  };
  return { shown: { api_key: key, api_secret: secret, api_key_prefix: prefix }, stored };
}

const hex = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2);
