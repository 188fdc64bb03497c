import { describe, expect, test } from "vitest";
import { confirmDerivation } from "../../src/registry/derive-vault.ts";
import { unreviewedSubject } from "../../src/vaults/vault-deriver.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { vault } from "../support/deposits/fixtures.ts";

const subject = unreviewedSubject({ chainId: vault.chainId, address: vault.address });
const client = contractsClient(() => ({ ok: false, data: "0x" }));
const confirmed = (shareDecimals: number) =>
  confirmDerivation(client, { subject, derivation: { ok: true, vault: { ...vault, shareDecimals } } });

describe("confirmDerivation()", () => {
  test.each([37, 75, 77, 255, 2 ** 250])("refuses a share token of %d decimals", async (decimals) => {
    expect(await confirmed(decimals)).toEqual({
      ok: false,
      reason: `the share token reports ${decimals} decimals, more than 36`,
    });
  });
});

test("confirmDerivation() leaves a derivation that is unread to another attempt", async () => {
  const derivation = { ok: false, reason: "not every call was made", isUnread: true } as const;
  await expect(confirmDerivation(client, { subject, derivation })).rejects.toMatchObject({
    code: "upstream_unavailable",
  });
});
