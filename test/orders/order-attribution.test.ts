import { keccak256, stringToHex, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { attributeOrder } from "../../src/orders/order-attribution.ts";
import type { PartnerActor, PartnerProof } from "../../src/partners/partner-actor.ts";
import { BuildInput } from "../../src/schemas/build-input-schema.ts";
import { testContext } from "../support/context.ts";

const VAULT = "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183";
const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const input = (change: object = {}) =>
  BuildInput.parse({
    from_chain_id: 8453,
    from_token: TOKEN,
    from_amount: "1",
    vault_id: VAULT,
    user_address: ADDRESS,
    ...change,
  });
const partner = (proof: PartnerProof, vaults: readonly string[] | null = null): PartnerActor => ({
  kind: "partner",
  partner: { address: ADDRESS, partnerId: "ptr_1", partnerType: 2, vaults },
  proof,
  keyVersion: 1,
  keyId: "key_1",
  rights: ["build", "read", "manage"],
  session: null,
});
const attributeFor = (actor: PartnerActor | null, change: object = {}) => {
  const context = { ...testContext(), actor: actor ?? ({ kind: "anonymous" } as const) };
  return attributeOrder(context, { input: input(change), vaultId: VAULT });
};

describe("attributeOrder() without an API key", () => {
  test("uses the caller's partner id and links no partner address", () => {
    expect(attributeFor(null)).toEqual({
      partnerId: "",
      partnerHash: zeroHash,
      partnerType: 0,
      partnerAddress: null,
      partnerVerified: false,
    });
    expect(attributeFor(null, { partner_id: "ptr_1", partner_type: 1 })).toEqual({
      partnerId: "ptr_1",
      partnerHash: keccak256(stringToHex("ptr_1")),
      partnerType: 1,
      partnerAddress: null,
      partnerVerified: false,
    });
  });
});

describe("attributeOrder() with an API key", () => {
  test.each<[PartnerProof, boolean]>([
    ["key", false],
    ["pair", true],
  ])("uses the owner's partner id and type (%s)", (proof, partnerVerified) => {
    for (const change of [{}, { partner_id: "ptr_1" }, { partner_type: 1 }])
      expect(attributeFor(partner(proof), change)).toEqual({
        partnerId: "ptr_1",
        partnerHash: keccak256(stringToHex("ptr_1")),
        partnerType: 2,
        partnerAddress: ADDRESS.toLowerCase(),
        partnerVerified,
      });
  });

  test.each(["ptr_2", "PTR_1", " ptr_1", ADDRESS])("refuses a different partner id (%s)", (partner_id) => {
    expect(() => attributeFor(partner("pair"), { partner_id })).toThrow(
      expect.objectContaining({ code: "partner_mismatch", message: expect.stringContaining("leave it out") }),
    );
  });

  test("refuses vaults that the partner has not enrolled", () => {
    expect(attributeFor(partner("key", [VAULT])).partnerId).toBe("ptr_1");
    for (const vaults of [[], [VAULT.replace("8453", "1")]])
      expect(() => attributeFor(partner("key", vaults))).toThrow(
        expect.objectContaining({
          ...{ code: "vault_not_enrolled", message: expect.stringContaining("PUT /v1/partners/vaults") },
        }),
      );
  });
});
