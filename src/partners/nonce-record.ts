import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Purpose } from "../schemas/signing.ts";

/** A message that waits for its signature. */
export interface StoredMessage {
  message: string;
  chainId: number;
  /** Milliseconds since the epoch. */
  issuedAt: number;
}

const Stored = z.object({ message: z.string(), chainId: z.int(), issuedAt: z.int() });
const NONCE = /^[0-9a-f]{32}$/;

/** Where a message waits: by purpose and address, so that it serves no other. */
export function nonceKey(of: { purpose: Purpose; address: Address; nonce: string }): string {
  return `${of.purpose}:${of.address.toLowerCase()}:${of.nonce}`;
}

/** Whether a text can be a nonce of ours at all. */
export function isNonce(text: string): boolean {
  return NONCE.test(text);
}

export function writeStoredMessage(stored: StoredMessage): string {
  return JSON.stringify(stored);
}

/** Reads what `writeStoredMessage` wrote; null when it is anything else. */
export function readStoredMessage(text: string): StoredMessage | null {
  try {
    const parsed = Stored.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
