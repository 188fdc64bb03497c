import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { iporExits } from "../../../../src/vaults/families/ipor/ipor-exits.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const MANAGER: Address = "0x4444444444444444444444444444444444444444";
const plasma: Vault = { ...vault, adapter: "ipor", params: { withdraw_manager: MANAGER } };

const updated = (account: Address = USER) =>
  eventLog(
    MANAGER,
    "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)",
    { account, shares: 60n, endWithdrawWindow: 1 },
  ) as unknown as Log;
const released = (emitter: Address = MANAGER) =>
  eventLog(emitter, "event ReleaseFundsUpdated(uint32 releaseTimestamp, uint128 sharesToRelease)", {
    releaseTimestamp: 1,
    sharesToRelease: 0n,
  }) as unknown as Log;
const withdrawn = (owner: Address = USER) =>
  eventLog(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: owner, receiver: USER, owner, assets: 90n, shares: 40n },
  ) as unknown as Log;
const burnt = transferLog({ from: USER });

const found = (logs: Log[]) =>
  iporExits.findSettlement?.(plasma, { user: USER, requestId: "0", logs, requestLogs: [] });

describe("findSettlement() of IPOR's vaults", () => {
  test("finds the redemption of a request, with its shares", () => {
    const once = [updated(), released(), burnt, withdrawn()];
    expect(found(once)).toEqual({ outcome: "paid", assets: 90n, shares: 40n });
    expect(found([...once, ...once])).toEqual({ outcome: "paid", assets: 180n, shares: 80n });
  });

  test("leaves out an instant redemption in the same transaction", () => {
    const paid = { outcome: "paid", assets: 90n, shares: 40n };
    expect(found([burnt, withdrawn(), updated(), released(), burnt, withdrawn()])).toEqual(paid);
    expect(found([updated(), released(), burnt, withdrawn(), burnt, withdrawn()])).toEqual(paid);
  });

  test.each<[string, Log[]]>([
    ["an instant redemption", [burnt, withdrawn()]],
    ["a new request, and an instant redemption", [updated(), burnt, withdrawn()]],
    ["another account's redemption", [updated(OTHER), released(), withdrawn(OTHER)]],
    ["an instant redemption after a release", [released(), burnt, withdrawn()]],
    ["events of another contract", [updated(), released(OTHER), burnt, withdrawn()]],
  ])("finds nothing in %s", (_name, logs) => {
    expect(found(logs)).toBeNull();
  });
});
