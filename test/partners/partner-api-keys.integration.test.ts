import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Isolate,
  startTestDeployment,
  type TestDeployment,
} from "../../scripts/stack/test-deployment.ts";
import { authenticate } from "../../src/partners/authenticate-partner.ts";
import { rotateKeys } from "../../src/partners/partner-api-keys.ts";
import {
  type Answer,
  asPair,
  asSession,
  call,
  decide,
  login,
  makePartner,
  type NewPartner,
} from "../support/partners/wallet.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

type Headers = Record<string, string>;
const rotate = (headers: Headers, at: Isolate = causeway): Promise<Answer> =>
  call(at, ["POST", "/v1/partners/api-keys/rotate"], { headers });
/** A public operation that takes keys: 422 says that the caller was let in. */
const build = (headers: Headers, at: Isolate = causeway): Promise<Answer> =>
  call(at, ["POST", "/v1/quote/build"], { headers, body: {} });
const refused = { status: 401, body: { code: "credentials_invalid" } };
const onlyKey = ({ api_key }: { api_key?: unknown }): Headers => ({ "x-api-key": String(api_key) });

describe("an API key", () => {
  test("authenticates alone and with its secret", async () => {
    const partner = await makePartner(causeway);
    expect((await build(onlyKey(partner))).status).toBe(422);
    expect((await build(asPair(partner))).status).toBe(422);
  });

  test.each<[string, (pair: NewPartner, other: NewPartner) => Headers]>([
    ["secret in place of the key", ({ api_secret }) => ({ "x-api-key": api_secret })],
    ["key and secret swapped", (p) => asPair({ api_key: p.api_secret, api_secret: p.api_key })],
    ["key as its own secret", (p) => asPair({ api_key: p.api_key, api_secret: p.api_key })],
    ["another partner's secret", (p, other) => asPair({ ...p, api_secret: other.api_secret })],
    ["truncated key", ({ api_key }) => ({ "x-api-key": api_key.slice(0, -1) })],
    ["truncated secret", (p) => asPair({ ...p, api_secret: p.api_secret.slice(0, -1) })],
    ["longer key", ({ api_key }) => ({ "x-api-key": `${api_key}a` })],
    ["wrong checksum of the key", ({ api_key }) => ({ "x-api-key": flipLast(api_key) })],
    ["wrong checksum of the secret", (p) => asPair({ ...p, api_secret: flipLast(p.api_secret) })],
    ["session token as the key", ({ session_token }) => ({ "x-api-key": session_token })],
    ["empty key", () => ({ "x-api-key": "" })],
    ["empty secret", (p) => asPair({ ...p, api_secret: "" })],
    ["secret without a key", ({ api_secret }) => ({ "x-api-secret": api_secret })],
    ["key in lower case", ({ api_key }) => ({ "x-api-key": api_key.toLowerCase() })],
    ["digest as the key", () => ({ "x-api-key": "0".repeat(64) })],
    ["SQL injection", () => ({ "x-api-key": "' or 1=1 --" })],
  ])("is refused: %s", async (_what, headers) => {
    const [partner, other] = [await makePartner(causeway), await makePartner(causeway)];
    expect(await build(headers(partner, other))).toMatchObject(refused);
    expect(await rotate(headers(partner, other))).toMatchObject(refused);
    expect((await build(asPair(partner))).status).toBe(422);
  });

  test("cannot be rotated without its secret", async () => {
    const partner = await makePartner(causeway);
    expect(await rotate(onlyKey(partner))).toMatchObject(refused);
  });

  test("is refused together with the session of another partner", async () => {
    const [a, b] = [await makePartner(causeway), await makePartner(causeway)];
    expect(await rotate({ ...asPair(a), ...asSession(b.session_token) })).toMatchObject(refused);
    expect((await rotate({ ...asPair(a), ...asSession(a.session_token) })).status).toBe(200);
  });

  test("is never stored in the database, nor are secrets and tokens", async () => {
    const partner = await makePartner(causeway);
    const { rows } = await causeway.db.execute<{ text: string }>(
      "select concat_ws('|', (select string_agg(k::text, ',') from api_keys k), (select string_agg(s::text, ',') from sessions s), (select string_agg(a::text, ',') from audit a), (select string_agg(p::text, ',') from partners p)) as text",
    );
    const text = rows[0]?.text ?? "";
    expect(text).toContain(partner.partner_id);
    for (const secret of [partner.api_key, partner.api_secret, partner.session_token])
      expect(text).not.toContain(secret.slice(8, 30));
  });
});

describe("rotateKeys()", () => {
  test("invalidates the old pair at once, in every isolate", async () => {
    const partner = await makePartner(causeway);
    const other = causeway.isolate();
    expect((await build(asPair(partner), other)).status).toBe(422);
    const { status, body } = await rotate(asPair(partner));
    expect(status).toBe(200);
    for (const at of [causeway, other, causeway.isolate()]) {
      expect(await build(asPair(partner), at)).toMatchObject(refused);
      expect(await build(onlyKey(partner), at)).toMatchObject(refused);
      expect((await build(asPair(body), at)).status).toBe(422);
    }
  });

  test("by session keeps that session and ends the others; by key pair ends all sessions", async () => {
    const partner = await makePartner(causeway);
    const { session_token: second } = (await login(causeway, partner.wallet)).body;
    const me = async (token: unknown) =>
      (await call(causeway, ["GET", "/v1/partners/me"], { headers: asSession(token) })).status;
    const rotated = await rotate(asSession(second));
    expect([await me(partner.session_token), await me(second)]).toEqual([401, 200]);
    expect((await rotate(asPair(rotated.body))).status).toBe(200);
    expect(await me(second)).toBe(401);
  });

  test.each<[string, (partner: NewPartner, i: number) => Headers]>([
    ["pairs", (partner) => asPair(partner)],
    ["sessions", (partner) => asSession(partner.session_token)],
    ["pairs and sessions", (p, i) => (i % 2 === 0 ? asPair(p) : asSession(p.session_token))],
  ])("with concurrent rotations by %s leaves one valid pair", async (by, headers) => {
    const isolates = [causeway, causeway.isolate(), causeway.isolate()];
    for (let round = 0; round < 5; round += 1) {
      const partner = await makePartner(causeway);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => rotate(headers(partner, i), isolates[i % 3] ?? causeway)),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect(answers.every(({ status }) => status === 200 || status === 401)).toBe(true);
      // Rotations by one session follow one another; the last pair works.
      const working = [];
      for (const { body } of winners) if ((await build(asPair(body))).status === 422) working.push(body);
      if (by === "sessions") expect(winners).toHaveLength(answers.length);
      expect(winners.length).toBeGreaterThan(0);
      expect(working).toHaveLength(1);
      expect(await build(asPair(partner))).toMatchObject(refused);
    }
  });
});

describe("the loser of two concurrent rotations", () => {
  /** Recognised before another rotation won. */
  const recognised = async (headers: Headers) => {
    const context = causeway.context();
    const offered = {
      key: headers["x-api-key"] ?? null,
      secret: headers["x-api-secret"] ?? null,
      authorization: headers["authorization"] ?? null,
    };
    return { ...context, actor: await authenticate(context, { access: "manage", offered }) };
  };

  test.each<[string, string, (p: NewPartner) => Headers, (p: NewPartner) => Headers]>([
    ["by pair", "credentials_invalid", asPair, asPair],
    ["by a session that the other ended", "session_expired", (p) => asSession(p.session_token), asPair],
  ])("%s gets %s and changes nothing", async (_by, code, loses, wins) => {
    const partner = await makePartner(causeway);
    const late = await recognised(loses(partner));
    const won = await rotate(wins(partner));
    expect(won.status).toBe(200);
    await expect(rotateKeys(late)).rejects.toMatchObject({ code });
    expect((await build(asPair(won.body))).status).toBe(422);
  });

  test("by a session that is still valid rotates after the winner, and the session stays", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const late = await recognised(session);
    const won = await rotate(session);
    const rotated = await rotateKeys(late);
    expect(await build(asPair(won.body))).toMatchObject(refused);
    expect((await build(asPair({ ...rotated }))).status).toBe(422);
    expect((await call(causeway, ["GET", "/v1/partners/me"], { headers: session })).status).toBe(200);
  });

  test("by a session whose application was revoked gets session_expired", async () => {
    const partner = await makePartner(causeway);
    const late = await recognised(asSession(partner.session_token));
    await decide(causeway, "revoke", partner.applicationId);
    await expect(rotateKeys(late)).rejects.toMatchObject({ code: "session_expired" });
  });
});

describe("revoking an application", () => {
  test("invalidates key, secret and sessions at once, in every isolate and permanently", async () => {
    const partner = await makePartner(causeway);
    const other = causeway.isolate();
    const session = asSession(partner.session_token);
    expect((await build(asPair(partner), other)).status).toBe(422);
    await decide(causeway, "revoke", partner.applicationId);
    const expectDead = async () => {
      for (const at of [causeway, other]) {
        expect(await build(onlyKey(partner), at)).toMatchObject(refused);
        expect(await build(asPair(partner), at)).toMatchObject(refused);
        expect(await rotate(asPair(partner), at)).toMatchObject(refused);
        expect((await call(at, ["GET", "/v1/partners/me"], { headers: session })).status).toBe(401);
        expect((await rotate(session, at)).status).toBe(401);
      }
    };
    await expectDead();
    await decide(causeway, "reopen", partner.applicationId);
    await expectDead();
    await decide(causeway, "approve", partner.applicationId);
    await expectDead();
    const again = await login(causeway, partner.wallet);
    const rotated = await rotate(asSession(again.body["session_token"]));
    expect((await build(asPair(rotated.body))).status).toBe(422);
  });

  test("lists no dead pair after a later approval, and leaves all five places", async () => {
    const partner = await makePartner(causeway);
    const create = (headers: Record<string, string>, name: string) =>
      call(causeway, ["POST", "/v1/partners/api-keys"], { headers, body: { name, rights: ["read"] } });
    for (const name of ["a", "b", "c", "d"])
      expect((await create(asSession(partner.session_token), name)).status).toBe(201);
    for (const step of ["revoke", "reopen", "approve"] as const)
      await decide(causeway, step, partner.applicationId);
    const again = await login(causeway, partner.wallet);
    const session = asSession(again.body["session_token"]);
    const listed = async () =>
      (await causeway.send("/v1/partners/api-keys", { headers: session })).json() as Promise<unknown[]>;
    expect(await listed()).toEqual([]);
    for (const name of ["e", "f", "g", "h", "i"]) expect((await create(session, name)).status).toBe(201);
    expect((await create(session, "j")).status).toBe(409);
    expect(await listed()).toHaveLength(5);
  });

  test("leaves no valid session when it races with a login", async () => {
    for (let round = 0; round < 5; round += 1) {
      const partner = await makePartner(causeway);
      const [, ...logins] = await Promise.all([
        decide(causeway, "revoke", partner.applicationId),
        ...Array.from({ length: 6 }, () => login(causeway, partner.wallet)),
      ]);
      await decide(causeway, "reopen", partner.applicationId);
      await decide(causeway, "approve", partner.applicationId);
      for (const { body } of logins) {
        if (body["session_token"] === undefined) continue;
        const headers = asSession(body["session_token"]);
        expect((await call(causeway, ["GET", "/v1/partners/me"], { headers })).status).toBe(401);
      }
    }
  });
});

describe("pepper rotation", () => {
  const [old, fresh] = ["a-pepper-of-thirty-two-characters", "another-pepper-of-thirty-two-chars"];
  const both = () => causeway.isolate({ PARTNER_PEPPERS: JSON.stringify({ 1: old, 2: fresh }) });

  test("keeps old keys valid and digests new ones with the new pepper", async () => {
    const partner = await makePartner(causeway);
    expect((await build(asPair(partner), both())).status).toBe(422);
    const rotated = await rotate(asPair(partner), both());
    expect((await build(asPair(rotated.body), both())).status).toBe(422);
    const onlyNew = causeway.isolate({ PARTNER_PEPPERS: JSON.stringify({ 2: fresh }) });
    expect((await build(asPair(rotated.body), onlyNew)).status).toBe(422);
    expect(await build(asPair(rotated.body))).toMatchObject(refused);
  });

  test("without any pepper fails only the operations that need one", async () => {
    const partner = await makePartner(causeway);
    const without = causeway.isolate({ PARTNER_PEPPERS: "" });
    expect(await build(asPair(partner), without)).toMatchObject({ status: 500, body: { code: "internal" } });
    expect((await build({}, without)).status).toBe(422);
    const headers = asSession(partner.session_token);
    expect((await call(without, ["GET", "/v1/partners/me"], { headers })).status).toBe(200);
  });
});

function flipLast(text: string): string {
  return text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");
}
