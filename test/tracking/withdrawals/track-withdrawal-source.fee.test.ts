import {
  type Address,
  concatHex,
  encodeEventTopics,
  type Hex,
  keccak256,
  type Log,
  numberToHex,
  parseAbi,
  size,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import type { Transaction } from "../../../src/chains/chain-transaction.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { exitSourceTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-source.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { storedOf } from "../../support/withdrawals/withdrawing.ts";

/** Requests in a batch at a vault of Mellow, which keeps a fee of the shares and names only the rest. */
const QUEUE: Address = "0x2222222222222222222222222222222222222222";
const HASH: Hex = `0x${"11".repeat(32)}`;
const SHARES = 100_000_000_000_000_000_000n;
const FEE = SHARES / 50n;
const call: Hex = `0xdb006a75${"5a".repeat(32)}`;
const asking: WithdrawalRow = {
  ...withdrawalRow,
  ...{ mode: "request", sourceTo: QUEUE, sourceDataHash: keccak256(call) },
};
/** The user's contract account makes the call among others. */
const transaction: Transaction = {
  ...{ hash: HASH, from: OTHER, to: USER, value: 0n, gas: 500_000n },
  input: concatHex([numberToHex(size(call), { size: 32 }), call]),
};
const abi = parseAbi(["event RedeemRequested(address indexed account, uint256 shares, uint256 timestamp)"]);
const topics = encodeEventTopics({ abi, eventName: "RedeemRequested", args: { account: USER } });
const request = log(
  QUEUE,
  topics,
  concatHex([SHARES - FEE, 7n].map((value) => numberToHex(value, { size: 32 }))),
);
const locks = (from: Address, value = SHARES): Log => transferLog({ from, to: VAULT, value });
/** The shares of the fee are burned, and minted to who receives it. */
const fee = [
  transferLog({ from: VAULT, to: zeroAddress, value: FEE }),
  transferLog({ to: OTHER, value: FEE }),
];

async function look(logs: readonly Log[], row = asking) {
  const params = { queue: "async", redeem_queue: QUEUE, request_queues: QUEUE, all_queues: "known" };
  const stored = { ...storedOf({ ...vault, adapter: "mellow", caller: "user", params }), wasActive: true };
  const answers: unknown[][] = [[stored]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const clients = [contractsClient(() => ({ ok: false, data: "0x" }))];
  const [found] = await exitSourceTransitions(testContext({ db, nowMs: NOW, clients }), {
    ...{ row, hash: HASH },
    seen: { transaction, receipt: receiptOf(...logs), confirmations: testChain.confirmations },
  });
  return found?.change ?? null;
}

describe("a request in a batch for fewer shares than the built ones", () => {
  test("is the user's if the transfers show the built shares and the fee", async () => {
    const made = { requestId: "7", shares: String(SHARES - FEE) };
    expect(await look([locks(USER), ...fee, request])).toMatchObject(made);
    expect(await look([locks(USER), ...fee, request], { ...asking, fromAmount: "0" })).toMatchObject(made);
  });

  test.each<[string, Log[]]>([
    ["no fee moves", [locks(USER), request]],
    ["the user's shares do not move", [...fee, request]],
    ["the built shares are another account's", [locks(OTHER), ...fee, request]],
    ["another account moves as many", [locks(OTHER, SHARES - FEE), locks(USER), ...fee, request]],
  ])("is not if %s", async (_name, logs) => {
    expect(await look(logs)).toBeNull();
  });
});
