import { concatHex, type Hex, keccak256, type Log, numberToHex, size } from "viem";
import { describe, expect, test } from "vitest";
import type { Transaction } from "../../../src/chains/chain-transaction.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { exitSourceTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-source.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault, WETH } from "../../support/deposits/fixtures.ts";
import { executedLog, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { storedOf } from "../../support/withdrawals/withdrawing.ts";

/**
 * Orders of the Router of which the paid token's balances say other things than its transfers. They end: the shares are
 * gone, and no other transaction can take the place of this one.
 */
const HASH: Hex = `0x${"11".repeat(32)}`;
const SHARES = 100_000_000_000_000_000_000n;
const PAID = 100_500_000n;
const call: Hex = `0x107703ab${"5a".repeat(64)}`;
const row: WithdrawalRow = { ...withdrawalRow, sourceDataHash: keccak256(call) };
const own: Transaction = {
  ...{ hash: HASH, from: USER, to: depositRouterAddress, input: call, value: 0n, gas: 500_000n },
};
/** The same call, as one of a contract account's batch. */
const batch: Transaction = {
  ...{ ...own, from: OTHER, to: USER },
  input: concatHex([numberToHex(size(call), { size: 32 }), call]),
};
const burnt = transferLog({ from: USER, to: depositRouterAddress, value: SHARES });
const pays = (value: bigint, to = USER) =>
  transferLog({ token: USDC, from: depositRouterAddress, to, value });
const executed = (tokenOut = USDC, amountOut = PAID) =>
  executedLog({ tokenIn: VAULT, tokenOut, amountIn: SHARES, amountOut });

async function look(of: WithdrawalRow, { transaction, logs }: { transaction: Transaction; logs: Log[] }) {
  // The vault is read first; no other withdrawal has the transaction.
  const answers: unknown[][] = [[{ ...storedOf(vault), wasActive: true }]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const clients = [contractsClient(() => ({ ok: false, data: "0x" }))];
  const transitions = await exitSourceTransitions(testContext({ db, nowMs: NOW, clients }), {
    ...{ row: of, hash: HASH },
    seen: { transaction, receipt: receiptOf(burnt, ...logs), confirmations: testChain.confirmations },
  });
  return transitions.map(({ event, change }) => ({
    shows: "shows" in event ? event.shows : event.kind,
    ...{ assets: change.assets, shares: change.shares, proven: change.sourceProven },
  }));
}
const proven = { shares: SHARES.toString(), proven: true };

describe.each([
  ["by the user", own],
  ["in a batch", batch],
])("an order of the Router %s", (_by, transaction) => {
  test("is paid with what the transfers show, and only in part if they show less than the minimum", async () => {
    const paid = { ...proven, shows: "token_paid", assets: PAID.toString() };
    expect(await look(row, { transaction, logs: [executed(), pays(PAID)] })).toEqual([paid]);
    for (const part of [PAID / 3n, 1n]) {
      const partly = { ...proven, shows: "partly_paid", assets: part.toString() };
      expect(await look(row, { transaction, logs: [executed(), pays(part)] })).toEqual([partly]);
    }
  });

  test("has taken the shares for nothing if no transfer shows a payment", async () => {
    for (const logs of [[executed()], [executed(), pays(PAID, OTHER)]])
      expect(await look(row, { transaction, logs })).toEqual([{ ...proven, shows: "nothing_paid" }]);
  });

  test("is not paid with the rest that its swap leaves over, nor with too little of the swap", async () => {
    const swapped = { ...row, moveToken: WETH.toLowerCase(), moveMin: "5" };
    const less = transferLog({ token: WETH, from: depositRouterAddress, to: USER, value: 2n });
    for (const rest of [pays(1n), less])
      expect(await look(swapped, { transaction, logs: [executed(WETH, 7n), rest] })).toEqual([
        { ...proven, shows: "nothing_paid" },
      ]);
  });

  test("shows nothing without the Router's event", async () => {
    expect(await look(row, { transaction, logs: [pays(PAID)] })).toEqual([]);
  });
});
