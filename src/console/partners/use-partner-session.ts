import { useMutation } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { operations } from "../../client/api-types.generated.ts";
import type { ApiRequest } from "../../client/causeway-client.ts";
import type { Answer } from "../../client/operations/read-operations.ts";
import { ask } from "../api/console-client.ts";
import { useWallet, walletSession } from "../wallet/wallet-session.ts";

/**
 * Session of a signed-in partner. It is kept only in memory and lost when the page is closed, although it stays valid
 * in the API until it expires or is ended.
 */
export interface PartnerSession {
  address: `0x${string}`;
  token: string;
  /** Key pairs that were created in this session and that the partner has not confirmed having saved, newest first. */
  issued: readonly IssuedPair[];
}

/** An API key with its secret, which the API shows once. */
export interface IssuedPair {
  apiKey: string;
  apiSecret: string;
}

const listeners = new Set<() => void>();
let current: PartnerSession | null = null;

/** Replaces the session. Null ends it on this page, but not in the API. */
export function setPartnerSession(session: PartnerSession | null): void {
  current = session;
  for (const listener of listeners) listener();
}

/** Adds a new key pair to the session's `issued`. Does nothing without a session. */
export function keepIssuedPair(pair: IssuedPair): void {
  if (current !== null) setPartnerSession({ ...current, issued: [pair, ...current.issued] });
}

/** Removes a key pair that the partner has saved from the session's `issued`. */
export function forgetIssuedPair({ apiKey }: IssuedPair): void {
  if (current === null) return;
  setPartnerSession({ ...current, issued: current.issued.filter((pair) => pair.apiKey !== apiKey) });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session, or null if there is none or the connected wallet does not use its account. */
export function usePartnerSession(): PartnerSession | null {
  const { address } = useWallet();
  const session = useSyncExternalStore(subscribe, () => current);
  return session !== null && session.address === address ? session : null;
}

/** Sends a request that is authenticated by a partner's session token. Throws the same errors as `ask`. */
export function askAs<Name extends keyof operations>({ token }: PartnerSession, request: ApiRequest) {
  return ask<Name>({ ...request, headers: { authorization: `Bearer ${token}` } });
}

type Purpose = "login" | "register";
type Nonce = Answer<"partners.nonce">;

/** Signs the message of a nonce with the connected wallet. */
async function sign(
  address: `0x${string}`,
  nonce: Nonce,
): Promise<{ address: string; nonce: string; signature: string }> {
  const connection = await walletSession.load();
  return {
    address,
    nonce: nonce.nonce,
    signature: await connection.sign({ address, message: nonce.message }),
  };
}

/**
 * Mutation that signs a partner in with a signature by the connected wallet, and sets the session. With the purpose
 * `register`, the session's `issued` has the first API key and secret.
 */
export function usePartnerSignIn() {
  return useMutation({
    mutationFn: async (of: { address: `0x${string}`; purpose: Purpose }) => {
      const { address, purpose } = of;
      const body = { address, purpose };
      const nonce = await ask<"partners.nonce">({ method: "POST", path: "/v1/partners/nonce", body });
      const signed = await sign(address, nonce);
      if (purpose === "login") {
        const answer = await ask<"partners.login">({
          method: "POST",
          path: "/v1/partners/login",
          body: signed,
        });
        return { address, token: answer.sessionToken, issued: [] };
      }
      const answer = await ask<"partners.register">({
        method: "POST",
        path: "/v1/partners/register",
        body: signed,
      });
      const { apiKey, apiSecret } = answer;
      return { address, token: answer.sessionToken, issued: [{ apiKey, apiSecret }] };
    },
    onSuccess: setPartnerSession,
  });
}

/** Fields of a partner application. The API requires `company` and `email`. Empty fields are not sent. */
export interface ApplicationForm {
  company: string;
  email: string;
  website: string;
}

/** Mutation that sends a partner application, signed by the connected wallet, and then calls `onSent`. */
export function usePartnerApplication(onSent: () => void) {
  return useMutation({
    mutationFn: async (of: { address: `0x${string}`; form: ApplicationForm }) => {
      const { address, form } = of;
      const path = "/v1/applications/nonce";
      const nonce = await ask<"applications.nonce">({ method: "POST", path, body: { address } });
      const given = Object.fromEntries(Object.entries(form).filter(([, text]) => text !== ""));
      const body = { ...(await sign(address, nonce)), form: given };
      return ask<"applications.wallet">({ method: "POST", path: "/v1/applications/wallet", body });
    },
    onSuccess: onSent,
  });
}
