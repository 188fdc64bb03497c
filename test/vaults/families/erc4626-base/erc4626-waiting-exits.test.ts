import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { eventLog, reasonData } from "../../../support/vaults/answer.ts";

const cooling: Vault = { ...vault, adapter: "erc4626", params: { exit: "cooldown" } };
const SILO: Address = "0x4444444444444444444444444444444444444444";
const SHARES = 80n * 10n ** 18n;

const ASSETS = 90n;
const WITHDRAW =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";

/** Logs of the start of a cooldown, changed by `change`. */
function startLogs(change: Partial<Record<"receiver" | "owner", Address>> = {}): Log[] {
  const args = { sender: USER, receiver: SILO, owner: USER, assets: ASSETS, shares: SHARES, ...change };
  return [eventLog(VAULT, WITHDRAW, args)] as unknown as Log[];
}

test.each([
  ["WM:AS:IN_QUEUE", "request_pending"],
  ["WM:PE:NOT_ENOUGH_LIQUIDITY", "no_liquidity"],
  ["WM:RS:WITHDRAWAL_PENDING", "withdrawal_state"],
  ["WM:PE:NOT_IN_WINDOW", "withdrawal_state"],
])("Maple's reason %s means %s", (reason, code) => {
  expect(erc4626.exits?.explain?.(reasonData(reason))).toEqual({ code, text: reason });
});

describe("findRequest() of vaults with a cooldown", () => {
  const found = (change: Parameters<typeof startLogs>[0]) =>
    erc4626.exits?.findRequest?.(cooling, { user: USER, logs: startLogs(change) });

  test("finds the start of a cooldown, whose assets go to the contract that keeps them", () => {
    expect(found({})).toEqual({ requestId: "0", shares: SHARES, assets: ASSETS });
  });

  test("finds neither an instant redemption while the cooldown is zero nor another account's cooldown", () => {
    expect(found({ receiver: USER })).toBeNull();
    expect(found({ owner: OTHER })).toBeNull();
  });
});

describe("findSettlement() of vaults with a cooldown", () => {
  const { address: token } = vault.asset;
  const pays = (value: bigint, change = {}) => transferLog({ token, from: SILO, to: USER, value, ...change });
  const found = (logs: Log[], requestLogs = startLogs()) =>
    erc4626.exits?.findSettlement?.(cooling, { user: USER, requestId: "0", logs, requestLogs });

  test("finds a payment by the contract that keeps the assets, also of several cooldowns together", () => {
    expect(found([pays(ASSETS)])).toEqual({ outcome: "paid", assets: ASSETS, alone: true });
    // An earlier or later cooldown of the account, which joins this one, is no part of the order.
    expect(found([pays(2n * ASSETS)])).toEqual({ outcome: "paid", assets: ASSETS, alone: true });
  });

  test.each<[string, Log[]]>([
    ["comes from another account", [pays(ASSETS, { from: OTHER })]],
    ["comes from the vault, which keeps no cooling assets", [pays(ASSETS, { from: VAULT })]],
    ["goes to another account", [pays(ASSETS, { to: OTHER })]],
    ["is less than what is cooling", [pays(ASSETS - 1n)]],
    ["is of another token", [pays(ASSETS, { token: VAULT })]],
  ])("finds nothing in a transfer that %s", (_name, logs) => {
    expect(found(logs)).toBeNull();
  });

  test("finds nothing without the start of the user's cooldown", () => {
    expect(found([pays(ASSETS)], [])).toBeNull();
    expect(found([pays(ASSETS)], startLogs({ owner: OTHER }))).toBeNull();
  });
});
