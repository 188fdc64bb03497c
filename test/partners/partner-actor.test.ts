import { describe, expect, test } from "vitest";
import type { SessionOwner } from "../../src/db/queries/session-queries.ts";
import { isSessionLive } from "../../src/partners/authenticate-partner.ts";
import {
  type Actor,
  type PartnerProof,
  requirePartner,
  requireRight,
} from "../../src/partners/partner-actor.ts";
import { testContext } from "../support/context.ts";

const partner = {
  address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  partnerId: "ptr_1",
  partnerType: 0,
  vaults: null,
} as const;
const actorBy = (proof: PartnerProof): Actor => ({
  kind: "partner",
  partner,
  proof,
  keyVersion: 1,
  keyId: null,
  rights: ["read"],
  session: null,
});

describe("requirePartner()", () => {
  test.each<PartnerProof>(["session", "pair"])("returns a partner authenticated by %s", (proof) => {
    const actor = actorBy(proof);
    expect(requirePartner({ ...testContext(), actor })).toBe(actor);
  });

  test.each<[string, Actor]>([
    ["an API key without its secret", actorBy("key")],
    ["an anonymous caller", { kind: "anonymous" }],
    ["the administrator", { kind: "admin" }],
  ])("throws credentials_required for %s", (_who, actor) => {
    expect(() => requirePartner({ ...testContext(), actor })).toThrow(
      expect.objectContaining({ code: "credentials_required" }),
    );
  });
});

test("requireRight() throws key_forbidden for a right that the key lacks, and asks no other caller for one", () => {
  const forbidden = expect.objectContaining({
    ...{ code: "key_forbidden", message: expect.stringContaining("send another key, or a session") },
  });
  expect(() => requireRight({ actor: actorBy("pair") }, "read")).not.toThrow();
  expect(() => requireRight({ actor: actorBy("pair") }, "manage")).toThrow(forbidden);
  expect(() => requireRight({ actor: { kind: "anonymous" } }, "manage")).not.toThrow();
});

describe("isSessionLive()", () => {
  const NOW = 1_700_000_000_000;
  const ctx = testContext({ nowMs: NOW });
  const owner = (change: Partial<SessionOwner>): SessionOwner => ({
    ...partner,
    vaults: null,
    keyVersion: 1,
    expiresAt: new Date(NOW + 1),
    live: true,
    ...change,
  });

  test("is true until the millisecond before expiry", () => {
    expect(isSessionLive(ctx, owner({}))).toBe(true);
    expect(isSessionLive(ctx, owner({ expiresAt: new Date(NOW) }))).toBe(false);
  });

  test("is false once the application is revoked, before the session's expiry", () => {
    expect(isSessionLive(ctx, owner({ live: false }))).toBe(false);
  });
});
