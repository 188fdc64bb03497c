import type { Address } from "viem";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import * as z from "zod";
import type { Context } from "../context.ts";
import { selectPartner } from "../db/queries/partners.ts";
import { type ErrorCode, failure } from "../errors.ts";
import type { Nonce, SignedNonce, SigningPurpose } from "../schemas/signing.ts";
import { verifySignature } from "./verify-signature.ts";

/** How long a nonce may be signed, in milliseconds. */
const NONCE_TTL_MS = 10 * 60_000;

/** What the wallet shows its owner; no purpose's text says what another's says. */
const STATEMENTS: Readonly<Record<SigningPurpose, string>> = {
  register: "Register this wallet as a Causeway partner and create its API keys. This costs nothing.",
  login: "Sign in to the Causeway partner portal. This costs nothing.",
  apply: "Apply to become a Causeway partner with this wallet. This costs nothing.",
};

/** What a sign-in message must say, by our own account of it. */
export interface ExpectedSiweMessage {
  /** The deployment's origin. */
  publicUrl: string;
  purpose: SigningPurpose;
  address: Address;
  chainId: number;
  nonce: string;
  /** Milliseconds since the epoch. */
  issuedAt: number;
}

/** Writes the message that is to be signed. Throws viem's error for an origin that no wallet would accept. Source: EIP-4361. */
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
 * What is wrong with a message, field by field; empty when it says exactly what we expect and is in its time.
 * viem's own check leaves out chain id, URI, version and issued-at, and whatever it is not given.
 */
export function findSiweMismatches(
  message: string,
  { expected, now }: { expected: ExpectedSiweMessage; now: number },
) {
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
    // The parser is not anchored at the end, and forgives other spellings of the same values.
    text: message === writeSiweMessage(expected),
  };
  return (Object.keys(checks) as (keyof typeof checks)[]).filter((name) => !checks[name]);
}

/** By how much isolates' clocks may differ. */
const CLOCK_SKEW_MS = 60_000;

/** A message that waits for its signature. */
export interface StoredMessage {
  message: string;
  chainId: number;
  /** Milliseconds since the epoch. */
  issuedAt: number;
}

const StoredMessageJson = z.object({ message: z.string(), chainId: z.int(), issuedAt: z.int() });
const NONCE_PATTERN = /^[0-9a-f]{32}$/;

/** Where a message waits: by purpose and address, so that it serves no other. */
export function nonceKey(of: { purpose: SigningPurpose; address: Address; nonce: string }): string {
  return `${of.purpose}:${of.address.toLowerCase()}:${of.nonce}`;
}

/** Whether a text can be a nonce of ours at all. */
function isNonce(text: string): boolean {
  return NONCE_PATTERN.test(text);
}

export function writeStoredMessage(stored: StoredMessage): string {
  return JSON.stringify(stored);
}

/** Reads what `writeStoredMessage` wrote; null when it is anything else. */
export function readStoredMessage(text: string): StoredMessage | null {
  try {
    const parsed = StoredMessageJson.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Makes a message for a wallet to sign and keeps it for ten minutes, for this address and purpose alone.
 * Several may be open at once, so that nobody can close another's by asking.
 * Without a purpose: login for a partner, else registration. Throws `store_unavailable`.
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

/** What a signed nonce can be refused with. */
export const signingErrors: readonly ErrorCode[] = [
  "nonce_invalid",
  "signature_invalid",
  "store_unavailable",
  "simulation_unavailable",
];

/**
 * Spends a nonce, then checks that its message is what we would write and that the address signed it.
 * Whatever comes out, the nonce is gone. Throws `nonce_invalid`, `signature_invalid`, `store_unavailable`,
 * `simulation_unavailable` when a contract's word is needed and no node gives it.
 */
export async function verifySignedNonce(
  ctx: Context,
  input: { purpose: SigningPurpose; signed: SignedNonce },
): Promise<void> {
  const { address, nonce, signature } = input.signed;
  const { purpose } = input;
  const text = isNonce(nonce) ? await ctx.nonces.take(nonceKey({ purpose, address, nonce })) : null;
  const stored = text === null ? null : readStoredMessage(text);
  if (stored === null) {
    throw failure("nonce_invalid", "the nonce is unknown, expired, spent, or another address's or purpose's");
  }
  const { message, chainId, issuedAt } = stored;
  const expected = { publicUrl: ctx.config.publicUrl, purpose, address, chainId, nonce, issuedAt };
  const mismatches = findSiweMismatches(message, { expected, now: ctx.now() });
  if (mismatches.length > 0) {
    ctx.log.warn("sign_in_message_refused", { purpose, mismatches: mismatches.join(" ") });
    throw failure("nonce_invalid", "the nonce's message is not for this deployment or no longer valid");
  }
  if (!(await verifySignature(ctx, { address, message, signature, chainId }))) {
    throw failure("signature_invalid", "the signature is not this address's for this nonce's message");
  }
}
