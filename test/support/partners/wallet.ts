import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { ADMIN_TOKEN, type Service } from "../../../scripts/stack/test-deployment.ts";
import { Registration } from "../../../src/schemas/partner-schema.ts";
import { Nonce } from "../../../src/schemas/signing-schema.ts";

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const Body = z.union([
  z.record(z.string(), z.unknown()),
  z.array(z.unknown()).transform((rows) => ({ rows })),
]);

/** A signer of messages: an account with a key, or a contract account. */
export interface Wallet {
  address: Address;
  sign(message: string): Promise<Hex>;
  /** Chain id in the wallet's messages. */
  chainId?: number;
}

export function newWallet(): Wallet {
  const account = privateKeyToAccount(generatePrivateKey());
  return { address: account.address, sign: (message) => account.signMessage({ message }) };
}

export async function read(response: Response): Promise<Answer> {
  return { status: response.status, body: Body.parse(await response.json()) };
}

/** Sends a JSON request and reads the response. */
export async function call(
  service: Service,
  [method, path]: readonly [string, string],
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { body, headers = {} } = options;
  const init: RequestInit = { method, headers: { ...headers } };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json", ...headers };
    init.body = JSON.stringify(body);
  }
  return read(await service.send(path, init));
}

export const asAdmin = { authorization: `Bearer ${ADMIN_TOKEN}` };
export const asSession = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });
export const asPair = (pair: { api_key?: unknown; api_secret?: unknown }) => ({
  "x-api-key": String(pair.api_key),
  "x-api-secret": String(pair.api_secret),
});

const NONCE_PATHS = {
  register: "/v1/partners/nonce",
  login: "/v1/partners/nonce",
  apply: "/v1/applications/nonce",
};

/** Requests a nonce and signs its message. */
export async function signNonce(
  service: Service,
  { wallet, purpose }: { wallet: Wallet; purpose: keyof typeof NONCE_PATHS },
): Promise<{ address: Address; nonce: string; signature: Hex; message: string }> {
  const { address, chainId } = wallet;
  const body = {
    address,
    ...(purpose === "apply" ? {} : { purpose }),
    ...(chainId === undefined ? {} : { chain_id: chainId }),
  };
  const answer = await call(service, ["POST", NONCE_PATHS[purpose]], { body });
  const { nonce, message } = Nonce.parse(answer.body);
  return { address, nonce, message, signature: await wallet.sign(message) };
}

const form = { company: "Wallet Company", email: "team@wallet.example", website: "https://wallet.example" };

/** Submits an application and returns the response. */
export async function apply(service: Service, wallet: Wallet): Promise<Answer> {
  const { message: _, ...signed } = await signNonce(service, { wallet, purpose: "apply" });
  return call(service, ["POST", "/v1/applications/wallet"], { body: { ...signed, form } });
}

export async function decide(service: Service, step: string, id: unknown): Promise<Answer> {
  return call(service, ["POST", `/v1/admin/applications/${String(id)}/${step}`], {
    body: { note: `${step} it` },
    headers: { authorization: `Bearer ${service.adminToken}` },
  });
}

/** Signs and sends a registration. */
export async function register(service: Service, wallet: Wallet, extra: object = {}): Promise<Answer> {
  const { message: _, ...signed } = await signNonce(service, { wallet, purpose: "register" });
  return call(service, ["POST", "/v1/partners/register"], { body: { ...signed, ...extra } });
}

/** Signs in and returns the response. */
export async function login(service: Service, wallet: Wallet): Promise<Answer> {
  const { message: _, ...signed } = await signNonce(service, { wallet, purpose: "login" });
  return call(service, ["POST", "/v1/partners/login"], { body: signed });
}

export type NewPartner = z.infer<typeof Registration> & { wallet: Wallet; applicationId: string };

/** Creates a registered partner: submits an application, approves it, and registers the wallet. */
export async function makePartner(service: Service, wallet: Wallet = newWallet()): Promise<NewPartner> {
  const applied = await apply(service, wallet);
  const applicationId = String(applied.body["application_id"]);
  await decide(service, "approve", applicationId);
  const registered = await register(service, wallet);
  if (registered.status !== 200) throw new Error(`not registered: ${JSON.stringify(registered.body)}`);
  return { ...Registration.parse(registered.body), wallet, applicationId };
}
