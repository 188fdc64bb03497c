import { expect, test } from "vitest";
import { toWireRedemption } from "../../src/positions/position-redemptions.ts";
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
