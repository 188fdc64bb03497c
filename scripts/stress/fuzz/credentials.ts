import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { sendRequest } from "../../smoke/http-request.ts";
import type { StackManifest } from "../../stack/manifest.ts";

const Nonce = z.object({ nonce: z.string(), message: z.string() });
const Receipt = z.object({ application_id: z.string() });
const Registration = z.object({ session_token: z.string() });

/** Returns authenticating headers by security scheme: the session of a new partner, and the administrator's token. */
export async function credentialsOf(stack: StackManifest): Promise<Record<string, Record<string, string>>> {
  const account = privateKeyToAccount(generatePrivateKey());
  const admin = { authorization: `Bearer ${stack.admin_token}` };
  const post = async <S extends z.ZodType>(path: string, schema: S, body: unknown, headers = {}) => {
    const answer = await sendRequest(`${stack.api}${path}`, { method: "POST", body, headers });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return schema.parse(answer.json);
  };
  const signed = async (path: string, purpose: object) => {
    const { nonce, message } = await post(path, Nonce, { address: account.address, ...purpose });
    return { address: account.address, nonce, signature: await account.signMessage({ message }) };
  };
  const application = await signed("/v1/applications/nonce", {});
  const form = { company: "Fuzz", email: "fuzz@example.com" };
  const { application_id } = await post("/v1/applications/wallet", Receipt, { ...application, form });
  await post(`/v1/admin/applications/${application_id}/approve`, z.unknown(), { note: "" }, admin);
  const registration = await signed("/v1/partners/nonce", { purpose: "register" });
  const { session_token } = await post("/v1/partners/register", Registration, registration);
  return { session: { authorization: `Bearer ${session_token}` }, admin_token: admin };
}
