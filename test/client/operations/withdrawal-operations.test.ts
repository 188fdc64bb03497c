import { describe, expect, test } from "vitest";
import {
  getActions,
  getWithdrawals,
  quoteWithdrawal,
} from "../../../src/client/operations/read-operations.ts";
import {
  cancelRequest,
  cancelSignedWithdrawal,
  claimRequest,
  continueWithdrawal,
  executeWithdrawal,
  watchWithdrawal,
} from "../../../src/client/operations/withdrawal-operations.ts";
import { account, fakeWallet, order, readings, step, TRACKING } from "../../support/client/fake-order.ts";

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

describe("watchWithdrawal()", () => {
  test("tells each change once, and ends when nothing is left", async () => {
    const requested = {
      body: order([step("source.request", "done"), step("claim", "waiting")], "requested"),
    };
    const { client } = readings([
      requested,
      requested,
      { body: order([step("source.request", "done"), step("claim", "done")], "completed") },
    ]);
    const states: string[] = [];
    const onChange = ({ state }: { state: string }) => void states.push(state);
    expect((await watchWithdrawal(client, { trackingId: TRACKING, onChange })).state).toBe("completed");
    expect(states).toEqual(["requested", "completed"]);
  });
});

describe("cancelSignedWithdrawal()", () => {
  test("sends the cancellation that the API returns, and reports to nobody", async () => {
    const { client, requests } = readings([{ body: order([]) }], () => ({
      body: { steps: [step("source.cancel", "required")] },
    }));
    const { wallet, sent } = fakeWallet();
    await cancelSignedWithdrawal(client, { trackingId: TRACKING, wallet });
    expect(sent()).toBe(1);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v1/withdrawals/${TRACKING}`,
      `POST /v1/withdrawals/${TRACKING}/cancel`,
    ]);
  });

  test("throws the API's code when nothing is to be cancelled", async () => {
    const { client } = readings([{ body: order([]) }], () => ({
      status: 409,
      body: { code: "withdrawal_state", detail: "only the user can send this order", request_id: "r" },
    }));
    const { wallet, sent } = fakeWallet();
    await expect(cancelSignedWithdrawal(client, { trackingId: TRACKING, wallet })).rejects.toMatchObject({
      code: "withdrawal_state",
    });
    expect(sent()).toBe(0);
  });
});

describe("a request that was made elsewhere", () => {
  const of = { vaultId: "1:0x00000000000000000000000000000000000000ff", requestId: "42" };

  test.each([
    ["claim", claimRequest],
    ["cancel", cancelRequest],
  ] as const)("%s: approves and sends, and reports to nobody", async (action, execute) => {
    const steps = [step("claim.approve", "required"), step(`claim.${action}`, "required")];
    const { client, requests } = readings([], () => ({ body: { steps } }));
    const { wallet, sent } = fakeWallet();
    await execute(client, { ...of, wallet });
    expect(sent()).toBe(2);
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: `/v1/withdraw/${action}`,
        body: { vault_id: of.vaultId, request_id: "42", user_address: account.address },
      },
    ]);
  });

  test("throws transaction_reverted, and does not send what follows", async () => {
    const steps = [step("claim.approve", "required"), step("claim.claim", "required")];
    const { client } = readings([], () => ({ body: { steps } }));
    const { wallet, sent } = fakeWallet("0x0");
    await expect(claimRequest(client, { ...of, wallet })).rejects.toMatchObject({
      code: "transaction_reverted",
    });
    expect(sent()).toBe(1);
  });
});

describe("reads", () => {
  test("ask for quotes, lists and actions where the API has them", async () => {
    const { client, requests } = readings([{ body: [] }], () => ({ body: { options: [], warnings: [] } }));
    const userAddress = account.address;
    const vaultId = "1:0x00000000000000000000000000000000000000ff";
    await quoteWithdrawal(client, { vaultId, userAddress, shares: 5n, mode: "request" });
    await getWithdrawals(client, { userAddress, limit: 3 });
    await getActions(client, { userAddress, vaultId });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/withdraw/quote",
      `GET /v1/withdrawals?limit=3&user_address=${userAddress}`,
      `GET /v1/actions/${userAddress}/${encodeURIComponent(vaultId)}`,
    ]);
    expect(requests[0]?.body).toMatchObject({ shares: "5", mode: "request" });
  });
});
