import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { continueDeposit } from "../../src/client/operations/deposit-operations.ts";
import { account, HASH, order, readings, step, TRACKING } from "../support/client/fake-order.ts";
import { pageStorage, scriptedWallet } from "../support/client/scripted-wallet.ts";

const POLL_MS = 5_000;
/** Longer than all waits of the client for a wallet. */
const LONG_MS = 15 * 60_000;
const stepsOf = (state: "required" | "done") => [
  step("source.approve", state, { tx_hash: state === "done" ? HASH : null }),
  step("source.deposit", state, { tx_hash: state === "done" ? HASH : null }),
];
const open = { body: order(stepsOf("required")) };
const done = { body: order(stepsOf("done"), "completed") };
const receipt = (status: "0x0" | "0x1" = "0x1") => ({
  ...{ transactionHash: HASH, blockHash: HASH, blockNumber: "0x10", status, logs: [], type: "0x2" },
  ...{ from: account.address, to: account.address, gasUsed: "0x1" },
});
const batch = (status: number, receipts: object[] = []) => ({
  ...{ version: "2.0.0", id: "0x99", chainId: "0x1", status, atomic: true, receipts },
});
const fail = (code: number) => {
  throw Object.assign(new Error("failed"), { code });
};
const silence = () => new Promise<never>(() => undefined);

type Script = Parameters<typeof scriptedWallet>[0];
/** A wallet that sends transactions one by one, and batches if `script` says so. */
const walletWith = (script: Script) =>
  scriptedWallet({
    eth_sendTransaction: () => HASH,
    eth_blockNumber: () => "0x10",
    eth_getTransactionByHash: () => ({ hash: HASH, blockNumber: "0x10" }),
    eth_getTransactionReceipt: () => receipt(),
    ...script,
  });
const batching: Script = {
  wallet_getCapabilities: () => ({ "0x1": { atomic: { status: "supported" } } }),
  wallet_sendCalls: () => ({ id: "0x99" }),
  wallet_getCallsStatus: () => batch(200, [receipt()]),
};

beforeEach(() => {
  vi.useFakeTimers();
  // Without locks, an execution that hangs fails its own test only.
  vi.stubGlobal("navigator", {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Executes an order whose both steps are required, and lets time pass. Returns how it ended, and what was sent. */
async function execute(
  script: Script,
  of: { storage?: ReturnType<typeof pageStorage>; reads?: (typeof open)[] } = {},
) {
  const { storage = pageStorage(), reads = [open, open, open, done] } = of;
  const { wallet, asked } = walletWith(script);
  const { client } = readings(reads);
  let ended: string | null = null;
  void continueDeposit(client, {
    ...{ trackingId: TRACKING, wallet: { ...wallet, pollingInterval: POLL_MS }, storage },
  }).then(
    ({ state }) => {
      ended = state;
    },
    ({ name, code }: Error & { code?: string }) => {
      ended = `${name} ${code}`;
    },
  );
  for (let waited = 0; ended === null && waited < LONG_MS; waited += POLL_MS)
    await vi.advanceTimersByTimeAsync(POLL_MS);
  const sends = asked.filter((method) => /^(eth_sendTransaction|wallet_sendCalls)$/.test(method));
  return { ended, sends, storage };
}

const ONE_BY_ONE = ["eth_sendTransaction", "eth_sendTransaction"];

describe("a wallet is sent the steps one by one, and once each, if it", () => {
  test.each<[string, Script]>([
    [
      "answers capabilities of other chains only",
      { wallet_getCapabilities: () => ({ "0x2105": { atomic: { status: "supported" } } }) },
    ],
    ["answers no capabilities", { wallet_getCapabilities: () => null }],
    ["never answers the question for capabilities", { ...batching, wallet_getCapabilities: silence }],
    ["does not know batches by EIP-1193", { ...batching, wallet_sendCalls: () => fail(4200) }],
    ["does not know batches by JSON-RPC", { ...batching, wallet_sendCalls: () => fail(-32_601) }],
    ["does not support atomic batches", { ...batching, wallet_sendCalls: () => fail(5700) }],
  ])("%s", async (_name, script) => {
    const { ended, sends, storage } = await execute(script);
    expect(ended).toBe("completed");
    expect(sends.filter((method) => method === "eth_sendTransaction")).toEqual(ONE_BY_ONE);
    expect(storage.kept.size).toBe(0);
  });
});

describe("a wallet that", () => {
  test.each<[string, string, Script]>([
    [
      "refuses to switch to a chain that it does not know",
      "chain_unavailable",
      { eth_chainId: () => "0x5", wallet_switchEthereumChain: () => fail(4902) },
    ],
    [
      "says that it switched, and did not",
      "chain_unavailable",
      { eth_chainId: () => "0x5", wallet_switchEthereumChain: () => null },
    ],
    ["never says its chain", "wallet_failed", { eth_chainId: silence }],
    ["never says its accounts", "wallet_failed", { eth_accounts: silence }],
    ["has another account now", "wrong_account", { eth_accounts: () => [`0x${"99".repeat(20)}`] }],
    ["no longer gives its accounts", "wrong_account", { eth_accounts: () => fail(4100) }],
    ["declines to give its accounts", "user_rejected", { eth_accounts: () => fail(4001) }],
  ])("%s is sent nothing, and the error is %s", async (_name, code, script) => {
    const { ended, sends, storage } = await execute(script);
    expect([ended, sends]).toEqual([`CausewayError ${code}`, []]);
    expect(storage.kept.size).toBe(0);
  });
});

describe("the account, changed while the wallet shows the second transaction,", () => {
  test("ends with wrong_account, and the next execution sends it once", async () => {
    let sent = 0;
    const changing = { eth_sendTransaction: () => (++sent === 2 ? fail(4100) : HASH) };
    const first = await execute(changing);
    expect([first.ended, first.storage.kept.size]).toEqual(["CausewayError wrong_account", 0]);
    const left = { body: order([step("source.approve", "done"), step("source.deposit", "required")]) };
    const again = await execute({}, { storage: first.storage, reads: [left, left, done] });
    expect([again.ended, again.sends]).toEqual(["completed", ["eth_sendTransaction"]]);
  });
});

describe("the second of two transactions,", () => {
  const approved = { body: order([step("source.approve", "done"), step("source.deposit", "required")]) };

  test("declined, is sent once by the next execution", async () => {
    let shown = 0;
    const first = await execute({ eth_sendTransaction: () => (++shown === 2 ? fail(4001) : HASH) });
    expect([first.ended, first.storage.kept.size]).toEqual(["CausewayError user_rejected", 0]);
    const again = await execute({}, { storage: first.storage, reads: [approved, approved, done] });
    expect([again.ended, again.sends]).toEqual(["completed", ["eth_sendTransaction"]]);
  });

  test("dropped by every node, is of unknown outcome, and is not sent again by itself", async () => {
    let included = true;
    const dropping = {
      eth_sendTransaction: () => HASH,
      eth_getTransactionReceipt: () => {
        const found = included ? receipt() : null;
        included = false;
        return found;
      },
      eth_getTransactionByHash: () => null,
      eth_getBlockByNumber: () => ({ number: "0x10", hash: HASH, transactions: [] }),
    };
    const first = await execute(dropping);
    expect(first.ended).toBe("CausewayError outcome_unknown");
    const again = await execute(dropping, { storage: first.storage, reads: [approved] });
    expect([again.ended, again.sends]).toEqual(["CausewayError outcome_unknown", []]);
  });

  test("is looked for when the node that knows it never answers, and is not sent again", async () => {
    const silent = { eth_getTransactionReceipt: silence, eth_getTransactionByHash: silence };
    let sent = 0;
    const first = await execute({
      ...silent,
      eth_sendTransaction: () => HASH,
      eth_getTransactionReceipt: () => (++sent === 1 ? receipt() : silence()),
    });
    expect(first.ended).toBe("CausewayError outcome_unknown");
    const again = await execute(silent, { storage: first.storage, reads: [approved] });
    expect([again.ended, again.sends]).toEqual(["CausewayError outcome_unknown", []]);
  });
});

describe("a batch", () => {
  test("that was executed in part is of unknown outcome, and nothing is sent again by itself", async () => {
    const half = { ...batching, wallet_getCallsStatus: () => batch(600, [receipt(), receipt("0x0")]) };
    const first = await execute(half);
    expect([first.ended, first.sends]).toEqual(["CausewayError outcome_unknown", ["wallet_sendCalls"]]);
    const again = await execute(half, { storage: first.storage });
    expect([again.ended, again.sends]).toEqual(["CausewayError outcome_unknown", []]);
  });

  test.each([
    ["one", [receipt("0x0")], "transaction_reverted"],
    ["both", [receipt("0x0"), receipt("0x0")], "transaction_reverted"],
    ["the last of two", [receipt(), receipt("0x0")], "outcome_unknown"],
  ])(
    "whose wallet reports success with %s of its receipts reverted is no success",
    async (_name, receipts, code) => {
      const { ended } = await execute({ ...batching, wallet_getCallsStatus: () => batch(200, receipts) });
      expect(ended).toBe(`CausewayError ${code}`);
    },
  );

  test("that the user declines is sent nothing of, and can be sent in the next execution", async () => {
    const first = await execute({ ...batching, wallet_sendCalls: () => fail(4001) });
    expect([first.ended, first.storage.kept.size]).toEqual(["CausewayError user_rejected", 0]);
    const again = await execute(batching, { storage: first.storage, reads: [open, done] });
    expect([again.ended, again.sends]).toEqual(["completed", ["wallet_sendCalls"]]);
  });
});
