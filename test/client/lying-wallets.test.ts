import { encodeAbiParameters } from "viem";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { continueDeposit } from "../../src/client/operations/deposit-operations.ts";
import { account, HASH, order, readings, step, TRACKING } from "../support/client/fake-order.ts";
import { pageStorage, scriptedWallet } from "../support/client/scripted-wallet.ts";

const OTHER = `0x${"77".repeat(20)}`;
const token = { address: OTHER, symbol: "USDC", decimals: 6, chain_id: 1 };
const POLL_MS = 500;
const reading = (steps: object[], state?: string) => ({
  body: { ...order(steps, state), poll_after_ms: POLL_MS },
});
const deposit = reading([step("source.deposit", "required")]);
const done = reading([step("source.deposit", "done", { tx_hash: HASH })], "completed");
const receipt = (change: object = {}) => ({
  ...{ transactionHash: HASH, blockHash: HASH, blockNumber: "0x10", status: "0x1", logs: [], type: "0x2" },
  ...{ from: account.address, to: account.address, gasUsed: "0x1", ...change },
});

beforeEach(() => {
  vi.useFakeTimers();
  // Without locks, an execution that hangs fails its own test only.
  vi.stubGlobal("navigator", {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Script = Parameters<typeof scriptedWallet>[0];

/** Executes an order for twenty seconds. Returns how it ended, null if it goes on, and the calldata that was sent. */
async function execute(
  script: Script,
  of: { storage?: ReturnType<typeof pageStorage>; reads?: (typeof deposit)[] } = {},
) {
  const { storage = pageStorage(), reads = [deposit, deposit, done] } = of;
  const sent: unknown[] = [];
  const { eth_sendTransaction: send = () => HASH, ...others } = script;
  const { wallet } = scriptedWallet({
    eth_blockNumber: () => "0x10",
    eth_getTransactionByHash: () => ({ hash: HASH, blockNumber: "0x10" }),
    eth_getTransactionReceipt: () => receipt(),
    ...others,
    eth_sendTransaction: (params) => {
      sent.push((params[0] as { data: string }).data);
      return send(params);
    },
  });
  const { client } = readings(reads);
  let ended: string | null = null;
  const controller = new AbortController();
  const work = continueDeposit(client, {
    ...{ trackingId: TRACKING, storage, batch: false, signal: controller.signal },
    wallet: { ...wallet, pollingInterval: POLL_MS },
  }).then(
    ({ state }) => state,
    ({ code }: Error & { code?: string }) => String(code),
  );
  void work.then((how) => {
    ended = how;
  });
  await vi.advanceTimersByTimeAsync(20_000);
  const how = ended;
  controller.abort();
  await vi.advanceTimersByTimeAsync(2_000);
  return { ended: how, sent, storage };
}

describe("a transaction for which the wallet returns", () => {
  test.each([
    ["nothing", null],
    ["an empty text", ""],
    ["a receipt", { hash: HASH }],
    ["a number of 31 bytes", `0x${"ab".repeat(31)}`],
    ["a word", "submitted"],
  ])("%s is of unknown outcome at once, and is not sent again by itself", async (_name, answer) => {
    const first = await execute({ eth_sendTransaction: () => answer });
    expect([first.ended, first.sent.length]).toEqual(["outcome_unknown", 1]);
    const again = await execute({}, { storage: first.storage });
    expect([again.ended, again.sent.length]).toEqual(["outcome_unknown", 0]);
  });

  test("the hash of another one that succeeded is waited for, and is not sent again", async () => {
    const first = await execute({}, { reads: [deposit] });
    expect([first.ended, first.sent.length]).toEqual([null, 1]);
    const again = await execute({}, { storage: first.storage, reads: [deposit] });
    expect([again.ended, again.sent.length]).toEqual([null, 0]);
  });

  test.each([
    ["by another account", { from: OTHER }],
    ["to another contract", { to: OTHER }],
    ["that created a contract", { to: null }],
  ])(
    "the hash of one %s that reverted is of unknown outcome, and is not sent again",
    async (_name, change) => {
      const reverted = { eth_getTransactionReceipt: () => receipt({ ...change, status: "0x0" }) };
      const first = await execute(reverted);
      expect([first.ended, first.sent.length]).toEqual(["outcome_unknown", 1]);
      const again = await execute(reverted, { storage: first.storage });
      expect([again.ended, again.sent.length]).toEqual(["outcome_unknown", 0]);
    },
  );

  test("its own hash, and that reverted, can be sent again", async () => {
    const first = await execute({ eth_getTransactionReceipt: () => receipt({ status: "0x0" }) });
    expect(first.ended).toBe("transaction_reverted");
    const again = await execute({}, { storage: first.storage });
    expect([again.ended, again.sent.length]).toEqual(["completed", 1]);
  });
});

describe("an approval that the API still asks for after it was sent", () => {
  const leg = { token, spender: account.address };
  const request = (data: string) => ({
    transaction_request: { to: OTHER, data, value: "0", chain_id: 1, gas_limit: null },
  });
  const approving = (state: "required" | "done") => [
    step("source.approve_reset", state, { ...leg, amount: "0", ...request("0xa0") }),
    step("source.approve", state, { ...leg, amount: "100", ...request("0xa1") }),
  ];
  const first = reading([...approving("required").slice(1), step("source.deposit", "required")]);
  // Something is approved now, so that the API asks for a reset, too.
  const partial = reading([...approving("required"), step("source.deposit", "required")]);
  const reads = [first, partial, partial, done];
  const allowing = (amounts: bigint[]) => () =>
    encodeAbiParameters(
      [{ type: "uint256" }],
      [amounts.length > 1 ? (amounts.shift() ?? 0n) : (amounts[0] ?? 0n)],
    );

  test("and was lowered in the wallet, ends before the deposit is sent", async () => {
    const { ended, sent } = await execute({ eth_call: allowing([99n]) }, { reads });
    expect([ended, sent]).toEqual(["insufficient_allowance", ["0xa1"]]);
  });

  test.each([
    ["is in place, is not taken back", allowing([100n])],
    ["is seen late by the wallet's node, is waited for", allowing([0n, 0n, 100n])],
    [
      "cannot be read, is taken for given",
      () => {
        throw new Error("no answer");
      },
    ],
  ])("and %s", async (_name, eth_call) => {
    const { ended, sent } = await execute({ eth_call }, { reads });
    expect([ended, sent]).toEqual(["completed", ["0xa1", "0x12"]]);
  });

  test("by the next execution, is reset and given again", async () => {
    const { storage } = await execute({ eth_call: allowing([99n]) }, { reads });
    const again = await execute(
      { eth_call: allowing([100n]) },
      { storage, reads: [partial, first, first, done] },
    );
    expect([again.ended, again.sent]).toEqual(["completed", ["0xa0", "0xa1", "0x12"]]);
  });
});
