import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { countRequest } from "../../src/partners/count-rate-limit.ts";
import type { Actor, PartnerProof } from "../../src/partners/partner-actor.ts";
import { bindings, testContext } from "../support/context.ts";
import { OpenLimiter } from "../support/partners/stores.ts";

const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const by = (proof: PartnerProof): Actor => ({
  kind: "partner",
  partner: { address: ADDRESS, partnerId: "ptr_1", partnerType: 2, vaults: null },
  proof,
  keyVersion: 1,
  keyId: "key_1",
  rights: ["build", "read", "manage"],
  session: null,
});

async function windowOf(actor: Actor, rateLimits: object = {}) {
  const limiter = new OpenLimiter();
  const config = parseConfig({ ...bindings, RATE_LIMITS: JSON.stringify(rateLimits) });
  const context = { ...testContext({ config }), limiter, actor };
  const counted = await countRequest(context, { name: "build", client: "192.0.2.1" });
  return [counted.limit, limiter.windows[0]?.subject];
}

describe("countRequest()", () => {
  test("counts by client address, key and address, or partner", async () => {
    const lower = ADDRESS.toLowerCase();
    expect(await windowOf({ kind: "anonymous" })).toEqual([60, "client:192.0.2.1"]);
    expect(await windowOf({ kind: "admin" })).toEqual([60, "client:192.0.2.1"]);
    expect(await windowOf(by("key"))).toEqual([600, `key:${lower}:192.0.2.1`]);
    expect(await windowOf(by("pair"))).toEqual([600, `partner:${lower}`]);
    expect(await windowOf(by("session"))).toEqual([600, `partner:${lower}`]);
  });

  test("counts per caller and user address where a user is given, never per user address alone", async () => {
    const user = ADDRESS;
    const subjects: string[] = [];
    for (const client of ["192.0.2.1", "192.0.2.2"]) {
      const limiter = new OpenLimiter();
      await countRequest({ ...testContext(), limiter }, { name: "user_build", client, user });
      subjects.push(limiter.windows[0]?.subject ?? "");
    }
    expect(subjects).toEqual([
      `client:192.0.2.1:${user.toLowerCase()}`,
      `client:192.0.2.2:${user.toLowerCase()}`,
    ]);
  });

  test("prefers the partner's own limit to the configured one", async () => {
    const partners = { [ADDRESS]: { build: 5000 } };
    expect((await windowOf({ kind: "anonymous" }, { build: 7 }))[0]).toBe(7);
    expect((await windowOf(by("key"), { build: 7, key_factor: 3 }))[0]).toBe(21);
    expect((await windowOf(by("key"), { build: 7, partners }))[0]).toBe(5000);
    expect((await windowOf(by("key"), { partners: { [ADDRESS]: { quote: 1 } } }))[0]).toBe(600);
  });
});

describe("RATE_LIMITS", () => {
  test("has these default limits", () => {
    expect(parseConfig(bindings)).toMatchObject({
      keyFactor: 10,
      limits: {
        quote: 60,
        build: 60,
        user_build: 20,
        nonce: 10,
        register: 10,
        login: 10,
        positions: 120,
        status: 120,
        reads: 600,
      },
    });
  });

  test.each(['{"build":0}', '{"build":1.5}', '{"build":"60"}', '{"bild":60}', "[]", "5", '{"key_factor":0}'])(
    "refuses %s",
    (RATE_LIMITS) => {
      expect(() => parseConfig({ ...bindings, RATE_LIMITS })).toThrow("RATE_LIMITS");
    },
  );

  test("weak peppers are refused without being shown in the error", () => {
    for (const PARTNER_PEPPERS of ['{"1":"short"}', '{"a":"a-pepper-of-thirty-two-characters"}', "x"])
      expect(() => parseConfig({ ...bindings, PARTNER_PEPPERS })).toThrow(
        /^configuration.*: PARTNER_PEPPERS$/,
      );
  });

  test("sorts peppers with the newest version first", () => {
    const secret = "a-pepper-of-thirty-two-characters";
    const { partnerPeppers } = parseConfig({
      ...bindings,
      PARTNER_PEPPERS: JSON.stringify({ 2: secret, 10: secret, 1: secret }),
    });
    expect(partnerPeppers.map(({ version }) => version)).toEqual([10, 2, 1]);
  });

  test("takes only bindings that are rate limiters as platform limiters", () => {
    const limiter = { limit: async () => ({ success: true }) };
    const env = { ...bindings, LIMIT_600: limiter, LIMIT_5: {}, LIMIT_X: limiter, LIMIT_07: limiter };
    expect([...parseConfig(env).platformLimiters.keys()]).toEqual([600]);
  });
});
