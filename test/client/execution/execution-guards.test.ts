import { afterEach, describe, expect, test, vi } from "vitest";
import { executeAlone } from "../../../src/client/execution/execution-guards.ts";
import { continueDeposit, executeDeposit } from "../../../src/client/operations/deposit-operations.ts";
import { executeWithdrawal } from "../../../src/client/operations/withdrawal-operations.ts";
import { account, fakeWallet, order, readings, step, TRACKING } from "../../support/client/fake-order.ts";

afterEach(() => vi.unstubAllGlobals());

const required = { body: order([step("source.deposit", "required")]) };
const done = { body: order([step("source.deposit", "done")], "completed") };

describe("executeAlone()", () => {
  test("runs one execution of an order at a time, and the next one after it", async () => {
    let finish = (_text: string): void => {};
    const held = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const running = executeAlone({ trackingId: "trk_a" }, () => held);
    await expect(executeAlone({ trackingId: "trk_a" }, async () => "second")).rejects.toMatchObject({
      name: "CausewayError",
      code: "in_progress",
    });
    expect(await executeAlone({ trackingId: "trk_b" }, async () => "another order")).toBe("another order");
    finish("first");
    expect(await running).toBe("first");
    expect(await executeAlone({ trackingId: "trk_a" }, async () => "third")).toBe("third");
  });

  test("leaves the order free after a failure, which propagates", async () => {
    const declined = new Error("declined");
    await expect(executeAlone({ trackingId: "trk_a" }, () => Promise.reject(declined))).rejects.toBe(
      declined,
    );
    expect(await executeAlone({ trackingId: "trk_a" }, async () => 1)).toBe(1);
  });

  test.each([
    ["without locks", {}],
    ["where locks are refused", { locks: { request: () => Promise.reject(new Error("no origin")) } }],
  ])("runs the work %s", async (_name, navigator) => {
    vi.stubGlobal("navigator", navigator);
    expect(await executeAlone({ trackingId: "trk_a" }, async () => 1)).toBe(1);
  });
});

test("a deposit that is being executed is not sent a second time", async () => {
  const { client } = readings([required, required, done]);
  const [one, two] = [fakeWallet(), fakeWallet()];
  const running = continueDeposit(client, { trackingId: TRACKING, wallet: one.wallet });
  await expect(continueDeposit(client, { trackingId: TRACKING, wallet: two.wallet })).rejects.toMatchObject({
    code: "in_progress",
  });
  expect((await running).state).toBe("completed");
  expect([one.sent(), two.sent()]).toEqual([1, 0]);
});

test("an account that cannot pay is told so before it signs anything", async () => {
  const poor = { ...order([step("source.approve", "required")]), simulation: { balance_sufficient: false } };
  const { client } = readings([required], () => ({ body: poor }));
  const { wallet, sent } = fakeWallet();
  const paid = { fromChainId: 1, fromToken: account.address, fromAmount: 5n, vaultId: "1:0x01" };
  await expect(executeDeposit(client, { ...paid, wallet })).rejects.toMatchObject({
    code: "insufficient_balance",
  });
  const withdrawal = executeWithdrawal(client, { vaultId: "1:0x01", shares: "all", wallet });
  await expect(withdrawal).rejects.toMatchObject({ code: "insufficient_balance" });
  expect(sent()).toBe(0);
});

test("a repeated idempotency key continues the deposit from its present state", async () => {
  const { client } = readings([done], () => required);
  const { wallet, sent } = fakeWallet();
  const input = {
    ...{ fromChainId: 1, fromToken: account.address, fromAmount: 5n, vaultId: "1:0x01" },
    ...{ wallet, idempotencyKey: "key" },
  };
  expect((await executeDeposit(client, input)).state).toBe("completed");
  expect(sent()).toBe(0);
});

test("a repeated idempotency key continues the withdrawal from its present state", async () => {
  const { client, requests } = readings([done], () => required);
  const { wallet, sent } = fakeWallet();
  const input = { vaultId: "1:0x01", shares: "all", wallet, idempotencyKey: "key" } as const;
  expect((await executeWithdrawal(client, input)).state).toBe("completed");
  expect(sent()).toBe(0);
  expect(requests[0]?.headers.get("idempotency-key")).toBe("key");
});
