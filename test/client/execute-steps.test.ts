import { createWalletClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import {
  continueDeposit,
  continueWithdrawal,
  executeWithdrawal,
  watchDeposit,
} from "../../src/client/deposit-actions.ts";
import { type FakeReply, fakeApi, type ReceivedRequest } from "../support/client/fake-api.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const HASH = `0x${"ab".repeat(32)}`;
const TRACKING = `trk_${"1".repeat(32)}`;

type StepState = "required" | "waiting" | "done" | "skipped";
const step = (stepId: string, state: StepState, change: object = {}) => ({
  step_id: stepId,
  kind: "transaction",
  purpose: stepId.split(".")[1],
  title: stepId,
  chain_id: 1,
  token: null,
  amount: "5",
  spender: null,
  state,
  tx_hash: null,
  transaction_request: { to: account.address, data: "0x12", value: "0", chain_id: 1, gas_limit: "50000" },
  typed_data: null,
  ...change,
});
const order = (steps: object[], state = "built") => ({
  tracking_id: TRACKING,
  state,
  user_address: account.address,
  steps,
  poll_after_ms: 1,
  updated_at: `${state}`,
});

/** A wallet that answers from a table; receipts have the given status. */
function fakeWallet(status: "0x1" | "0x0" = "0x1") {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    eth_chainId: "0x1",
    eth_sendTransaction: HASH,
    eth_blockNumber: "0x10",
    eth_signTypedData_v4: `0x${"cd".repeat(65)}`,
    eth_getTransactionByHash: null,
    eth_getTransactionReceipt: {
      transactionHash: HASH,
      blockHash: HASH,
      blockNumber: "0x10",
      status,
      logs: [],
      from: account.address,
      to: account.address,
      type: "0x0",
      gasUsed: "0x1",
      cumulativeGasUsed: "0x1",
      effectiveGasPrice: "0x1",
      transactionIndex: "0x0",
      logsBloom: "0x",
      contractAddress: null,
    },
  };
  const request = async ({ method }: { method: string }) => {
    asked.push(method);
    if (method in answers) return answers[method];
    throw Object.assign(new Error(`no ${method}`), { code: 4200 });
  };
  const wallet = createWalletClient({
    account: account.address,
    transport: custom({ request }),
    pollingInterval: 5,
  });
  return { wallet, asked, sent: () => asked.filter((method) => method === "eth_sendTransaction").length };
}

/** Answers each reading with the next of a list, and everything else with `other`. */
function readings(list: FakeReply[], other: (request: ReceivedRequest) => FakeReply = () => ({ body: {} })) {
  const queue = [...list];
  return fakeApi((request) => {
    if (request.method !== "GET") return other(request);
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? { body: {} };
  });
}

describe("continueDeposit()", () => {
  test("never sends a step twice, however long the API shows it as required", async () => {
    const required = { body: order([step("source.deposit", "required")]) };
    const done = { body: order([step("source.deposit", "done")], "completed") };
    const { client, requests } = readings([required, required, required, required, done]);
    const { wallet, sent } = fakeWallet();
    const deposit = await continueDeposit(client, { trackingId: TRACKING, wallet });
    expect(deposit.state).toBe("completed");
    expect(sent()).toBe(1);
    const reports = requests.filter(({ method }) => method === "PATCH");
    expect(reports.map(({ path, body }) => [path, body])).toEqual([
      [`/v1/deposits/${TRACKING}/tx`, { tx_hash: HASH, step: "source" }],
    ]);
  });

  test("reports the second step and the claim under their names, and no approval", async () => {
    const at = (state: StepState, id: string) => ({ body: order([step(id, state)]) });
    const { client, requests } = readings([
      at("required", "destination.approve"),
      at("required", "destination.deposit"),
      at("required", "vault.claim"),
      at("done", "vault.claim"),
    ]);
    const { wallet, sent } = fakeWallet();
    await continueDeposit(client, { trackingId: TRACKING, wallet });
    expect(sent()).toBe(3);
    const reported = requests.flatMap(({ method, body }) => (method === "PATCH" ? [body] : []));
    expect(reported).toMatchObject([{ step: "deposit" }, { step: "claim" }]);
  });

  test("waits for a bridge or a vault without asking the wallet", async () => {
    const waiting = {
      body: order([step("source.transfer", "done"), step("destination.deposit", "waiting")]),
    };
    const { client } = readings([waiting, waiting, { body: order([step("destination.deposit", "done")]) }]);
    const { wallet, asked } = fakeWallet();
    const phases: string[] = [];
    await continueDeposit(client, {
      trackingId: TRACKING,
      wallet,
      onProgress: ({ phase }) => void phases.push(phase),
    });
    expect(asked).toEqual([]);
    expect(phases).toEqual(["waiting", "waiting", "done"]);
  });

  test("signs a message, and takes the answer of /authorize as the next reading", async () => {
    const typed = {
      domain: { name: "Causeway", chainId: 1 },
      types: { Order: [{ name: "amount", type: "uint256" }] },
      primaryType: "Order",
      message: { amount: "5" },
    };
    const signature = step("source.authorize", "required", {
      kind: "signature",
      transaction_request: null,
      typed_data: typed,
    });
    const { client, requests } = readings(
      [
        { body: order([signature, step("source.deposit", "waiting")]) },
        // Nothing was seen of it yet, so the API asks for the signature again.
        { body: order([signature, step("source.deposit", "waiting")]) },
        { body: order([step("source.deposit", "done")]) },
      ],
      ({ path }) =>
        path.endsWith("/authorize")
          ? { body: { tracking_id: TRACKING, steps: [step("source.deposit", "required")] } }
          : { body: {} },
    );
    const { wallet, sent, asked } = fakeWallet();
    await continueDeposit(client, { trackingId: TRACKING, wallet });
    expect(asked.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(1);
    expect(sent()).toBe(1);
    expect(requests.find(({ path }) => path.endsWith("/authorize"))?.body).toEqual({
      signature: `0x${"cd".repeat(65)}`,
    });
  });

  test("throws transaction_reverted for a transaction that fails", async () => {
    const { client } = readings([{ body: order([step("source.deposit", "required")]) }]);
    const { wallet } = fakeWallet("0x0");
    await expect(continueDeposit(client, { trackingId: TRACKING, wallet })).rejects.toMatchObject({
      code: "transaction_reverted",
    });
  });

  test("does not lose a sent transaction when reporting it fails", async () => {
    const steps = [
      { body: order([step("source.deposit", "required")]) },
      { body: order([step("source.deposit", "done")]) },
    ];
    const { client } = readings(steps, () => new Error("offline"));
    const { wallet, sent } = fakeWallet();
    await continueDeposit(client, { trackingId: TRACKING, wallet });
    expect(sent()).toBe(1);
  });

  test("throws wrong_account before the wallet is asked to sign for another user", async () => {
    const body = { ...order([step("source.deposit", "required")]), user_address: `0x${"22".repeat(20)}` };
    const { client } = readings([{ body }]);
    const { wallet, sent } = fakeWallet();
    await expect(continueDeposit(client, { trackingId: TRACKING, wallet })).rejects.toMatchObject({
      code: "wrong_account",
    });
    expect(sent()).toBe(0);
  });
});

describe("a withdrawal", () => {
  const path = `/v1/withdrawals/${TRACKING}`;

  test("is built with all shares, walked through, and reported by purpose", async () => {
    const done = { body: order([step("source.redeem", "done")], "completed") };
    const { client, requests } = readings([done], (request) =>
      request.path === "/v1/withdraw/build"
        ? { body: order([step("source.redeem", "required")]) }
        : { body: {} },
    );
    const { wallet } = fakeWallet();
    const vaultId = "1:0x00000000000000000000000000000000000000ff";
    expect((await executeWithdrawal(client, { vaultId, shares: "all", wallet })).state).toBe("completed");
    expect(requests[0]?.body).toEqual({ vault_id: vaultId, shares: "all", user_address: account.address });
    expect(requests[1]).toMatchObject({ path: `${path}/tx`, body: { step: "redeem" } });
  });

  test("continues from its tracking id", async () => {
    const { client, requests } = readings([
      { body: order([step("source.claim", "required")]) },
      { body: order([step("source.claim", "done")], "completed") },
    ]);
    const { wallet, sent } = fakeWallet();
    await continueWithdrawal(client, { trackingId: TRACKING, wallet });
    expect(sent()).toBe(1);
    expect(requests[0]?.path).toBe(path);
  });
});

describe("watchDeposit()", () => {
  test("tells each change once, and ends when nothing is left", async () => {
    const bridging = { body: order([step("source.transfer", "waiting")], "bridging") };
    const { client } = readings([
      bridging,
      bridging,
      { body: order([step("source.transfer", "done")], "completed") },
    ]);
    const states: string[] = [];
    const last = await watchDeposit(client, {
      trackingId: TRACKING,
      onChange: ({ state }) => void states.push(state),
    });
    expect(states).toEqual(["bridging", "completed"]);
    expect(last.state).toBe("completed");
  });

  test("stops with the caller's signal", async () => {
    const { client } = readings([{ body: order([step("source.transfer", "waiting")], "bridging") }]);
    const leaving = new AbortController();
    const watch = { trackingId: TRACKING, signal: leaving.signal, onChange: () => leaving.abort() };
    await expect(watchDeposit(client, watch)).rejects.toMatchObject({ code: "aborted" });
  });
});
