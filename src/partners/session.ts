import { DAY_MS } from "../lib/durations.ts";
import { mintCredential } from "./credentials.ts";
import { sha256 } from "./digest.ts";

/** How long a session lasts, in milliseconds. */
const SESSION_MS = DAY_MS;

/** A session that is about to begin: the token is shown once, its digest is stored. */
export interface NewSession {
  token: string;
  digest: string;
  expiresAt: Date;
}

/** Makes a session's token of 256 random bits; `now` in milliseconds. */
export async function makeSession(now: number): Promise<NewSession> {
  const token = mintCredential("session");
  return { token, digest: await sha256(token), expiresAt: new Date(now + SESSION_MS) };
}
