import { describe, expect, test } from "vitest";
import type { SessionOwner } from "../../src/db/queries/sessions.ts";
import { type Actor, type PartnerProof, requirePartner } from "../../src/partners/actor.ts";
import { isSessionLive } from "../../src/partners/authenticate.ts";
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
  session: null,
});

describe("what belongs to a partner", () => {
  test.each<PartnerProof>(["session", "pair"])("is for whoever came with a %s", (proof) => {
    const actor = actorBy(proof);
    expect(requirePartner({ ...testContext(), actor })).toBe(actor);
  });

  test.each<[string, Actor]>([
    ["came with a key alone, which anybody may have copied", actorBy("key")],
    ["said nothing", { kind: "anonymous" }],
    ["is the administrator", { kind: "admin" }],
  ])("is not for whoever %s", (_who, actor) => {
    expect(() => requirePartner({ ...testContext(), actor })).toThrow(
      expect.objectContaining({ code: "credentials_required" }),
    );
  });
});

describe("a session", () => {
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

  test("works until its last millisecond", () => {
    expect(isSessionLive(ctx, owner({}))).toBe(true);
    expect(isSessionLive(ctx, owner({ expiresAt: new Date(NOW) }))).toBe(false);
  });

  test("is over with its application, however long it had to last", () => {
    expect(isSessionLive(ctx, owner({ live: false }))).toBe(false);
  });
});
