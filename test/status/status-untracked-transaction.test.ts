import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { vaultRow } from "../../scripts/bench/vault-row.ts";
import type { Receipt, Transaction, TransactionOnChain } from "../../src/chains/chain-transaction.ts";
import type { Database } from "../../src/db/database-client.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { classifyUntracked } from "../../src/status/status-untracked-transaction.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import { depositRequestLog, executedLog, log, receiptOf, transferLog } from "../support/deposits/logs.ts";

const DEPTH = testChain.confirmations;
const SHARES = 99_900_000_000_000_000_000n;
const sent: Transaction = {
  ...{ hash: `0x${"11".repeat(32)}` as Hex, from: USER, to: depositRouterAddress, input: "0x1234" as Hex },
  ...{ value: 0n, gas: 500_000n },
};
const abi = parseAbi([
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
]);
/** ERC-4626's event for a deposit of 100 USDC; by the registry's vault unless another says it. */
function depositLog({ by = VAULT, shares = SHARES } = {}) {
  const topics = encodeEventTopics({ abi, eventName: "Deposit", args: { sender: USER, owner: USER } });
  const words = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [100_000_000n, shares]);
  return log(by, topics, words);
}

/** Judges a transaction on a chain whose registry knows one vault. */
async function judge(receipt: Receipt | null, change: Partial<TransactionOnChain> = {}, adapter = "erc4626") {
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const known = {
    ...vaultRow({ number: 1, chainId: testChain.chainId, address: VAULT, adapter }),
    assetAddress: USDC,
  };
  const db = { run: async () => [known] } as unknown as Database;
  const seen = { transaction: sent, receipt, confirmations: DEPTH, ...change };
  const readTransaction = () => Promise.reject(new Error("no other transaction is read"));
  return classifyUntracked(testContext({ db, clients: [client] }), { client, seen, readTransaction });
}
/** An order of somebody else in the same transaction. */
const strangers = executedLog({ payer: OTHER, receiver: OTHER, amountOut: 1n });
const gift = transferLog({ to: OTHER, value: 1n });
const early = { confirmations: DEPTH - 1 };
const unended = { sentKind: "asset", endedBy: null, receivedKind: "shares" };
const nothing = { sent: null, sentToken: null, received: null, shareToken: null, ...unended };
const waits = { status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS", ...nothing };
const none = { status: "INVALID", substatus: null, ...nothing };

describe("classifyUntracked()", () => {
  test("returns NOT_FOUND, then PENDING, until the chain includes it", async () => {
    expect(await judge(null, { transaction: null })).toEqual({ ...none, status: "NOT_FOUND" });
    expect(await judge(null, { confirmations: 0 })).toEqual(waits);
  });

  test.each([
    ["through the Router", receiptOf(executedLog(), transferLog())],
    ["beside a forged order", receiptOf(executedLog({ tokenOut: OTHER }), executedLog(), transferLog())],
    ["beside a stranger's order", receiptOf(strangers, executedLog(), gift, transferLog())],
    ["into a vault of the registry", receiptOf(depositLog(), transferLog())],
  ])("returns DONE for a deposit %s only after confirmations", async (_what, receipt) => {
    const amounts = { sent: 100_000_000n, sentToken: USDC, received: SHARES, shareToken: VAULT, ...unended };
    expect(await judge(receipt)).toEqual({ status: "DONE", substatus: "COMPLETED", ...amounts });
    expect(await judge(receipt, early)).toEqual({ ...waits, ...amounts });
  });

  test("returns a request that first claims an earlier one as the request", async () => {
    const requested = depositRequestLog({ requestId: 3n, assets: 50_000_000n });
    const receipt = receiptOf(transferLog(), depositLog(), requested);
    const amounts = { sent: 50_000_000n, sentToken: USDC, received: null, shareToken: VAULT };
    const at = { transaction: { ...sent, to: VAULT } };
    const settles = { status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT", ...amounts };
    expect(await judge(receipt, at, "lagoon")).toMatchObject(settles);
    // Another account's request in the same transaction changes nothing for the user's deposit.
    const theirs = depositRequestLog({ controller: OTHER, requestId: 3n, assets: 1n });
    expect(await judge(receiptOf(theirs, depositLog(), transferLog()), at, "lagoon")).toMatchObject({
      ...{ status: "DONE", received: SHARES },
    });
  });

  test("counts the shares that reached the owner, not those an event names", async () => {
    const receipt = receiptOf(depositLog({ shares: 10n * SHARES }), transferLog());
    expect(await judge(receipt)).toMatchObject({ status: "DONE", received: SHARES });
  });

  test.each([
    ["of which the vault only says so", receiptOf(depositLog())],
    ["whose shares went to somebody else", receiptOf(depositLog(), transferLog({ to: OTHER }))],
    ["of a contract that is no vault of ours", receiptOf(depositLog({ by: OTHER }), transferLog())],
    ["of another token's", receiptOf(depositLog(), transferLog({ token: USDC }))],
    ["of anybody who repeats the Router's event", receiptOf(executedLog({ emitter: OTHER }))],
    [
      "of the Router for a share token that no vault has",
      receiptOf(executedLog({ tokenOut: OTHER }), transferLog({ token: OTHER })),
    ],
    ["of the Router without a transfer of shares", receiptOf(executedLog())],
    [
      "of the Router in a token that the vault does not take",
      receiptOf(executedLog({ tokenIn: OTHER }), transferLog()),
    ],
    ["without any event", receiptOf()],
  ])("returns INVALID %s", async (_what, receipt) => {
    expect(await judge(receipt)).toEqual(none);
  });

  test("returns FAILED only for a confirmed revert of a Router call", async () => {
    const reverted = { ...receiptOf(), succeeded: false };
    expect(await judge(reverted)).toMatchObject({ status: "FAILED", sent: null, received: null });
    expect(await judge(reverted, early)).toEqual(waits);
    expect(await judge(reverted, { transaction: { ...sent, to: OTHER } })).toEqual(none);
    expect(await judge(reverted, { transaction: { ...sent, to: null } })).toEqual(none);
  });
});

describe("classifyUntracked() of a withdrawal", () => {
  const PAID = 5_000_000n;
  const events = parseAbi([
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]);
  function withdrawLog({ receiver = USER, assets = PAID } = {}) {
    const args = { sender: USER, receiver, owner: USER };
    const topics = encodeEventTopics({ abi: events, eventName: "Withdraw", args });
    return log(
      VAULT,
      topics,
      encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [assets, SHARES]),
    );
  }
  const pays = (to = USER, value = PAID) => transferLog({ token: USDC, from: VAULT, to, value });
  const burnt = transferLog({ from: USER, to: zeroAddress });
  const order = { tokenIn: VAULT, tokenOut: USDC, amountIn: SHARES, amountOut: PAID };
  const side = { sent: SHARES, sentToken: VAULT, sentKind: "shares", receivedKind: "asset", endedBy: null };
  const done = { status: "DONE", substatus: "COMPLETED", ...side };
  const unknown = { received: null, shareToken: null };

  test.each([
    ["by the vault", receiptOf(burnt, withdrawLog(), pays()), { received: PAID, shareToken: USDC }],
    [
      "by the vault to another receiver",
      receiptOf(burnt, withdrawLog({ receiver: OTHER }), pays(OTHER)),
      unknown,
    ],
    ["through the Router", receiptOf(executedLog(order), pays()), { received: PAID, shareToken: USDC }],
    [
      "through the Router, of which less arrived",
      receiptOf(executedLog(order), pays(USER, 4n)),
      { received: 4n, shareToken: USDC },
    ],
    [
      "through the Router in native currency",
      receiptOf(executedLog({ ...order, tokenOut: zeroAddress })),
      { received: PAID, shareToken: zeroAddress },
    ],
    [
      "through the Router beside a stranger's",
      receiptOf(
        executedLog({ ...order, payer: OTHER, receiver: OTHER, amountOut: 1n }),
        pays(OTHER, 1n),
        executedLog(order),
        pays(),
      ),
      { received: PAID, shareToken: USDC },
    ],
  ])("returns DONE for a payment %s", async (_what, receipt, amounts) => {
    expect(await judge(receipt)).toEqual({ ...done, ...amounts });
    expect(await judge(receipt, early)).toMatchObject({ ...waits, ...side, ...amounts });
  });

  test.each([
    ["for which the vault says that it pays nothing", receiptOf(withdrawLog({ assets: 0n }))],
    ["that are gone without any payment", receiptOf(burnt, withdrawLog())],
  ])("returns FAILED for shares %s", async (_what, receipt) => {
    const failed = { status: "FAILED", substatus: "UNKNOWN_ERROR", ...side, ...unknown };
    expect(await judge(receipt)).toEqual(failed);
    expect(await judge(receipt, early)).toMatchObject({ ...waits, ...side, ...unknown });
  });

  test.each([
    ["of which the vault only says so", receiptOf(withdrawLog())],
    ["that went to another account than the vault says", receiptOf(burnt, withdrawLog(), pays(OTHER))],
    ["of the Router without a transfer", receiptOf(executedLog(order))],
    ["of the Router to somebody else than its event says", receiptOf(executedLog(order), pays(OTHER))],
    [
      "of the Router to a stranger, in a token that does not move",
      receiptOf(
        executedLog({ ...order, payer: OTHER, receiver: OTHER, tokenOut: OTHER, amountOut: 10n ** 12n }),
      ),
    ],
  ])("returns INVALID for a payment %s", async (_what, receipt) => {
    expect(await judge(receipt)).toEqual(none);
  });
});
