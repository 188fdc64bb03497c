import type { Address } from "viem";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import * as z from "zod";
import type { Context } from "../context.ts";
import { selectPartner } from "../db/queries/partner-queries.ts";
import { type ErrorCode, failure } from "../errors.ts";
import type { Nonce, SignedNonce, SigningPurpose } from "../schemas/signing-schema.ts";
import { verifySignature } from "./verify-sign-in-signature.ts";

/** Lifetime of a sign-in nonce, in milliseconds. */
const NONCE_TTL_MS = 10 * 60_000;

/**
 * Statement in the sign-in message, by purpose; each purpose has its own, so that a signature is valid for one only.
 * Clients of the original interface look for "login" in it, to learn whether a wallet is registered.
 */
const STATEMENTS: Readonly<Record<SigningPurpose, string>> = {
  register: "Register this wallet as a Causeway partner and create its API keys. This costs nothing.",
  login: "Partner login: sign in to the Causeway partner portal. This costs nothing.",
  apply: "Apply to become a Causeway partner with this wallet. This costs nothing.",
};

/** Expected field values of a sign-in message (Sign-In with Ethereum, EIP-4361). */
export interface ExpectedSiweMessage {
  /** Public URL (origin) of the deployment. */
  publicUrl: string;
  purpose: SigningPurpose;
  address: Address;
  chainId: number;
  nonce: string;
  /** Time of issue, in UNIX milliseconds. */
  issuedAt: number;
}

/**
 * Formats the sign-in message (Sign-In with Ethereum) that the wallet signs. It expires ten minutes after `issuedAt`.
 * Throws an Error if a field is invalid. Source: EIP-4361.
 */
export function writeSiweMessage(expected: ExpectedSiweMessage): string {
  return createSiweMessage({
    domain: new URL(expected.publicUrl).host,
    uri: expected.publicUrl,
    version: "1",
    address: expected.address,
    chainId: expected.chainId,
    nonce: expected.nonce,
    statement: STATEMENTS[expected.purpose],
    issuedAt: new Date(expected.issuedAt),
    expirationTime: new Date(expected.issuedAt + NONCE_TTL_MS),
  });
}

/**
 * Returns the names of the fields in which a sign-in message differs from the expected one, with `text` if its whole
 * text differs. An expired message differs in `expiration_time`, one issued over a minute after `now` (UNIX
 * milliseconds) in `issued_at`. Empty if it is valid.
 */
export function findSiweMismatches(
  message: string,
  { expected, now }: { expected: ExpectedSiweMessage; now: number },
) {
  // Not viem's `validateSiweMessage`, which does not check chain id, URI, version and issue time.
  const fields = parseSiweMessage(message);
  const expiresAt = expected.issuedAt + NONCE_TTL_MS;
  const checks = {
    scheme: fields.scheme === undefined,
    domain: fields.domain === new URL(expected.publicUrl).host,
    address: fields.address === expected.address,
    statement: fields.statement === STATEMENTS[expected.purpose],
    uri: fields.uri === expected.publicUrl,
    version: fields.version === "1",
    chain_id: fields.chainId === expected.chainId,
    nonce: fields.nonce === expected.nonce,
    issued_at: fields.issuedAt?.getTime() === expected.issuedAt && expected.issuedAt <= now + CLOCK_SKEW_MS,
    expiration_time: fields.expirationTime?.getTime() === expiresAt && now < expiresAt,
    not_before: fields.notBefore === undefined,
    request_id: fields.requestId === undefined,
    resources: fields.resources === undefined,
    // Compares the whole text, because the parser accepts trailing text and other spellings of the same values.
    text: message === writeSiweMessage(expected),
  };
  return (Object.keys(checks) as (keyof typeof checks)[]).filter((name) => !checks[name]);
}

/** Tolerated clock difference between isolates, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** A sign-in message that was issued for an address, as the nonce store keeps it. */
export interface StoredMessage {
  message: string;
  chainId: number;
  /** Time of issue, in UNIX milliseconds. */
  issuedAt: number;
}

/** Schema of a stored sign-in message. */
const StoredMessageJson = z.object({ message: z.string(), chainId: z.int(), issuedAt: z.int() });
/** Format of the nonces that `issueNonce` generates: 128 bits in hex. */
const NONCE_PATTERN = /^[0-9a-f]{32}$/;

/**
 * Returns the key under which the nonce store keeps a nonce. It contains the purpose and the address, so the nonce is
 * valid only for them.
 */
export function nonceKey(of: { purpose: SigningPurpose; address: Address; nonce: string }): string {
  return `${of.purpose}:${of.address.toLowerCase()}:${of.nonce}`;
}

/** Returns true if a text has the format of the nonces that `issueNonce` generates. */
function isNonce(text: string): boolean {
  return NONCE_PATTERN.test(text);
}

/** Serializes an issued sign-in message for the nonce store. */
export function writeStoredMessage(stored: StoredMessage): string {
  return JSON.stringify(stored);
}

/**
 * Parses a sign-in message that `writeStoredMessage` serialized. Returns null if the text is not JSON with the fields
 * of `StoredMessage`.
 */
export function readStoredMessage(text: string): StoredMessage | null {
  try {
    const parsed = StoredMessageJson.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Issues a sign-in message for this address and purpose, valid for ten minutes; earlier ones are not revoked. A null
 * purpose means `login` for a registered partner, otherwise `register`. Throws `store_unavailable`.
 */
export async function issueNonce(
  ctx: Context,
  input: { address: Address; purpose: SigningPurpose | null; chainId: number },
): Promise<Nonce> {
  const { address, chainId } = input;
  const purpose = input.purpose ?? ((await selectPartner(ctx.db, address)) === null ? "register" : "login");
  const nonce = ctx.randomId();
  const issuedAt = ctx.now();
  const { publicUrl } = ctx.config;
  const message = writeSiweMessage({ publicUrl, purpose, address, chainId, nonce, issuedAt });
  const key = nonceKey({ purpose, address, nonce });
  await ctx.nonces.put(key, writeStoredMessage({ message, chainId, issuedAt }), NONCE_TTL_MS);
  return { nonce, message };
}

/** Error codes that `verifySignedNonce` throws. */
export const signingErrors: readonly ErrorCode[] = [
  "nonce_invalid",
  "signature_invalid",
  "store_unavailable",
  "simulation_unavailable",
];

/**
 * Consumes a nonce that was issued for one of the purposes, verifies the address's signature of its message and returns
 * its purpose. The nonce is used up even if the verification fails. Throws the `signingErrors`.
 */
export async function verifySignedNonce(
  ctx: Context,
  { purposes, signed }: { purposes: readonly SigningPurpose[]; signed: SignedNonce },
): Promise<SigningPurpose> {
  const { address, nonce, signature } = signed;
  const issued = await takeMessage(ctx, { purposes, address, nonce });
  if (issued === null) {
    throw failure(
      "nonce_invalid",
      "the nonce is unknown, expired or used, or was issued for another address or purpose: get a new one",
    );
  }
  const { purpose, stored } = issued;
  const { message, chainId, issuedAt } = stored;
  const expected = { publicUrl: ctx.config.publicUrl, purpose, address, chainId, nonce, issuedAt };
  const mismatches = findSiweMismatches(message, { expected, now: ctx.now() });
  if (mismatches.length > 0) {
    ctx.log.warn("sign_in_message_refused", { purpose, mismatches: mismatches.join(" ") });
    throw failure("nonce_invalid", "the message of the nonce is for another deployment or no longer valid");
  }
  if (!(await verifySignature(ctx, { address, message, signature, chainId })))
    throw failure("signature_invalid", explainSignature(ctx, chainId));
  return purpose;
}

/**
 * Returns why a signature is refused and what to do. A smart account's is checked on the chain of its nonce, which is
 * Ethereum unless the request for the nonce said otherwise: the account may be on another chain.
 */
function explainSignature({ chains }: Context, chainId: number): string {
  const served = chains.definitions.has(chainId) ? "" : ", which is not served";
  return (
    "the signature does not match the address and the message of the nonce: get a new nonce and sign its message " +
    `unchanged; a smart account's was checked on chain ${chainId}${served}: send its \`chain_id\` for the nonce`
  );
}

/**
 * Removes and returns the sign-in message that was issued with a nonce for one of the purposes, tried in order, or
 * returns null if there is none.
 */
async function takeMessage(
  ctx: Context,
  of: { purposes: readonly SigningPurpose[]; address: Address; nonce: string },
): Promise<{ purpose: SigningPurpose; stored: StoredMessage } | null> {
  const { address, nonce } = of;
  if (!isNonce(nonce)) return null;
  for (const purpose of of.purposes) {
    const text = await ctx.nonces.take(nonceKey({ purpose, address, nonce }));
    const stored = text === null ? null : readStoredMessage(text);
    if (stored !== null) return { purpose, stored };
  }
  return null;
}
