import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { login as loginVerb } from "../../src/partners/partner-sign-in.ts";
import { call, makePartner, type NewPartner, newWallet, signNonce } from "../support/partners/wallet.ts";

let causeway: TestDeployment;
let partner: NewPartner;
beforeAll(async () => {
  causeway = await startTestDeployment();
  partner = await makePartner(causeway);
});
afterAll(() => causeway?.close());

const send = (body: object, path = "/v1/partners/login") => call(causeway, ["POST", path], { body });
const sign = async (wallet = partner.wallet, purpose: "login" | "register" | "apply" = "login") => {
  const { message: _, ...signed } = await signNonce(causeway, { wallet, purpose });
  return signed;
};
const refused = (code: string) => ({ status: 401, body: { code } });

describe("a sign-in nonce", () => {
  test("is accepted exactly once among 1,000 concurrent uses and 1,000 replays", async () => {
    const signed = await sign();
    const tries = await Promise.all(Array.from({ length: 1_000 }, () => send(signed)));
    const codes = new Map<string, number>();
    for (const { status, body } of tries) {
      const outcome = `${status} ${body["code"] ?? ""}`;
      codes.set(outcome, (codes.get(outcome) ?? 0) + 1);
    }
    expect([...codes].sort()).toEqual([
      ["200 ", 1],
      ["401 nonce_invalid", 999],
    ]);
    let accepted = 0;
    for (let replay = 0; replay < 1_000; replay += 1) {
      if ((await send(signed)).status !== 401) accepted += 1;
    }
    expect(accepted).toBe(0);
  });

  test("is used up by an invalid signature", async () => {
    const signed = await sign();
    const wrong = { ...signed, signature: (await sign()).signature };
    const detail = expect.stringMatching(/sign its message unchanged; a smart account's .*`chain_id`/);
    expect(await send(wrong)).toMatchObject({ status: 401, body: { code: "signature_invalid", detail } });
    expect(await send(signed)).toMatchObject(refused("nonce_invalid"));
  });

  test("is not used up by an invalid body", async () => {
    const signed = await sign();
    expect((await send({ ...signed, signature: 1 })).status).toBe(422);
    expect((await send(signed)).status).toBe(200);
  });

  test("is refused with the signature of another nonce", async () => {
    const [a, b] = [await sign(), await sign()];
    expect(await send({ ...a, nonce: b.nonce })).toMatchObject(refused("signature_invalid"));
  });

  test("is refused for another address or purpose, or when unknown", async () => {
    const signed = await sign();
    const other = newWallet();
    expect(await send({ ...signed, address: other.address })).toMatchObject(refused("nonce_invalid"));
    expect(await send({ ...(await sign(partner.wallet, "register")) })).toMatchObject(
      refused("nonce_invalid"),
    );
    expect(await send({ ...(await sign(partner.wallet, "apply")) })).toMatchObject(refused("nonce_invalid"));
    for (const nonce of ["a", "0".repeat(32), `${signed.nonce}0`, signed.nonce.toUpperCase(), "*", "a:b"])
      expect(await send({ ...signed, nonce })).toMatchObject(refused("nonce_invalid"));
    expect((await send(signed)).status).toBe(200);
  });

  test("stays valid when another caller requests a nonce for the address", async () => {
    const signed = await sign();
    await Promise.all(Array.from({ length: 20 }, () => sign()));
    expect((await send(signed)).status).toBe(200);
  });

  test("is refused by another deployment on the same store", async () => {
    const elsewhere = causeway.isolate({ PUBLIC_URL: "https://evil.example" });
    const signing = { wallet: partner.wallet, purpose: "login" } as const;
    const { message, ...signed } = await signNonce(elsewhere, signing);
    expect(message).toContain("evil.example wants you to sign in");
    expect(await send(signed)).toMatchObject(refused("nonce_invalid"));
  });

  test("expires after ten minutes", async () => {
    const context = causeway.context();
    const at = (ms: number) => ({ ...context, now: () => Date.now() + ms });
    await expect(loginVerb(at(600_001), await sign())).rejects.toMatchObject({ code: "nonce_invalid" });
    await expect(loginVerb(at(590_000), await sign())).resolves.toMatchObject({ partner: {} });
  });

  test("does not depend on the Host header", async () => {
    const response = await causeway.send("/v1/partners/nonce", {
      method: "POST",
      headers: {
        host: "evil.example",
        "content-type": "application/json",
        "x-forwarded-host": "evil.example",
      },
      body: JSON.stringify({ address: partner.address }),
    });
    expect(await response.text()).not.toContain("evil");
  });

  test("is for login when the address is a partner's, otherwise for registration", async () => {
    const message = async (address: string) =>
      (await call(causeway, ["POST", "/v1/partners/nonce"], { body: { address } })).body["message"];
    expect(await message(partner.address)).toContain("Partner login: sign in to the Causeway partner portal");
    const other = await message(newWallet().address);
    expect(other).toContain("Register this wallet");
    // A client of the original interface takes this word for the sign of a registered wallet.
    expect(other).not.toMatch(/login/i);
  });
});
