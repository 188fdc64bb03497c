import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  type Log,
  numberToHex,
  parseAbi,
  size,
} from "viem";
import { describe, expect, test } from "vitest";
import type { Transaction } from "../../../src/chains/chain-transaction.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { exitSourceTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-source.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { tokenList } from "../../../src/vaults/vault-params.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { storedOf } from "../../support/withdrawals/withdrawing.ts";

/** What anyone can do for the user at a vault, in a batch with the calldata that was built for the user. */
const HASH: Hex = `0x${"11".repeat(32)}`;
const SHARES = 100_000_000_000_000_000_000n;
const call: Hex = `0x107703ab${"5a".repeat(64)}`;
const QUEUE: Address = "0x2222222222222222222222222222222222222222";
const FEE_RECEIVER: Address = "0x3333333333333333333333333333333333333333";
const transaction: Transaction = {
  ...{ hash: HASH, from: OTHER, to: OTHER, value: 0n, gas: 500_000n },
  input: concatHex([numberToHex(size(call), { size: 32 }), call]),
};
const asking: WithdrawalRow = {
  ...withdrawalRow,
  ...{ mode: "request", sourceTo: VAULT.toLowerCase(), sourceDataHash: keccak256(call) },
};

async function look(of: Vault, seen: { row: WithdrawalRow; logs: readonly Log[] }) {
  const answers: unknown[][] = [[{ ...storedOf(of), wasActive: true }]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const clients = [contractsClient(() => ({ ok: false, data: "0x" }))];
  const transitions = await exitSourceTransitions(testContext({ db, nowMs: NOW, clients }), {
    ...{ row: seen.row, hash: HASH },
    seen: { transaction, receipt: receiptOf(...seen.logs), confirmations: testChain.confirmations },
  });
  return transitions.map(({ event, change }) => ({
    shows: "shows" in event ? event.shows : event.kind,
    ...("requestId" in change ? { requestId: change.requestId } : { assets: change.assets }),
  }));
}
const moves = (from: Address, value: bigint, to: Address = VAULT) => transferLog({ from, to, value });

describe("the claim of an earlier request of Upshift, whose event names no shares,", () => {
  const legacy = "uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn";
  const values = { assetsAmount: 9n, processedOn: 2n, receiverAddr: USER, requestedOn: 1n };
  const paid = transferLog({ token: USDC, from: VAULT, value: 9n });
  const rows = [asking, { ...asking, fromAmount: "0" }, { ...asking, mode: "instant" as const }];

  test.each([
    ["upshift", "event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)"],
    ["upshift_legacy", `event WithdrawalProcessed(${legacy})`],
  ])("completes no withdrawal from %s that was never sent", async (adapter, signature) => {
    const of: Vault = { ...vault, adapter: adapter as Vault["adapter"], caller: "user" };
    const claimed = eventLog(VAULT, signature, values) as unknown as Log;
    for (const row of rows)
      for (const moved of [[], [moves(USER, 0n)], [moves(OTHER, SHARES)], [moves(USER, SHARES - 1n)]])
        expect(await look(of, { row, logs: [...moved, claimed, paid] })).toEqual([]);
    // A vault without a delay pays the user's request in its own transaction.
    const logs = [moves(USER, SHARES), claimed, paid];
    expect(await look(of, { row: asking, logs })).toEqual([{ shows: "token_paid", assets: "9" }]);
  });
});

describe("a request at Midas, which moves a fee of the shares apart,", () => {
  const of: Vault = {
    ...{ ...vault, adapter: "midas", caller: "user" },
    params: {
      deposit: "request",
      recipient: "caller",
      redemption_vault: QUEUE,
      redeem_tokens: tokenList([vault.asset]),
    },
  };
  const abi = parseAbi([
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    "event RedeemRequestWithCustomRecipient(uint256 indexed requestId, address indexed user, address indexed tokenOut, address recipient, uint256 amountMTokenIn, uint256 feeAmount)",
  ]);
  const two = [{ type: "uint256" }, { type: "uint256" }] as const;
  const all = { ...asking, sourceTo: QUEUE, fromAmount: "0" };
  const split = (from: Address, shares: bigint) => [
    moves(from, shares - shares / 50n, QUEUE),
    moves(from, shares / 50n, FEE_RECEIVER),
  ];

  test("is not the user's if a stranger makes it for the user", async () => {
    const args = { requestId: 7n, user: OTHER, tokenOut: USDC };
    const topics = encodeEventTopics({ abi, eventName: "RedeemRequestWithCustomRecipient", args });
    const data = encodeAbiParameters([{ type: "address" }, ...two], [USER, 50n, 1n]);
    const request = log(QUEUE, topics, data);
    for (const moved of [split(OTHER, 50n), [...split(OTHER, 50n), moves(USER, 0n)]])
      expect(await look(of, { row: all, logs: [...moved, request] })).toEqual([]);
  });

  test("is the user's if the user's shares move", async () => {
    const args = { requestId: 7n, user: USER, tokenOut: USDC };
    const topics = encodeEventTopics({ abi, eventName: "RedeemRequest", args });
    const request = log(QUEUE, topics, encodeAbiParameters(two, [SHARES, SHARES / 50n]));
    const made = [{ shows: "request_made", requestId: "7" }];
    for (const row of [all, { ...all, fromAmount: String(SHARES) }])
      expect(await look(of, { row, logs: [...split(USER, SHARES), request] })).toEqual(made);
  });
});

test("a request at IPOR, whose shares stay in the wallet, is seen beside transfers of others' shares", async () => {
  const of: Vault = { ...vault, adapter: "ipor", caller: "user", params: { withdraw_manager: QUEUE } };
  const updated = "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)";
  const values = { account: USER, shares: SHARES, endWithdrawWindow: 1_700_000_000 };
  const request = eventLog(QUEUE, updated, values) as unknown as Log;
  const row = { ...asking, sourceTo: QUEUE };
  for (const moved of [[], [moves(OTHER, 5n, USER)], [moves(OTHER, 1n)]])
    expect(await look(of, { row, logs: [...moved, request] })).toEqual([
      { shows: "request_made", requestId: "0" },
    ]);
  // Of as many shares that another account moves, the request may be that account's.
  expect(await look(of, { row, logs: [moves(OTHER, SHARES), request] })).toEqual([]);
});
