import { type Address, getAddress, type Hex, type Log, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { accountsOf, findShownDeposit, involvedVaults } from "../../src/status/status-untracked-deposit.ts";
import { findShownRequestEnd } from "../../src/status/status-untracked-request-end.ts";
import { findShownWithdrawal } from "../../src/status/status-untracked-withdrawal.ts";
import { entryPoints } from "../../src/tracking/deposits/track-deposit-source.ts";
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
  const params = {
    redeem_queue: accountAt(1).toUpperCase().replace("0X", "0x"),
    redeem_tokens: `${USDC}/6/USDC`,
  };
  const own: Vault = { ...vault, params };
  const involved = (to: Address, ...logs: Log[]) =>
    involvedVaults({ vaults: [own], transaction: { ...transaction, to }, receipt: receiptOf(...logs) });

  test("has a vault that is called, or one of whose contracts has a log", () => {
    expect(involved(VAULT)).toEqual([own]);
    expect(involved(OTHER, transferLog({ token: VAULT }))).toEqual([own]);
    expect(involved(OTHER, transferLog({ token: accountAt(1) }))).toEqual([own]);
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
