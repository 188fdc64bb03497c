import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type Isolate,
  startTestDeployment,
  type TestDeployment,
} from "../../scripts/stack/test-deployment.ts";
import { asPair, asSession, makePartner, newWallet } from "../support/partners/wallet.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

let addresses = 0;
/** A client that nobody was before. */
const newClient = (): string => {
  addresses += 1;
  return `192.0.2.${addresses}`;
};
const limited = (limits: object) => causeway.isolate({ RATE_LIMITS: JSON.stringify(limits) });

const build = (at: Isolate, headers: Record<string, string>) =>
  at.send("/v1/quote/build", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: "{}",
  });
const nonce = (at: Isolate, client: string) =>
  at.send("/v1/partners/nonce", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": client },
    body: JSON.stringify({ address: newWallet().address, purpose: "login" }),
  });
/** How many of `total` requests at once were let in. */
async function admitted(total: number, send: (i: number) => Promise<Response>): Promise<number> {
  const all = await Promise.all(Array.from({ length: total }, (_, i) => send(i)));
  return all.filter(({ status }) => status !== 429).length;
}

describe("an exact rate limit", () => {
  test("admits exactly its number of concurrent requests across isolates", async () => {
    const isolates = [limited({ build: 20 }), limited({ build: 20 }), limited({ build: 20 })];
    const client = newClient();
    const send = (i: number) => build(isolates[i % 3] ?? causeway, { "cf-connecting-ip": client });
    expect(await admitted(60, send)).toBe(20);
  });

  test("reports the remaining requests and Retry-After when exceeded", async () => {
    const at = limited({ nonce: 2 });
    const client = newClient();
    const headersOf = async () => {
      const { status, headers } = await nonce(at, client);
      return [status, headers.get("ratelimit-policy"), headers.get("ratelimit"), headers.get("retry-after")];
    };
    expect(await headersOf()).toEqual([200, '"nonce";q=2;w=60', '"nonce";r=1;t=60', null]);
    expect(await headersOf()).toEqual([
      200,
      '"nonce";q=2;w=60',
      expect.stringMatching(/^"nonce";r=0;t=/),
      null,
    ]);
    const response = await nonce(at, client);
    const left = Number(/t=(\d+)$/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
    expect(left).toBeGreaterThan(50);
    expect([response.status, await response.json()]).toEqual([
      429,
      {
        type: "/docs/errors#rate_limited",
        title: "Too many requests",
        status: 429,
        detail: "the limit of 2 requests per minute (nonce) is exceeded",
        code: "rate_limited",
        request_id: expect.any(String),
        retry_after: left,
      },
    ]);
    expect(response.headers.get("retry-after")).toBe(String(left));
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("counts by the platform's client address and ignores forwarding headers", async () => {
    const at = limited({ build: 5 });
    const client = newClient();
    const forwarded = (i: number) => ({
      "x-forwarded-for": `198.51.100.${i}`,
      "x-real-ip": `198.51.100.${i}`,
      forwarded: `for=198.51.100.${i}`,
      "true-client-ip": `198.51.100.${i}`,
    });
    const send = (i: number) => build(at, { "cf-connecting-ip": client, ...forwarded(i) });
    expect(await admitted(30, send)).toBe(5);
    const other = newClient();
    expect(await admitted(1, () => build(at, { "cf-connecting-ip": other }))).toBe(1);
  });

  test("counts an IPv6 /64 prefix as one client", async () => {
    const at = limited({ build: 5 });
    const send = (i: number) => build(at, { "cf-connecting-ip": `2001:db8:1:2::${i.toString(16)}` });
    expect(await admitted(20, send)).toBe(5);
  });

  test("is separate for each kind of request", async () => {
    const at = limited({ build: 1, nonce: 1 });
    const client = newClient();
    expect((await build(at, { "cf-connecting-ip": client })).status).toBe(422);
    expect((await nonce(at, client)).status).toBe(200);
    expect((await build(at, { "cf-connecting-ip": client })).status).toBe(429);
  });
});

describe("the rate limit of an API key", () => {
  test("multiplies the limit for each client address, so a copied key exhausts nobody else", async () => {
    const partner = await makePartner(causeway);
    const at = limited({ build: 3, key_factor: 4 });
    const [thief, owner] = [newClient(), newClient()];
    const key = { "x-api-key": partner.api_key };
    expect(await admitted(30, () => build(at, { ...key, "cf-connecting-ip": thief }))).toBe(12);
    expect(await admitted(30, () => build(at, { ...key, "cf-connecting-ip": owner }))).toBe(12);
    const backend = asPair(partner);
    expect(await admitted(30, () => build(at, { ...backend, "cf-connecting-ip": thief }))).toBe(12);
    expect((await build(at, { ...backend, "cf-connecting-ip": owner })).status).toBe(429);
  });

  test("can be configured per partner", async () => {
    const partner = await makePartner(causeway);
    const at = limited({ build: 1, partners: { [partner.address]: { build: 7 } } });
    expect(await admitted(20, () => build(at, asPair(partner)))).toBe(7);
  });

  test("counts an invalid key against the client's limit, which stops guessing", async () => {
    const at = limited({ build: 4 });
    const client = newClient();
    const guess = () => build(at, { "x-api-key": "cw_live_guess", "cf-connecting-ip": client });
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
  });
});

describe("the rate limit of reads", () => {
  test("uses the platform's limiter and reports only its policy", async () => {
    const seen: string[] = [];
    const limiter = (success: boolean) => ({
      limit: async ({ key }: { key: string }) => {
        seen.push(key);
        return { success };
      },
    });
    const client = newClient();
    const headers = { "cf-connecting-ip": client };
    const open = causeway.isolate({ RATE_LIMITS: "", LIMIT_600: limiter(true) });
    const fine = await open.send("/v1/vaults", { headers });
    expect([fine.status, fine.headers.get("ratelimit-policy"), fine.headers.get("ratelimit")]).toEqual([
      200,
      '"reads";q=600;w=60',
      null,
    ]);
    const shut = causeway.isolate({ RATE_LIMITS: "", LIMIT_600: limiter(false) });
    const over = await shut.send("/v1/vaults", { headers });
    expect([over.status, over.headers.get("ratelimit"), over.headers.get("retry-after")]).toEqual([
      429,
      '"reads";r=0;t=60',
      "60",
    ]);
    expect(seen).toEqual([`reads:client:${client}`, `reads:client:${client}`]);
  });

  test("is counted in the isolate without a platform limiter", async () => {
    const at = limited({ reads: 3 });
    const client = newClient();
    const send = () => at.send("/v1/vaults", { headers: { "cf-connecting-ip": client } });
    expect(await admitted(10, send)).toBe(3);
    expect((await send()).headers.get("ratelimit")).toMatch(/^"reads";r=0;t=\d+$/);
  });

  test("does not apply to the health check", async () => {
    const at = limited({ reads: 1 });
    expect(await admitted(10, () => at.send("/health"))).toBe(10);
  });
});

describe("rate limits with Redis down", () => {
  test.each([
    ["refusing", { kind: "status", status: 500 }],
    ["silent", { kind: "timeout" }],
    ["talking nonsense", { kind: "html" }],
    ["of another version", { kind: "drift" }],
  ])("(%s) keep reads, builds, sessions and keys working; sign-in answers 503", async (_how, fault) => {
    const partner = await makePartner(causeway);
    await causeway.fault("upstash", [fault]);
    const sent = vi.spyOn(globalThis, "fetch");
    try {
      const client = newClient();
      const at = causeway.isolate(
        { RATE_LIMITS: JSON.stringify({ build: 1, nonce: 1 }) },
        { redisDeadlines: true },
      );
      const [first, second, asked, me, keyed, vaults] = await Promise.all([
        build(at, { "cf-connecting-ip": client }),
        build(at, { "cf-connecting-ip": client }),
        nonce(at, client),
        at.send("/v1/partners/me", { headers: asSession(partner.session_token) }),
        build(at, asPair(partner)),
        at.send("/v1/vaults"),
      ]);
      expect([first, second, asked, me, keyed, vaults].map(({ status }) => status)).toEqual([
        422, 422, 503, 200, 422, 200,
      ]);
      expect(await asked.json()).toMatchObject({ code: "store_unavailable" });
      expect([first.headers.get("ratelimit-policy"), first.headers.get("ratelimit")]).toEqual([
        '"build";q=1;w=60',
        null,
      ]);
      // Each command ends by its own timeout, so their number bounds the wait.
      const urls = sent.mock.calls.map(([to]) => (to instanceof Request ? to.url : String(to)));
      const commands = urls.filter((url) => url.startsWith(causeway.hub.upstash)).length;
      expect(commands).toBeGreaterThan(0);
      expect(commands).toBeLessThanOrEqual(7);
    } finally {
      sent.mockRestore();
      await causeway.fault("upstash", []);
    }
  });
});

describe("authentication with Postgres down", () => {
  test("answers 503 for sign-in and keys; public reads with a key continue as anonymous", async () => {
    const partner = await makePartner(causeway);
    const at = causeway.isolate();
    expect((await at.send("/v1/vaults")).status).toBe(200);
    await causeway.fault("neon", [{ kind: "status", status: 500 }]);
    try {
      const key = { "x-api-key": partner.api_key };
      const me = await at.send("/v1/partners/me", { headers: asSession(partner.session_token) });
      const statuses = [
        (await at.send("/v1/vaults", { headers: key })).status,
        (await build(at, key)).status,
        me.status,
        (await at.send("/v1/partners/api-keys/rotate", { method: "POST", headers: asPair(partner) })).status,
      ];
      expect(statuses).toEqual([200, 503, 503, 503]);
    } finally {
      await causeway.fault("neon", []);
    }
    const me = await at.send("/v1/partners/me", { headers: asSession(partner.session_token) });
    expect(me.status).toBe(200);
    expect((await build(at, asPair(partner))).status).toBe(422);
  });
});
