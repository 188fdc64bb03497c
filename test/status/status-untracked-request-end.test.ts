import { type Address, encodeFunctionData, type Hex, type Log, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { vaultRow } from "../../scripts/bench/vault-row.ts";
import { findShownRequestEnd } from "../../src/status/status-untracked-request-end.ts";
import { classifyUntracked } from "../../src/status/status-untracked-transaction.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../support/deposits/logs.ts";
import { eventLog } from "../support/vaults/answer.ts";
import { cooling, fixedDatabase, pooled } from "../support/withdrawals/withdrawing.ts";

const QUEUE: Address = "0x2222222222222222222222222222222222222222";
const SILO: Address = "0x3333333333333333333333333333333333333333";
const queued: Vault = { ...vault, adapter: "mellow_lrt", params: { withdrawal_queues: QUEUE } };

const unstake = (receiver: Address): Hex =>
  encodeFunctionData({
    abi: parseAbi(["function unstake(address receiver)"]),
    functionName: "unstake",
    args: [receiver],
  });
const call = (change: { to?: Address; input?: Hex; from?: Address } = {}) => ({
  ...{ hash: `0x${"11".repeat(32)}` as Hex, from: USER, to: VAULT, input: "0x12" as Hex },
  ...{ value: 0n, gas: 500_000n, ...change },
});
const claimed = (account: Address) =>
  eventLog(QUEUE, "event Claimed(address indexed account, address indexed to, uint256 assets)", {
    ...{ account, to: account, assets: 9n },
  }) as unknown as Log;
const removed = eventLog(VAULT, "event SharesRemoved(address indexed owner, uint256 shares)", {
  ...{ owner: USER, shares: 7n },
}) as unknown as Log;
const refunded = eventLog(
  VAULT,
  "event DepositRequestCanceled(uint256 indexed requestId, address indexed controller)",
  {
    ...{ requestId: 1n, controller: USER },
  },
) as unknown as Log;
const taken: Vault = { ...pooled, params: { ...pooled.params, withdrawal_manager: QUEUE } };
const left = (name: "RequestRemoved" | "RequestDecreased", emitter = QUEUE) =>
  eventLog(
    emitter,
    `event ${name}(uint256 indexed requestId${name === "RequestDecreased" ? ", uint256 shares" : ""})`,
    { requestId: 3n, ...(name === "RequestDecreased" && { shares: 7n }) },
  ) as unknown as Log;
const processed = eventLog(
  QUEUE,
  "event RequestProcessed(uint256 indexed requestId, address indexed owner, uint256 shares, uint256 assets)",
  { requestId: 3n, owner: OTHER, shares: 7n, assets: 0n },
) as unknown as Log;
const fromQueue = transferLog({ from: QUEUE, to: USER, value: 7n });
const lagoon: Vault = { ...vault, adapter: "lagoon", params: {} };
const paid = (from: Address, to: Address = USER) => transferLog({ token: USDC, from, to, value: 9n });
const returned = (value: bigint) => transferLog({ from: OTHER, to: USER, value });

const DELAYED: Address = "0x4444444444444444444444444444444444444444";
const ATOMIC: Address = "0x5555555555555555555555555555555555555555";
const params = { teller: "d", withdraw_queue: QUEUE, delayed_withdraw: DELAYED, atomic_queues: ATOMIC };
const veda: Vault = { ...vault, adapter: "veda", params };
const queueCancelled = (user: Address) =>
  eventLog(
    QUEUE,
    "event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
    { requestId: `0x${"11".repeat(32)}`, user, timestamp: 1n },
  ) as unknown as Log;
const waitCancelled = eventLog(
  DELAYED,
  "event WithdrawCancelled(address indexed account, address indexed asset, uint96 shares)",
  { account: USER, asset: USDC, shares: 7n },
) as unknown as Log;
const offered = (amount: bigint, user = USER) =>
  eventLog(
    ATOMIC,
    "event AtomicRequestUpdated(address indexed user, address indexed offerToken, address indexed wantToken, uint256 amount, uint256 deadline, uint256 minPrice, uint256 timestamp)",
    { ...{ user, offerToken: VAULT, wantToken: USDC, amount, deadline: 0n }, minPrice: 0n, timestamp: 1n },
  ) as unknown as Log;

const inAssets = { outcome: "paid", received: 9n, token: USDC };
const inAssetsBack = { ...inAssets, outcome: "refunded" };
const inShares = { outcome: "cancelled", received: 7n, token: VAULT };
const endIn = (own: Vault, transaction: ReturnType<typeof call>, logs: readonly Log[]) =>
  findShownRequestEnd({ vaults: [own], transaction, receipt: receiptOf(...logs) });

describe("findShownRequestEnd()", () => {
  test.each([
    [
      "a claim of a cooldown, of which only the payment moves",
      cooling,
      call({ input: unstake(USER) }),
      [paid(SILO)],
      inAssets,
    ],
    ["a claim at a queue", queued, call({ to: QUEUE }), [claimed(USER), paid(QUEUE)], inAssets],
    ["a cancellation that returns shares", pooled, call(), [removed, returned(7n)], inShares],
    ["a cancelled deposit that was paid back", lagoon, call(), [refunded, paid(OTHER)], inAssetsBack],
    [
      "a cancellation in a queue that the request's id alone names",
      veda,
      call({ to: QUEUE }),
      [queueCancelled(USER), returned(7n)],
      inShares,
    ],
    ["a request that a queue gave back", taken, call(), [left("RequestRemoved"), fromQueue], inShares],
    ["a part of one", taken, call(), [left("RequestDecreased"), fromQueue], inShares],
    ["a cancelled wait", veda, call({ to: DELAYED }), [waitCancelled, returned(7n)], inShares],
    [
      "the end of an offer, which moves no token",
      veda,
      call({ to: ATOMIC }),
      [offered(0n)],
      { ...inShares, received: null },
    ],
    ["no more shares than were cancelled", pooled, call(), [removed, returned(9n)], inShares],
  ] as const)("finds %s", (_, own, transaction, logs, end) => {
    expect(endIn(own, transaction, logs)).toEqual(end);
  });

  test.each([
    [
      "a claim of a cooldown in favour of another account",
      cooling,
      call({ input: unstake(OTHER) }),
      [paid(SILO)],
    ],
    [
      "a claim of another account's cooldown",
      cooling,
      call({ input: unstake(USER), from: OTHER }),
      [paid(SILO)],
    ],
    ["such a call of another contract", cooling, call({ input: unstake(USER), to: OTHER }), [paid(SILO)]],
    ["such a call at a vault without a cooldown", vault, call({ input: unstake(USER) }), [paid(SILO)]],
    ["a claim that paid nothing", cooling, call({ input: unstake(USER) }), []],
    ["a payment without the call or an event", cooling, call(), [paid(SILO)]],
    ["a claim for another account", queued, call({ to: QUEUE }), [claimed(OTHER), paid(QUEUE, OTHER)]],
    ["a cancellation whose shares did not arrive", pooled, call(), [removed]],
    ["such a one in a queue", veda, call({ to: QUEUE }), [queueCancelled(USER)]],
    ["another account's in a queue", veda, call({ to: QUEUE }), [queueCancelled(OTHER), returned(7n)]],
    ["such a one of a pool", taken, call(), [left("RequestRemoved"), returned(7n)]],
    ["one of another queue", taken, call(), [left("RequestRemoved", DELAYED), fromQueue]],
    ["one that the queue has processed", taken, call(), [left("RequestRemoved"), processed, fromQueue]],
    ["the end of another account's offer", veda, call({ to: ATOMIC }), [offered(0n, OTHER)]],
    ["an offer that is replaced", veda, call({ to: ATOMIC }), [offered(0n), offered(7n)]],
    ["a refund beside another payment", lagoon, call(), [refunded, paid(OTHER), paid(SILO)]],
    ["shares that came back without an event", pooled, call(), [returned(7n)]],
  ] as const)("does not take %s for one", (_, own, transaction, logs) => {
    expect(endIn(own, transaction, logs)).toBeNull();
  });

  test("leaves out what other vaults of the registry receive", () => {
    const holder: Vault = {
      ...vault,
      vaultId: `${vault.chainId}:${OTHER}`,
      address: OTHER,
      entryPoint: OTHER,
    };
    const logs = [claimed(OTHER), paid(QUEUE, OTHER)];
    const shown = { transaction: call({ to: OTHER }), receipt: receiptOf(...logs) };
    expect(findShownRequestEnd({ ...shown, vaults: [queued] })).not.toBeNull();
    expect(findShownRequestEnd({ ...shown, vaults: [queued, holder] })).toBeNull();
  });
});

describe("classifyUntracked() of the end of a request", () => {
  const judge = (
    own: { adapter?: string; params?: Record<string, string> },
    of: { input: Hex; logs: readonly Log[]; depth?: number },
  ) => {
    const client = contractsClient(() => ({ ok: false, data: "0x" }));
    const row = { ...vaultRow({ number: 1, chainId: testChain.chainId, address: VAULT }), ...own };
    const ctx = testContext({ db: fixedDatabase(() => [{ ...row, assetAddress: USDC }]), clients: [client] });
    const confirmations = of.depth ?? testChain.confirmations;
    const seen = { transaction: call({ input: of.input }), receipt: receiptOf(...of.logs), confirmations };
    const readTransaction = () => Promise.reject(new Error("no other transaction is read"));
    return classifyUntracked(ctx, { client, seen, readTransaction });
  };

  test("a claim is DONE with what arrived once it is confirmed", async () => {
    const claim = { input: unstake(USER), logs: [paid(SILO)] };
    const amounts = { sent: null, received: 9n, shareToken: USDC, receivedKind: "asset" };
    expect(await judge({ params: { exit: "cooldown" } }, claim)).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED", ...amounts },
    });
    expect(await judge({ params: { exit: "cooldown" } }, { ...claim, depth: 0 })).toMatchObject({
      ...{ status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS", ...amounts },
    });
  });

  test("a cancellation is DONE and CANCELLED, and no deposit", async () => {
    expect(
      await judge({ params: { exit: "maple" } }, { input: "0x12", logs: [removed, returned(7n)] }),
    ).toMatchObject({
      ...{ status: "DONE", substatus: "CANCELLED", sent: null },
      ...{ received: 7n, shareToken: VAULT, receivedKind: "shares" },
    });
  });

  test("the end of an offer is DONE and CANCELLED, and brought nothing", async () => {
    const ended = { input: "0x12" as const, logs: [offered(0n)] };
    expect(await judge({ adapter: "veda", params }, ended)).toMatchObject({
      ...{ status: "DONE", substatus: "CANCELLED", received: null },
    });
  });

  test("a claim for which the vault took shares and paid nothing is FAILED", async () => {
    const fulfilled = (assets: bigint, shares: bigint) =>
      eventLog(VAULT, "event RequestFulfilled(address indexed receiver, uint256 shares, uint256 assets)", {
        ...{ receiver: USER, shares, assets },
      }) as unknown as Log;
    const yo = { params: { exit: "yo" } };
    const of = (...logs: Log[]) => judge(yo, { input: "0x12", logs });
    const nothing = { status: "FAILED", substatus: "UNKNOWN_ERROR", received: 0n, receivedKind: "asset" };
    expect(await of(fulfilled(0n, 7n))).toMatchObject(nothing);
    expect(await of(fulfilled(0n, 0n))).toMatchObject({ status: "INVALID" });
    // What another claim of the batch paid is told.
    const silo: Log[] = [paid(VAULT), fulfilled(9n, 7n)];
    expect(await of(fulfilled(0n, 7n), ...silo)).toMatchObject({ status: "DONE", received: 9n });
  });

  test("a cancelled deposit is DONE and REFUNDED", async () => {
    expect(
      await judge({ adapter: "lagoon" }, { input: "0x12", logs: [refunded, paid(OTHER)] }),
    ).toMatchObject({
      ...{ status: "DONE", substatus: "REFUNDED", sent: null },
      ...{ received: 9n, shareToken: USDC, receivedKind: "asset" },
    });
  });
});
