import { describe, expect, test } from "vitest";
import { continueDeposit } from "../../src/client/operations/deposit-operations.ts";
import { continueWithdrawal } from "../../src/client/operations/withdrawal-operations.ts";
import type { FakeReply } from "../support/client/fake-api.ts";
import { account, HASH, order, readings, step, TRACKING } from "../support/client/fake-order.ts";
import { pageStorage, scriptedWallet } from "../support/client/scripted-wallet.ts";

const required = [step("source.approve", "required"), step("source.deposit", "required")];
const open = { body: order(required) };
const done = {
  body: order(required.map((one) => ({ ...one, state: "done", tx_hash: HASH }))),
};
const receipt = {
  ...{ transactionHash: HASH, blockHash: HASH, blockNumber: "0x10", status: "0x1", logs: [], type: "0x2" },
  ...{ from: account.address, to: account.address, gasUsed: "0x1" },
};
const batch = (status: number) => ({
  ...{ version: "2.0.0", id: "0x99", chainId: "0x1", status, atomic: true },
  receipts: status === 200 ? [receipt] : [],
});
const failure = (code: number) => Object.assign(new Error("failed"), { code });

/** A wallet that takes batches. `change` replaces its answers. */
const batching = (change: Parameters<typeof scriptedWallet>[0] = {}) =>
  scriptedWallet({
    wallet_getCapabilities: () => ({ "0x1": { atomic: { status: "supported" } } }),
    wallet_sendCalls: () => ({ id: "0x99" }),
    wallet_getCallsStatus: () => batch(200),
    ...change,
  });

/** A wallet that sends transactions one by one. `change` replaces its answers. */
const single = (change: Parameters<typeof scriptedWallet>[0] = {}) =>
  scriptedWallet({
    eth_sendTransaction: () => HASH,
    eth_blockNumber: () => "0x10",
    eth_getTransactionByHash: () => ({ hash: HASH, blockNumber: "0x10" }),
    eth_getTransactionReceipt: () => receipt,
    ...change,
  });

const sendsOf = ({ asked }: { asked: string[] }) =>
  asked.filter((method) => method === "wallet_sendCalls" || method === "eth_sendTransaction");

/** Executes the order with a wallet, after what `storage` has kept of an earlier page. */
async function visit(
  of: ReturnType<typeof scriptedWallet>,
  {
    storage = pageStorage(),
    reads = [open, open, done],
    ...options
  }: {
    storage?: ReturnType<typeof pageStorage>;
    reads?: FakeReply[];
    sendAgain?: boolean;
    signal?: AbortSignal;
  },
) {
  const { client, requests } = readings(reads);
  const phases: string[] = [];
  const ended = await continueDeposit(client, {
    ...{ trackingId: TRACKING, wallet: of.wallet, storage, ...options },
    onProgress: ({ phase }) => void phases.push(phase),
  }).then(
    () => null,
    ({ code }: { code: string }) => code,
  );
  return { ended, phases, storage, sends: sendsOf(of), asked: of.asked, requests };
}

/**
 * Closes the page while the wallet is asked. Returns what the page has kept then: what happens to the execution
 * afterwards, which only ends its lock, changes a copy.
 */
async function leaveDuring(method: string, make: typeof batching, reads: FakeReply[] = [open]) {
  const leaving = new AbortController();
  const storage = pageStorage();
  const left = pageStorage();
  const wallet = make({
    [method]: () => {
      for (const [key, value] of storage.kept) left.setItem(key, value);
      leaving.abort();
      throw failure(4001);
    },
  });
  await visit(wallet, { storage, reads, signal: leaving.signal });
  return left;
}

describe("a batch that was sent before the page was loaded again", () => {
  test("is asked for, and not sent again", async () => {
    const storage = await leaveDuring("wallet_getCallsStatus", batching);
    const { ended, sends, phases, requests } = await visit(batching(), { storage });
    expect([ended, sends]).toEqual([null, []]);
    expect(phases).toEqual(["sent", "included", "waiting", "done"]);
    expect(requests.find(({ method }) => method === "PATCH")?.body).toEqual({
      tx_hash: HASH,
      step: "source",
    });
    expect(storage.kept.size).toBe(0);
  });

  test("is asked for by the id that the wallet gave it", async () => {
    const storage = await leaveDuring("wallet_getCallsStatus", batching);
    const ids: unknown[] = [];
    const status = ([id]: readonly unknown[]) => {
      ids.push(id);
      return batch(200);
    };
    await visit(batching({ wallet_getCallsStatus: status }), { storage });
    expect(ids).toEqual(["0x99"]);
  });

  test("is asked for when the page was closed while the wallet showed it", async () => {
    const storage = await leaveDuring("wallet_sendCalls", batching);
    const { ended, sends } = await visit(batching(), { storage });
    expect([ended, sends]).toEqual([null, []]);
  });

  test("and is unknown to the wallet, is not sent again by itself", async () => {
    const storage = await leaveDuring("wallet_sendCalls", batching);
    const unknown = { wallet_getCallsStatus: () => Promise.reject(failure(5730)) };
    const { ended, sends } = await visit(batching(unknown), { storage });
    expect([ended, sends]).toEqual(["outcome_unknown", []]);
    // And it stays so.
    const again = await visit(batching(unknown), { storage });
    expect([again.ended, again.sends]).toEqual(["outcome_unknown", []]);
  });

  test("is sent again when the user says that it was not sent, with another id", async () => {
    const storage = await leaveDuring("wallet_sendCalls", batching);
    const [first = ""] = [...storage.kept.values()];
    const ids: string[] = [];
    const wallet = batching({
      wallet_sendCalls: ([sent]) => {
        ids.push((sent as { id: string }).id);
        return { id: "0x99" };
      },
    });
    const { ended, sends } = await visit(wallet, { storage, sendAgain: true });
    expect([ended, sends]).toEqual([null, ["wallet_sendCalls"]]);
    expect(first).not.toContain(ids[0]);
  });

  test("is sent again when the wallet says that it gave it up", async () => {
    const storage = await leaveDuring("wallet_getCallsStatus", batching);
    const gone = await visit(batching({ wallet_getCallsStatus: () => batch(400) }), { storage });
    expect([gone.ended, gone.sends]).toEqual(["wallet_failed", []]);
    const { ended, sends } = await visit(batching(), { storage });
    expect([ended, sends]).toEqual([null, ["wallet_sendCalls"]]);
  });

  test("is forgotten when the API has seen it", async () => {
    const storage = await leaveDuring("wallet_getCallsStatus", batching);
    const { sends, asked } = await visit(batching(), { storage, reads: [done] });
    expect([sends, asked]).toEqual([[], []]);
  });
});

describe("a batch whose sending failed", () => {
  test("with an error that leaves open whether it was sent is not sent one by one, nor in the next visit", async () => {
    const storage = pageStorage();
    const wallet = batching({ wallet_sendCalls: () => Promise.reject(failure(-32_603)) });
    const { ended, sends } = await visit(wallet, { storage });
    expect([ended, sends]).toEqual(["outcome_unknown", ["wallet_sendCalls"]]);
    const next = await visit(batching({ wallet_getCallsStatus: () => batch(200) }), { storage });
    expect([next.ended, next.sends]).toEqual([null, []]);
  });

  test("with a refusal is sent one by one, and leaves nothing behind", async () => {
    const script = { wallet_sendCalls: () => Promise.reject(failure(5740)), eth_sendTransaction: () => HASH };
    const node = { eth_blockNumber: () => "0x10", eth_getTransactionReceipt: () => receipt };
    const { ended, sends, storage } = await visit(batching({ ...script, ...node }), {});
    expect(ended).toBeNull();
    expect(sends).toEqual(["wallet_sendCalls", "eth_sendTransaction", "eth_sendTransaction"]);
    expect(storage.kept.size).toBe(0);
  });

  test("with the user's rejection can be sent in the next visit", async () => {
    const storage = pageStorage();
    const rejecting = batching({ wallet_sendCalls: () => Promise.reject(failure(4001)) });
    expect(await visit(rejecting, { storage })).toMatchObject({ ended: "user_rejected" });
    expect(await visit(batching(), { storage })).toMatchObject({ ended: null, sends: ["wallet_sendCalls"] });
  });
});

describe("a transaction that was handed to the wallet before the page was loaded again", () => {
  const reads = [{ body: order([step("source.deposit", "required")]) }];
  const reload = [
    ...reads,
    ...reads,
    { body: order([step("source.deposit", "done", { tx_hash: HASH })], "completed") },
  ];

  test("and has a hash is waited for and reported, and not sent again", async () => {
    const storage = await leaveDuring("eth_getTransactionReceipt", single, reads);
    const { ended, sends, requests } = await visit(single(), { storage, reads: reload });
    expect([ended, sends]).toEqual([null, []]);
    expect(requests.find(({ method }) => method === "PATCH")?.body).toEqual({
      tx_hash: HASH,
      step: "source",
    });
  });

  test("and was not answered is not sent again by itself", async () => {
    const storage = await leaveDuring("eth_sendTransaction", single, reads);
    const { ended, sends } = await visit(single(), { storage, reads: reload });
    expect([ended, sends]).toEqual(["outcome_unknown", []]);
    const again = await visit(single(), { storage, reads: reload, sendAgain: true });
    expect([again.ended, again.sends]).toEqual([null, ["eth_sendTransaction"]]);
  });

  test("and was cancelled in the wallet can be sent again", async () => {
    const storage = await leaveDuring("eth_getTransactionReceipt", single, reads);
    const cancel = { ...receipt, hash: `0x${"cd".repeat(32)}`, nonce: "0x7", value: "0x0", input: "0x" };
    const cancelled = single({
      eth_getTransactionByHash: () => ({
        ...cancel,
        hash: HASH,
        to: `0x${"33".repeat(20)}`,
        blockNumber: null,
      }),
      eth_getTransactionReceipt: ([hash]) => (hash === HASH ? null : receipt),
      eth_getBlockByNumber: () => ({ number: "0x10", transactions: [cancel] }),
    });
    expect(await visit(cancelled, { storage, reads })).toMatchObject({
      ...{ ended: "transaction_cancelled", sends: [] },
    });
    expect(await visit(single(), { storage, reads: reload })).toMatchObject({
      ...{ ended: null, sends: ["eth_sendTransaction"] },
    });
  });

  test("is not sent again by another execution in the same process, where no page keeps anything", async () => {
    const trackingId = `trk_${"7".repeat(32)}`;
    const body = { ...order([step("source.redeem", "required")]), tracking_id: trackingId };
    const lost = single({ eth_sendTransaction: () => Promise.reject(failure(-32_603)) });
    const { client } = readings([{ body }]);
    for (const of of [lost, single()]) {
      const ended = continueWithdrawal(client, { trackingId, wallet: of.wallet });
      await expect(ended).rejects.toMatchObject({ code: "outcome_unknown" });
    }
    expect(sendsOf(lost)).toHaveLength(1);
  });

  test("is kept in memory when the page's storage fails", async () => {
    const trackingId = `trk_${"8".repeat(32)}`;
    const { client } = readings([
      { body: { ...order([step("source.deposit", "required")]), tracking_id: trackingId } },
    ]);
    const full = {
      ...pageStorage(),
      setItem: () => {
        throw new Error("the quota is exceeded");
      },
    };
    const lost = single({ eth_sendTransaction: () => Promise.reject(failure(-32_603)) });
    for (const of of [lost, single()]) {
      const ended = continueDeposit(client, { trackingId, wallet: of.wallet, storage: full });
      await expect(ended).rejects.toMatchObject({ code: "outcome_unknown" });
    }
    expect(sendsOf(lost)).toHaveLength(1);
  });

  test("is an approval, which pays nothing and may be given again", async () => {
    const lost = single({ eth_sendTransaction: () => Promise.reject(failure(-32_603)) });
    const { ended, storage } = await visit(lost, { reads: [open] });
    expect([ended, storage.kept.size]).toEqual(["wallet_failed", 0]);
  });

  test("does not hold an order whose approval was sent only", async () => {
    const storage = await leaveDuring("eth_sendTransaction", single, [open]);
    expect(storage.kept.size).toBe(0);
  });
});
