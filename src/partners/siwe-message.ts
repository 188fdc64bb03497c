import type { Address } from "viem";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import type { Purpose } from "../schemas/signing.ts";

/** How long a nonce may be signed, in milliseconds. */
export const NONCE_TTL_MS = 10 * 60_000;

/** What the wallet shows its owner; no purpose's text says what another's says. */
const STATEMENTS: Readonly<Record<Purpose, string>> = {
  register: "Register this wallet as a Causeway partner and create its API keys. This costs nothing.",
  login: "Sign in to the Causeway partner portal. This costs nothing.",
  apply: "Apply to become a Causeway partner with this wallet. This costs nothing.",
};

/** What a sign-in message must say, by our own account of it. */
export interface ExpectedMessage {
  /** The deployment's origin. */
  publicUrl: string;
  purpose: Purpose;
  address: Address;
  chainId: number;
  nonce: string;
  /** Milliseconds since the epoch. */
  issuedAt: number;
}

/** Writes the message that is to be signed. Throws viem's error for an origin that no wallet would accept. Source: EIP-4361. */
export function writeMessage(expected: ExpectedMessage): string {
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
export function findMismatches(
  message: string,
  { expected, now }: { expected: ExpectedMessage; now: number },
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
    text: message === writeMessage(expected),
  };
  return (Object.keys(checks) as (keyof typeof checks)[]).filter((name) => !checks[name]);
}

/** By how much isolates' clocks may differ. */
const CLOCK_SKEW_MS = 60_000;
