import { type Address, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { findShownDeposit } from "../../src/status/status-untracked-deposit.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../support/deposits/logs.ts";

const SHARE: Address = "0x5555555555555555555555555555555555555555";
const transaction = {
  ...{ hash: `0x${"11".repeat(32)}` as Hex, from: USER, to: VAULT, input: "0x" as Hex },
  ...{ value: 0n, gas: 500_000n },
};
const ofFamily = (adapter: string, change: Partial<Vault> = {}): Vault => ({ ...vault, adapter, ...change });
const shownBy = (own: Vault, from: Address, paid: bigint) => {
  const shares = transferLog({ token: own.shareToken, from, to: USER, value: 7n });
  const payment = transferLog({ token: USDC, from: USER, to: VAULT, value: paid });
  const receipt = receiptOf(shares, ...(paid === 0n ? [] : [payment]));
  return findShownDeposit({ vaults: [own], chain: testChain, transaction, receipt });
};

describe("findShownDeposit() of a call of the entry point without an event", () => {
  test.each([
    ["a generic vault", ofFamily("erc4626")],
    ["Lagoon", ofFamily("lagoon")],
    ["Accountable", ofFamily("accountable")],
    ["Centrifuge", ofFamily("centrifuge", { shareToken: SHARE, params: { deposit: "sync" } })],
  ])("takes shares that %s had for no deposit, as a cancelled request returns them", (_, own) => {
    expect(shownBy(own, OTHER, 0n)).toBeNull();
  });

  test("finds a deposit by shares that were minted", () => {
    expect(shownBy(ofFamily("erc4626"), zeroAddress, 0n)).toMatchObject({ sent: null, received: 7n });
  });

  test("finds a deposit by shares that were paid for, wherever they came from", () => {
    expect(shownBy(ofFamily("erc4626"), OTHER, 5n)).toMatchObject({
      sent: 5n,
      sentToken: USDC,
      received: 7n,
    });
  });
});
