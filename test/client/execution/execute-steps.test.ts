import { describe, expect, test } from "vitest";
import {
  cancelDeposit,
  continueDeposit,
  executeMove,
  watchDeposit,
} from "../../../src/client/operations/deposit-operations.ts";
import {
  account,
  fakeWallet,
  HASH,
  order,
  readings,
  type StepState,
  step,
  TRACKING,
} from "../../support/client/fake-order.ts";

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

  test("claims again once the API has shown the claim of a part, and not before", async () => {
    const claim = (state: StepState, tx_hash: string | null = null) => ({
      body: order([step("vault.claim", state, { tx_hash })]),
    });
    const [required, seen, done] = [claim("required"), claim("waiting", HASH), claim("done", HASH)];
    const claimsIn = async (shown: Parameters<typeof readings>[0]) => {
      const { client } = readings(shown);
      const { wallet, sent } = fakeWallet();
      await continueDeposit(client, { trackingId: TRACKING, wallet });
      return sent();
    };
    expect(await claimsIn([required, required, required, seen, done])).toBe(1);
    expect(await claimsIn([required, seen, required, required, seen, done])).toBe(2);
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

describe("executeMove()", () => {
  test("pays with the share token of the vault that is left", async () => {
    const vaultId = "1:0x00000000000000000000000000000000000000ff";
    const shareToken = `0x${"33".repeat(20)}`;
    const { client, requests } = readings(
      [{ body: { chain_id: 1, share_token: shareToken } }, { body: order([step("source.deposit", "done")]) }],
      () => ({ body: order([step("source.deposit", "required")]) }),
    );
    const { wallet } = fakeWallet();
    await executeMove(client, { fromVaultId: "1:0xaa", vaultId, shares: 7n, wallet });
    expect(requests.map(({ path }) => path)).toContain("/v1/vaults/1%3A0xaa");
    expect(requests.find(({ path }) => path === "/v1/quote/build")?.body).toEqual({
      from_chain_id: 1,
      from_token: shareToken,
      from_amount: "7",
      vault_id: vaultId,
      user_address: account.address,
    });
  });
});

describe("cancelDeposit()", () => {
  test("signs first where the token wants it, and then sends the transaction of the same step", async () => {
    const typed = {
      domain: {},
      types: { Cancel: [{ name: "nonce", type: "bytes32" }] },
      primaryType: "Cancel",
    };
    const signature = step("source.cancel", "required", {
      kind: "signature",
      transaction_request: null,
      typed_data: { ...typed, message: { nonce: HASH } },
    });
    const { client, requests } = readings([{ body: order([]) }], ({ body }) => ({
      body: {
        tracking_id: TRACKING,
        steps: [
          (body as { signature?: string }).signature === undefined
            ? signature
            : step("source.cancel", "required"),
        ],
      },
    }));
    const { wallet, asked } = fakeWallet();
    await cancelDeposit(client, { trackingId: TRACKING, wallet });
    expect(asked.filter((method) => /sign|send/i.test(method))).toEqual([
      "eth_signTypedData_v4",
      "eth_sendTransaction",
    ]);
    expect(requests.flatMap(({ path, method }) => (method === "POST" ? [path] : []))).toEqual([
      `/v1/deposits/${TRACKING}/cancel`,
      `/v1/deposits/${TRACKING}/cancel`,
    ]);
    expect(requests.some(({ method }) => method === "PATCH")).toBe(false);
  });
});
