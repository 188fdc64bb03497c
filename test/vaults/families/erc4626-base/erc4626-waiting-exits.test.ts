import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { OTHER, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const cooling: Vault = { ...vault, adapter: "erc4626", params: { exit: "cooldown" } };
const SILO: Address = "0x4444444444444444444444444444444444444444";
const SHARES = 80n * 10n ** 18n;

describe("findRequest() of vaults with a cooldown", () => {
  const withdraw =
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";
  const found = (change: Partial<Record<"receiver" | "owner", Address>>) => {
    const args = { sender: USER, receiver: SILO, owner: USER, assets: 90n, shares: SHARES, ...change };
    const logs = [eventLog(VAULT, withdraw, args)] as unknown as Log[];
    return erc4626.exits?.findRequest?.(cooling, { user: USER, logs });
  };

  test("finds the start of a cooldown, whose assets go to the contract that keeps them", () => {
    expect(found({})).toEqual({ requestId: "0", shares: SHARES });
  });

  test("finds neither an instant redemption while the cooldown is zero nor another account's cooldown", () => {
    expect(found({ receiver: USER })).toBeNull();
    expect(found({ owner: OTHER })).toBeNull();
  });
});
