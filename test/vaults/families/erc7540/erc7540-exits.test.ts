import { type Log, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import { RETURNED_SHARES } from "../../../../src/vaults/families/erc7540/erc7887-cancellations.ts";
import { lagoon } from "../../../../src/vaults/families/lagoon/lagoon-family.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { unknownPendingExit } from "../../../../src/vaults/vault-exits.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const requesting: Vault = { ...vault, adapter: "erc4626", params: { exit: "erc7540" } };
const SHARES = 80n * 10n ** 18n;

describe("findRequest() of vaults that redeem on request", () => {
  const standard =
    "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)";
  const renamed =
    "event RedeemRequested(address indexed controller, address indexed owner, uint256 requestId, address sender, uint256 shares)";
  const args = { controller: USER, owner: USER, requestId: 7n, sender: USER, shares: SHARES };
  const found = (log: unknown) =>
    erc4626.exits?.findRequest?.(requesting, { user: USER, logs: [log] as unknown as Log[] });

  test("finds the standard's event, and VaultCraft's, which has another name", () => {
    const seen = { requestId: "7", shares: SHARES };
    expect(found(eventLog(VAULT, standard, args))).toEqual(seen);
    expect(found(eventLog(VAULT, renamed, args))).toEqual(seen);
  });

  test("finds neither another contract's event nor another account's", () => {
    expect(found(eventLog(OTHER, renamed, args))).toBeNull();
    const theirs = { ...args, controller: OTHER };
    expect(found(eventLog(VAULT, renamed, theirs))).toBeNull();
  });
});

test("openShares() reads a user's pending and claimable shares, only where a request may replace another", () => {
  const views = erc4626.exits?.openShares?.(requesting, USER) ?? [];
  expect(views.map(({ data }) => data.slice(0, 10))).toEqual([
    toFunctionSelector("pendingRedeemRequest(uint256,address)"),
    toFunctionSelector("claimableRedeemRequest(uint256,address)"),
  ]);
  expect(erc4626.exits?.openShares?.({ ...requesting, params: {} }, USER)).toEqual([]);
  expect(lagoon.exits?.openShares).toBeUndefined();
});

test("shares of a cancellation are claimed only where some are known to have come back", () => {
  const from: Vault = { ...vault, adapter: "lagoon" };
  const claim = (claimableShares: bigint | null) =>
    lagoon.exits?.claim?.(from, {
      user: USER,
      request: {
        ...unknownPendingExit,
        requestId: RETURNED_SHARES,
        token: vault.asset.address,
        claimableShares,
      },
    });
  expect(claim(SHARES)?.data.slice(0, 10)).toBe(
    toFunctionSelector("claimCancelRedeemRequest(uint256,address,address)"),
  );
  expect([claim(0n), claim(null)]).toEqual([null, null]);
});
