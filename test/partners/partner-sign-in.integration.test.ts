import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import {
  apply,
  asSession,
  call,
  decide,
  login,
  makePartner,
  newWallet,
  register,
  signNonce,
  type Wallet,
} from "../support/partners/wallet.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

const me = (token: unknown) => call(causeway, ["GET", "/v1/partners/me"], { headers: asSession(token) });
const applicationOf = (wallet: Wallet) => call(causeway, ["GET", `/v1/applications/${wallet.address}`]);

describe("onboarding of a wallet", () => {
  test("applies, is approved, registers, signs in, rotates keys and signs out", async () => {
    const wallet = newWallet();
    const applied = await apply(causeway, wallet);
    expect(applied).toEqual({
      status: 201,
      body: { application_id: expect.stringMatching(/^app_[0-9a-f]{32}$/), status: "pending" },
    });
    const approved = await decide(causeway, "approve", applied.body["application_id"]);
    expect(approved).toMatchObject({ status: 200, body: { status: "approved", address: wallet.address } });
    const registered = await register(causeway, wallet, { description: "A wallet" });
    expect(registered).toEqual({
      status: 200,
      body: {
        address: wallet.address,
        name: "Wallet Company",
        partner_id: expect.stringMatching(/^ptr_[0-9a-f]{32}$/),
        api_key: expect.stringMatching(/^cw_live_[0-9A-Za-z]{39}$/),
        api_secret: expect.stringMatching(/^cw_secret_[0-9A-Za-z]{49}$/),
        api_key_prefix: expect.stringMatching(/^cw_live_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$/),
        created_at: expect.stringMatching(/Z$/),
        session_token: expect.stringMatching(/^cw_session_[0-9A-Za-z]{49}$/),
        expires_at: expect.stringMatching(/Z$/),
      },
    });
    const { session_token: first, partner_id, api_key_prefix, created_at } = registered.body;
    const partner = await me(first);
    expect(partner).toEqual({
      status: 200,
      body: {
        address: wallet.address,
        partner_id,
        partner_type: 2,
        name: "Wallet Company",
        website: "https://wallet.example",
        contact_email: "team@wallet.example",
        description: "A wallet",
        vault_ids: null,
        api_key_prefix,
        api_key_created_at: created_at,
        created_at,
      },
    });
    const second = await login(causeway, wallet);
    expect(second).toMatchObject({ status: 200, body: { partner: partner.body } });
    const headers = asSession(second.body["session_token"]);
    const rotated = await call(causeway, ["POST", "/v1/partners/api-keys/rotate"], { headers });
    expect([rotated.status, Object.keys(rotated.body)]).toEqual([
      200,
      ["api_key", "api_secret", "api_key_prefix"],
    ]);
    expect(await me(first)).toMatchObject({ status: 401, body: { code: "session_expired" } });
    expect(await call(causeway, ["POST", "/v1/partners/logout"], { headers })).toEqual({
      status: 200,
      body: { ended: true },
    });
    expect(await me(second.body["session_token"])).toMatchObject({ body: { code: "session_expired" } });
  });

  test("gets sessions that expire after a day", async () => {
    const { created_at, expires_at } = await makePartner(causeway);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(86_400_000);
  });
});

describe("register()", () => {
  test("requires an approved application", async () => {
    const wallet = newWallet();
    expect(await register(causeway, wallet)).toMatchObject({
      status: 403,
      body: { code: "application_required" },
    });
    const id = (await apply(causeway, wallet)).body["application_id"];
    for (const [step, code] of [
      [null, "application_pending"],
      ["reject", "application_rejected"],
      ["reopen", "application_pending"],
      ["approve", null],
      ["revoke", "application_revoked"],
    ] as const) {
      if (step !== null) expect((await decide(causeway, step, id)).status).toBe(200);
      if (code !== null) {
        expect(await register(causeway, wallet)).toMatchObject({ status: 403, body: { code } });
        expect(await login(causeway, wallet)).toMatchObject({ status: 403, body: { code } });
      }
    }
  });

  test("succeeds once among concurrent requests", async () => {
    const wallet = newWallet();
    await decide(causeway, "approve", (await apply(causeway, wallet)).body["application_id"]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(causeway, wallet)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.every(({ status, body }) => status === 409 && body["code"] === "partner_exists")).toBe(
      true,
    );
  });

  test("again is 409 partner_exists, with the nonce that the partner gets by default", async () => {
    const { wallet } = await makePartner(causeway);
    for (const purpose of ["login", "register"] as const) {
      const { message: _, ...signed } = await signNonce(causeway, { wallet, purpose });
      const again = () => call(causeway, ["POST", "/v1/partners/register"], { body: signed });
      expect(await again()).toMatchObject({ status: 409, body: { code: "partner_exists" } });
      expect(await again()).toMatchObject({ status: 401, body: { code: "nonce_invalid" } });
    }
    const { message: _, ...stranger } = await signNonce(causeway, { wallet: newWallet(), purpose: "login" });
    expect(await call(causeway, ["POST", "/v1/partners/register"], { body: stranger })).toMatchObject({
      status: 401,
      body: { code: "nonce_invalid" },
    });
  });

  test("takes empty profile fields from the application", async () => {
    const wallet = newWallet();
    await decide(causeway, "approve", (await apply(causeway, wallet)).body["application_id"]);
    const profile = { name: "Name", website: "", contact_email: "other@wallet.example" };
    const { body } = await register(causeway, wallet, profile);
    expect((await me(body["session_token"])).body).toMatchObject({
      name: "Name",
      website: "https://wallet.example",
      contact_email: "other@wallet.example",
    });
  });

  test("must precede login", async () => {
    const wallet = newWallet();
    await decide(causeway, "approve", (await apply(causeway, wallet)).body["application_id"]);
    expect(await login(causeway, wallet)).toMatchObject({ status: 404, body: { code: "partner_not_found" } });
  });
});

describe("partner applications", () => {
  test("are public with their status only", async () => {
    const wallet = newWallet();
    expect(await applicationOf(wallet)).toMatchObject({
      status: 404,
      body: { code: "application_not_found" },
    });
    const id = (await apply(causeway, wallet)).body["application_id"];
    const pending = { address: wallet.address, status: "pending", created_at: expect.any(String) };
    expect(await applicationOf(wallet)).toEqual({ status: 200, body: { ...pending, decided_at: null } });
    await decide(causeway, "reject", id);
    expect(await applicationOf(wallet)).toEqual({
      status: 200,
      body: { ...pending, status: "rejected", decided_at: expect.stringMatching(/Z$/) },
    });
  });

  test("can be filed again only after a rejection", async () => {
    const wallet = newWallet();
    const first = await apply(causeway, wallet);
    const id = first.body["application_id"];
    const exists = { status: 409, body: { code: "application_exists" } };
    expect(await apply(causeway, wallet)).toMatchObject(exists);
    await decide(causeway, "reject", id);
    expect(await apply(causeway, wallet)).toEqual(first);
    await decide(causeway, "approve", id);
    expect(await apply(causeway, wallet)).toMatchObject(exists);
    await decide(causeway, "revoke", id);
    expect(await apply(causeway, wallet)).toMatchObject({
      status: 403,
      body: { code: "application_revoked" },
    });
  });

  test("are filed once per address among concurrent requests", async () => {
    const wallet = newWallet();
    const answers = await Promise.all(Array.from({ length: 20 }, () => apply(causeway, wallet)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});

describe("input of partner operations", () => {
  const signedBody = async () => {
    const { message: _, ...signed } = await signNonce(causeway, {
      wallet: newWallet(),
      purpose: "register",
    });
    return signed;
  };

  test("may have members that the operation does not know, and null for absent ones", async () => {
    const body = { address: newWallet().address, audience: "wallets", chain_id: null };
    for (const path of ["/v1/applications/nonce", "/v1/partners/nonce"])
      expect(await call(causeway, ["POST", path], { body })).toMatchObject({ status: 200 });
    const applied = await call(causeway, ["POST", "/v1/applications/wallet"], {
      body: {
        ...(await signedBody()),
        form: { company: "A", email: "a@b.example", role: null, status: "approved" },
      },
    });
    expect(applied).toMatchObject({ status: 401, body: { code: "nonce_invalid" } });
  });

  test("accepts signatures of up to 8,192 bytes", async () => {
    const signed = await signedBody();
    const send = (bytes: number) =>
      call(causeway, ["POST", "/v1/partners/register"], {
        body: { ...signed, signature: `0x${"00".repeat(bytes)}` },
      });
    expect((await send(8193)).status).toBe(422);
    expect(await send(8192)).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
  });

  test.each(["0x", "0x00", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`])(
    "with the signature %s is refused",
    async (signature) => {
      const body = { ...(await signedBody()), signature };
      const answer = await call(causeway, ["POST", "/v1/partners/register"], { body });
      expect(answer).toMatchObject({ status: 401, body: { code: "signature_invalid" } });
    },
  );
});

describe("partner settings", () => {
  test("change only the fields of the body", async () => {
    const { session_token } = await makePartner(causeway);
    const headers = asSession(session_token);
    const put = (body: unknown) => call(causeway, ["PUT", "/v1/partners/settings"], { headers, body });
    const before = (await me(session_token)).body;
    expect(await put({})).toEqual({ status: 200, body: before });
    const changed = await put({ name: "New", partner_type: 1 });
    expect(changed).toEqual({ status: 200, body: { ...before, name: "New", partner_type: 1 } });
    for (const body of [{ address: "0x" }, { partner_id: "x" }, { api_key_prefix: "x" }, { name: null }])
      expect(await put(body)).toEqual(changed);
    expect((await put({ partner_type: 3 })).status).toBe(422);
    expect((await me(session_token)).body).toEqual(changed.body);
  });

  test("enroll existing vaults only", async () => {
    const { session_token } = await makePartner(causeway);
    const headers = asSession(session_token);
    const put = (body: unknown) => call(causeway, ["PUT", "/v1/partners/vaults"], { headers, body });
    const unknown = { vault_ids: ["1:0xbeef010f9cb27031ad51e3333f9af9c6b1228183"] };
    expect(await put(unknown)).toMatchObject({ status: 404, body: { code: "vault_not_found" } });
    expect(await put({ vault_ids: [] })).toMatchObject({ status: 200, body: { vault_ids: [] } });
    expect(await put({ vault_ids: null })).toMatchObject({ status: 200, body: { vault_ids: null } });
    expect((await put({ vaults: [] })).status).toBe(422);
  });
});
