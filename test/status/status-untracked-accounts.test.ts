import { type Address, getAddress, type Hex, type Log, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { accountsOf, findShownDeposit, involvedVaults } from "../../src/status/status-untracked-deposit.ts";
import { findShownRequestEnd } from "../../src/status/status-untracked-request-end.ts";
import { findShownWithdrawal } from "../../src/status/status-untracked-withdrawal.ts";
import { entryPoints } from "../../src/tracking/deposits/track-deposit-source.ts";
import { adapterOf } from "../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../support/deposits/logs.ts";
import { eventLog } from "../support/vaults/answer.ts";

/** Anyone can make a transaction that names many accounts, or touches no vault, and ask for its status. */
const transaction = {
  ...{ hash: `0x${"11".repeat(32)}` as Hex, from: USER, to: OTHER, input: "0x" as Hex },
  ...{ value: 0n, gas: 500_000n },
};
const accountAt = (index: number): Address => getAddress(numberToHex(0xa000 + index, { size: 20 }));
const [entryPoint = OTHER] = entryPoints;
const operation = (index: number, emitter: Address = entryPoint): Log =>
  eventLog(
    emitter,
    "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
    {
      ...{ userOpHash: numberToHex(index, { size: 32 }), sender: accountAt(index), paymaster: OTHER },
      ...{ nonce: 1n, success: true, actualGasCost: 1n, actualGasUsed: 1n },
    },
  ) as unknown as Log;
const operations = (count: number, emitter?: Address) =>
  Array.from({ length: count }, (_, index) => operation(index, emitter));
const accountsIn = (vaults: number, ...logs: Log[]) =>
  accountsOf({ transaction, receipt: receiptOf(...logs) }, new Array<Vault>(vaults).fill(vault));

describe("accountsOf() a transaction", () => {
  test("has the senders of user operations, each once", () => {
    const logs = [operation(1), operation(2), operation(1)];
    expect(accountsIn(3, ...logs)).toEqual([USER, OTHER, accountAt(1), accountAt(2)]);
  });

  test("takes no sender from an event that another contract than an EntryPoint emits", () => {
    expect(accountsIn(1, operation(1, VAULT))).toEqual([USER, OTHER]);
  });

  test.each([
    [1, 100],
    [50, 20],
    [2_000, 2],
  ])("beside %i vaults has at most %i", (vaults, most) => {
    expect(accountsIn(vaults, ...operations(120))).toHaveLength(most);
  });
});

describe("involvedVaults()", () => {
  const named = {
    redeem_queue: accountAt(1).toUpperCase().replace("0X", "0x"),
    redeem_tokens: `${USDC}/6/USDC`,
  };
  const own: Vault = { ...vault, params: named };
  const involved = (to: Address, ...logs: Log[]) =>
    involvedVaults({ vaults: [own], transaction: { ...transaction, to }, receipt: receiptOf(...logs) });

  test("has a vault that is called, or one of whose contracts has a log", () => {
    expect(involved(VAULT)).toEqual([own]);
    expect(involved(OTHER, transferLog({ token: VAULT }))).toEqual([own]);
    expect(involved(OTHER, transferLog({ token: accountAt(1) }))).toEqual([own]);
  });

  test.each<[string, number, Record<string, string>]>([
    ["erc4626", 2, { exit: "maple", withdrawal_manager: accountAt(1) }],
    ["midas", 3, { redemption_vault: accountAt(1), redemption_requests: `${accountAt(2)},${accountAt(1)}` }],
    ["mellow", 5, { redeem_queues: accountAt(1), deposit_queues: `${accountAt(2)},${accountAt(3)}` }],
    ["mellow", 4, { other_redeem_queues: accountAt(1), other_deposit_queues: accountAt(2) }],
    ["mellow_lrt", 3, { withdrawal_queues: `${accountAt(1)},${accountAt(2)}` }],
    [
      "veda",
      4,
      { withdraw_queue: accountAt(1), delayed_withdraw: accountAt(2), atomic_queues: accountAt(3) },
    ],
    ["veda", 3, { queue_requests: accountAt(1), delayed_requests: accountAt(2) }],
  ])("has a vault of %s, of which any of %i contracts emits the indexed events", (adapter, count, params) => {
    const one: Vault = { ...vault, adapter, params, shareToken: accountAt(9), entryPoint: accountAt(8) };
    const emitters = new Set(adapterOf(one).flows(one).addresses);
    expect(emitters.size).toBe(count);
    for (const token of emitters) {
      const receipt = receiptOf(transferLog({ token }));
      expect(involvedVaults({ vaults: [one], transaction, receipt })).toEqual([one]);
    }
  });

  test("has no vault of which only the tokens that it takes and pays have logs", () => {
    expect(involved(OTHER, transferLog({ token: USDC }))).toEqual([]);
  });
});

test("a vault of which a transaction shows nothing is looked at once, whoever the transaction names", () => {
  let looks = 0;
  const counted = new Proxy<Vault>(
    { ...vault, adapter: "midas" },
    {
      get(target, name, receiver) {
        if (name === "params") looks += 1;
        return Reflect.get(target, name, receiver);
      },
    },
  );
  const lookedAt = (count: number): number => {
    looks = 0;
    const receipt = receiptOf(...operations(count));
    const shown = { vaults: [counted], chain: testChain, transaction, receipt };
    expect([findShownDeposit(shown), findShownWithdrawal(shown), findShownRequestEnd(shown)]).toEqual([
      ...[null, null, null],
    ]);
    return looks;
  };
  expect(lookedAt(40)).toBe(lookedAt(0));
});
