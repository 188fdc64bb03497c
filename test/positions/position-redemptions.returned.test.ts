import { expect, test } from "vitest";
import { toWireDepositRequest, toWireRedemption } from "../../src/positions/position-redemptions.ts";
import { type PendingExit, unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { USDC, vault } from "../support/deposits/fixtures.ts";

test("toWireRedemption() shows how many shares of a cancelled request can be claimed back, not the assets", () => {
  const returned = { pays: "shares", claimableAssets: 0n, claimableShares: 10n } as const;
  const shown = (change: Partial<PendingExit>) =>
    toWireRedemption(
      { ...vault, adapter: "lagoon" },
      { request: { ...unknownPendingExit, token: USDC, ...returned, ...change }, open: [] },
    ).claimable;
  expect([shown({}), shown({ claimableShares: null })]).toEqual(["10", null]);
});

test("toWireDepositRequest() shows the assets of a cancelled request as claimable, without shares", () => {
  const claim = { target: vault.address, data: "0x12", paysBack: true } as const;
  const open = { pendingAssets: 100n, claimableShares: 0n, claimableAssets: 0n, returnedAssets: 60n };
  expect(toWireDepositRequest({ vault, ...open, claim }, [])).toMatchObject({
    ...{ state: "claimable", shares: null, assets: "100", claimable: "60" },
  });
  expect(toWireDepositRequest({ vault, ...open, claim: null }, [])).toMatchObject({ state: "pending" });
});

test("toWireDepositRequest() names the first request that is open, where the vault numbers them", () => {
  const pending = { vault, pendingAssets: 100n, claimableShares: 0n, claimableAssets: 0n, claim: null };
  const to = { chainId: vault.chainId, vaultAddress: vault.address.toLowerCase() };
  const known = ["5", "6"].map((requestId) => {
    return { ...to, trackingId: null, direction: "deposit" as const, requestId, shares: null };
  });
  expect(toWireDepositRequest(pending, known)).toMatchObject({ request_id: "5" });
  expect(toWireDepositRequest({ ...pending, openIds: ["6"] }, known)).toMatchObject({ request_id: "6" });
});
