import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { authenticate } from "../../src/partners/authenticate-partner.ts";
import { createKey } from "../../src/partners/partner-api-keys.ts";
import { asAdmin, asPair, asSession, call, decide, makePartner } from "../support/partners/wallet.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

type Headers = Record<string, string>;
const ask = (method: string, path: string, of: { headers: Headers; body?: unknown }) =>
  call(causeway, [method, path], of);
const keys = "/v1/partners/api-keys";
const create = (headers: Headers, body: object) => ask("POST", keys, { headers, body });
const list = async (headers: Headers): Promise<Listed[]> =>
  (await causeway.send(keys, { headers })).json() as Promise<Listed[]>;
const build = async (headers: Headers) =>
  (await ask("POST", "/v1/quote/build", { headers, body: {} })).status;
interface Listed {
  key_id: string;
  name: string;
  rights: string[];
  allow_list: string[];
  api_key_prefix: string;
  last_used_at: string | null;
}

describe("a backend with key and secret", () => {
  test("reads and changes what a session does, with the first pair", async () => {
    const partner = await makePartner(causeway);
    const headers = asPair(partner);
    for (const path of ["/v1/partners/me", "/v1/partners/dashboard", "/v1/partners/transactions", keys])
      expect([path, (await causeway.send(path, { headers })).status]).toEqual([path, 200]);
    const settings = await ask("PUT", "/v1/partners/settings", { headers, body: { name: "By pair" } });
    expect(settings).toMatchObject({ status: 200, body: { name: "By pair" } });
    expect(await list(headers)).toMatchObject([
      { name: "First key", rights: ["build", "read", "manage"], allow_list: [] },
    ]);
  });

  test("cannot read with the key alone", async () => {
    const partner = await makePartner(causeway);
    const headers = { "x-api-key": partner.api_key };
    expect((await ask("GET", "/v1/partners/me", { headers })).status).toBe(401);
  });
});

describe("named key pairs", () => {
  test("have rights of their own, and a secret that is shown once", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const reader = await create(session, { name: "Reports", rights: ["read"] });
    expect(reader).toMatchObject({
      status: 201,
      body: { name: "Reports", rights: ["read"], allow_list: [], last_used_at: null },
    });
    const headers = asPair(reader.body);
    expect((await ask("GET", "/v1/partners/me", { headers })).status).toBe(200);
    const forbidden = { status: 403, body: { code: "key_forbidden" } };
    expect(await ask("PUT", "/v1/partners/settings", { headers, body: {} })).toMatchObject(forbidden);
    expect(await create(headers, { name: "More" })).toMatchObject(forbidden);
    expect(await ask("POST", `${keys}/rotate`, { headers })).toMatchObject(forbidden);
    const builder = await create(session, { name: "Frontend", rights: ["build"] });
    expect(await ask("GET", "/v1/partners/me", { headers: asPair(builder.body) })).toMatchObject(forbidden);
    expect(await build(asPair(builder.body))).toBe(422);
    expect(JSON.stringify(await list(session))).not.toContain(String(reader.body["api_secret"]));
  });

  test("work from their allow list only", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await create(session, { name: "Office", rights: ["read"], allow_list: ["203.0.113.0/24"] });
    const from = (address: string) =>
      ask("GET", "/v1/partners/me", { headers: { ...asPair(made.body), "cf-connecting-ip": address } });
    expect((await from("203.0.113.9")).status).toBe(200);
    expect(await from("198.51.100.9")).toMatchObject({
      ...{ status: 403, body: { code: "key_forbidden", detail: expect.stringContaining("198.51.100.9") } },
    });
    const wrong = await create(session, { name: "Wrong", allow_list: ["203.0.113.0/40"] });
    expect(wrong).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "allow_list", 0] }] } });
  });

  test("are neither created nor changed by a body with a misspelt field", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const [first] = await list(session);
    const misspelt = { allowlist: ["203.0.113.0/24"] };
    const refused = {
      ...{ status: 422 },
      body: { detail: [{ loc: ["body", "allowlist"], type: "unknown_field" }] },
    };
    expect(await create(session, { name: "Office", ...misspelt })).toMatchObject(refused);
    const change = await ask("PATCH", `${keys}/${first?.key_id}`, { headers: session, body: misspelt });
    expect(change).toMatchObject(refused);
    expect(await list(session)).toEqual([first]);
  });

  test("are five at most, also when many are created at once, and free again when revoked", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await Promise.all(
      Array.from({ length: 9 }, (_, index) => create(session, { name: `Key ${index}` })),
    );
    const counts = [201, 409].map((status) => made.filter((one) => one.status === status).length);
    expect(counts).toEqual([4, 5]);
    expect(
      made.filter(({ status }) => status === 409).every(({ body }) => body["code"] === "limit_reached"),
    ).toBe(true);
    const held = await list(session);
    expect(held).toHaveLength(5);
    const [, second] = held;
    expect((await ask("DELETE", `${keys}/${second?.key_id}`, { headers: session })).status).toBe(200);
    expect((await create(session, { name: "Next" })).status).toBe(201);
  });

  test("are changed and revoked one by one, at once", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const [a, b] = [await create(session, { name: "A" }), await create(session, { name: "B" })];
    const path = `${keys}/${String(a.body["key_id"])}`;
    const changed = await ask("PATCH", path, { headers: session, body: { name: "A2", rights: ["build"] } });
    expect(changed).toMatchObject({ status: 200, body: { name: "A2", rights: ["build"], allow_list: [] } });
    expect((await ask("GET", "/v1/partners/me", { headers: asPair(a.body) })).status).toBe(403);
    expect(await ask("DELETE", path, { headers: session })).toMatchObject({
      status: 200,
      body: { revoked: true },
    });
    expect(await build(asPair(a.body))).toBe(401);
    expect(await build(asPair(b.body))).toBe(422);
    for (const method of ["DELETE", "PATCH"])
      expect(await ask(method, path, { headers: session, body: {} })).toMatchObject({
        status: 404,
        body: { code: "key_not_found" },
      });
  });

  test("leave in the audit log what they were before and after each change", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await create(session, { name: "A", rights: ["read", "build"] });
    const [first] = await list(session);
    const change = { name: "B", rights: ["read"], allow_list: ["203.0.113.0/24"] };
    for (const id of [String(made.body["key_id"]), first?.key_id]) {
      const path = `${keys}/${id}`;
      const before = (await list(session)).find(({ key_id: listed }) => listed === id);
      const shown = { name: before?.name, rights: before?.rights, allow_list: [] };
      await ask("PATCH", path, { headers: session, body: change });
      await ask("DELETE", path, { headers: session });
      const log = await call(causeway, ["GET", `/v1/admin/audit?subject=${id}`], { headers: asAdmin });
      const rows = (log.body["rows"] as Record<string, unknown>[]).slice(0, 2);
      expect(rows).toMatchObject([
        { action: "partner.key.revoke", before: change, after: null },
        { action: "partner.key.change", before: shown, after: change },
      ]);
    }
  });

  test("cannot be created by a partner who is revoked meanwhile", async () => {
    for (const [by, code] of [
      ["session", "session_expired"],
      ["pair", "credentials_invalid"],
    ] as const) {
      const partner = await makePartner(causeway);
      const authorization = by === "session" ? `Bearer ${partner.session_token}` : null;
      const pair = by === "session" ? {} : { key: partner.api_key, secret: partner.api_secret };
      const context = causeway.context();
      const offered = { key: null, secret: null, ...pair, authorization };
      const actor = await authenticate(context, { access: "manage", offered });
      await decide(causeway, "revoke", partner.applicationId);
      const late = createKey({ ...context, actor }, { name: "Late", rights: ["read"], allow_list: [] });
      await expect(late).rejects.toMatchObject({ code });
    }
  });

  test("are not said to be too many while a place is free", async () => {
    const partner = await makePartner(causeway);
    const context = causeway.context();
    const offered = { key: partner.api_key, secret: partner.api_secret, authorization: null };
    const actor = await authenticate(context, { access: "manage", offered });
    let attempts = 0;
    // Each insertion of the request is too late for its place, which is free again at once.
    const db: typeof context.db = {
      run: async <T>(statement: Parameters<typeof context.db.run<T>>[0]) => {
        attempts += 1;
        return attempts <= 5 ? ({ rows: [] } as T) : context.db.run(statement);
      },
    };
    const late = createKey({ ...context, actor, db }, { name: "Late", rights: ["read"], allow_list: [] });
    await expect(late).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("belong to one partner", async () => {
    const [mine, other] = [await makePartner(causeway), await makePartner(causeway)];
    const made = await create(asSession(mine.session_token), { name: "Mine" });
    const path = `${keys}/${String(made.body["key_id"])}`;
    expect((await ask("DELETE", path, { headers: asSession(other.session_token) })).status).toBe(404);
    expect(await build(asPair(made.body))).toBe(422);
  });

  test("show when they were last used", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await create(session, { name: "Used" });
    await build(asPair(made.body));
    const used = async () => (await list(session)).find(({ name }) => name === "Used")?.last_used_at;
    await expect.poll(used).toEqual(expect.any(String));
  });

  test("rotate alone: the pair that is used", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await create(session, { name: "Ops", rights: ["build", "manage"] });
    const rotated = await ask("POST", `${keys}/rotate`, { headers: asPair(made.body) });
    expect(rotated.status).toBe(200);
    expect(await build(asPair(made.body))).toBe(401);
    expect(await build(asPair(rotated.body))).toBe(422);
    expect(await build(asPair(partner))).toBe(422);
    expect((await ask("GET", "/v1/partners/me", { headers: session })).status).toBe(401);
  });

  test("rotate the pair that is sent beside a session, which stays", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await create(session, { name: "Ops", rights: ["build"] });
    const headers = { ...session, ...asPair(made.body) };
    const rotated = await ask("POST", `${keys}/rotate`, { headers });
    expect(rotated.status).toBe(200);
    expect([await build(asPair(made.body)), await build(asPair(rotated.body))]).toEqual([401, 422]);
    expect(await build(asPair(partner))).toBe(422);
    expect((await list(session)).map(({ name }) => name)).toEqual(["First key", "Ops"]);
    expect(await ask("POST", `${keys}/rotate`, { headers })).toMatchObject({ status: 401 });
  });

  test("are shown by the account while they work: the first that is listed", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const made = await create(session, { name: "Next" });
    const shown = async () => {
      const { body } = await ask("GET", "/v1/partners/me", { headers: session });
      return [body["api_key_prefix"], body["api_key_created_at"]];
    };
    const revoke = async () => {
      const [first] = await list(session);
      await ask("DELETE", `${keys}/${first?.key_id}`, { headers: session });
    };
    expect(await shown()).toEqual([partner.api_key_prefix, expect.any(String)]);
    await revoke();
    expect(await shown()).toEqual([made.body["api_key_prefix"], made.body["created_at"]]);
    await revoke();
    expect(await shown()).toEqual(["", partner.created_at]);
  });

  test("of which the first was revoked rotate the first that is listed, by session", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const [first] = await list(session);
    const [old, other] = [
      await create(session, { name: "Old", rights: ["build"] }),
      await create(session, { name: "Other", rights: ["build"] }),
    ];
    const ids = [old, other].map(({ body }) => body["key_id"]);
    expect((await ask("DELETE", `${keys}/${first?.key_id}`, { headers: session })).status).toBe(200);
    for (let round = 0; round < 2; round += 1) {
      const rotated = await ask("POST", `${keys}/rotate`, { headers: session });
      expect(await build(asPair(rotated.body))).toBe(422);
      const [listed] = await list(session);
      expect(listed).toMatchObject({ key_id: ids[0], name: "Old", rights: ["build"] });
      expect(listed?.api_key_prefix).toBe(rotated.body["api_key_prefix"]);
    }
    expect((await list(session)).map(({ key_id }) => key_id)).toEqual(ids);
    expect([await build(asPair(old.body)), await build(asPair(other.body))]).toEqual([401, 422]);
    expect(await build(asPair(partner))).toBe(401);
  });

  test("the first pair can be revoked too, and comes back with a rotation by session", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const [first] = await list(session);
    expect((await ask("DELETE", `${keys}/${first?.key_id}`, { headers: session })).status).toBe(200);
    expect(await build(asPair(partner))).toBe(401);
    expect(await list(session)).toEqual([]);
    const rotated = await ask("POST", `${keys}/rotate`, { headers: session });
    expect(await build(asPair(rotated.body))).toBe(422);
    expect((await list(session)).map(({ key_id }) => key_id)).toEqual([first?.key_id]);
  });

  test("are five again after the first one was revoked", async () => {
    const partner = await makePartner(causeway);
    const session = asSession(partner.session_token);
    const [first] = await list(session);
    await ask("DELETE", `${keys}/${first?.key_id}`, { headers: session });
    const named = { rights: ["build"], allow_list: ["203.0.113.0/24"] };
    const made = await Promise.all(
      Array.from({ length: 7 }, (_, index) => create(session, { name: `Key ${index}`, ...named })),
    );
    expect([201, 409].map((status) => made.filter((one) => one.status === status).length)).toEqual([5, 2]);
    const held = await list(session);
    expect(held).toHaveLength(5);
    expect(held[0]).toMatchObject({ key_id: first?.key_id, ...named, last_used_at: null });
    const fifth = made.find(({ body }) => body["key_id"] === first?.key_id)?.body ?? {};
    expect(fifth["name"]).toBe(held[0]?.name);
    const headers = { ...asPair(fifth), "cf-connecting-ip": "203.0.113.9" };
    expect(await build(headers)).toBe(422);
    expect(await build(asPair(partner))).toBe(401);
  });

  test("die with the partner's application", async () => {
    const partner = await makePartner(causeway);
    const made = await create(asSession(partner.session_token), { name: "Soon gone" });
    await decide(causeway, "revoke", partner.applicationId);
    expect(await build(asPair(made.body))).toBe(401);
  });
});
