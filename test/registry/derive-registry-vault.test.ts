import { describe, expect, test } from "vitest";
import { confirmDerivation, deriveFromChain } from "../../src/registry/derive-registry-vault.ts";
import { recognizeFamily } from "../../src/registry/recognize-registry-family.ts";
import { unreviewedSubject } from "../../src/vaults/vault-deriver.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { vault } from "../support/deposits/fixtures.ts";

const subject = unreviewedSubject({ chainId: vault.chainId, address: vault.address });
const client = contractsClient(() => ({ ok: false, data: "0x" }));
const confirmed = (shareDecimals: number) =>
  confirmDerivation(client, {
    ...{ adapter: "erc4626", subject },
    derivation: { ok: true, vault: { ...vault, shareDecimals } },
  });

describe("confirmDerivation()", () => {
  test.each([37, 75, 77, 255, 2 ** 250])("refuses a share token of %d decimals", async (decimals) => {
    expect(await confirmed(decimals)).toEqual({
      ok: false,
      reason: `the share token reports ${decimals} decimals, more than 36`,
    });
  });
});

describe("a vault whose reads the nodes did not make", () => {
  const unreached = contractsClient(() => ({ ok: false, status: "not_reached" }));

  test.each(["erc4626", "ipor", "veda", "midas"])("is no wrong vault of %s", async (adapter) => {
    const derived = (from: typeof client) => deriveFromChain(from, { adapter, subject });
    expect(await derived(client)).toMatchObject({ ok: false, reason: expect.any(String) });
    await expect(derived(unreached)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("belongs to an unknown family, not to none", async () => {
    expect(await recognizeFamily(client, subject)).toBeNull();
    await expect(recognizeFamily(unreached, subject)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
