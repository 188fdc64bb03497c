import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createCausewayClient } from "../../src/client/causeway-client.ts";
import { continueDeposit, watchDeposit } from "../../src/client/operations/deposit-operations.ts";
import { getDeposit, getVaults, getWithdrawal } from "../../src/client/operations/read-operations.ts";
import { continueWithdrawal } from "../../src/client/operations/withdrawal-operations.ts";
import { type FakeReply, fakeApi } from "../support/client/fake-api.ts";
import { account, fakeWallet, order, readings, step, TRACKING } from "../support/client/fake-order.ts";
import { serve } from "../support/local-server.ts";

const SECOND_MS = 1_000;
const TOO_MANY = 20;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    ({ name, code }: Error & { code?: string }) => `${name} ${code}`,
  );
const done = { body: order([step("source.deposit", "done")], "completed") };

beforeEach(() => {
  // Without locks, an execution that hangs fails its own test only.
  vi.stubGlobal("navigator", {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Answers of a proxy, or of a broken cache, in place of an order. */
const noOrder: [string, FakeReply][] = [
  ["null", { body: null }],
  ["an empty object", { body: {} }],
  ["a list", { body: [] }],
  ["a page", { body: "<!doctype html>" }],
  ["an order without steps", { body: { ...order([]), steps: null } }],
  ["another order", { body: { ...order([]), tracking_id: `trk_${"2".repeat(32)}` } }],
];

describe("a read of an order that is answered with", () => {
  test.each(noOrder)("%s fails with `network`, and nothing is asked of the wallet", async (_name, reply) => {
    const { client } = fakeApi(() => reply);
    const { wallet, asked } = fakeWallet();
    const of = { trackingId: TRACKING, wallet };
    expect([
      await codeOf(getDeposit(client, of)),
      await codeOf(getWithdrawal(client, of)),
      await codeOf(continueDeposit(client, of)),
      await codeOf(continueWithdrawal(client, of)),
    ]).toEqual(Array(4).fill("CausewayError network"));
    expect(asked).toEqual([]);
  });

  test.each(noOrder)("%s while it is executed is read again", async (_name, reply) => {
    vi.useFakeTimers();
    const required = { body: order([step("source.deposit", "required")]) };
    const { client } = readings([required, reply, reply, done]);
    const { wallet, sent } = fakeWallet();
    const ended = continueDeposit(client, { trackingId: TRACKING, wallet });
    await vi.advanceTimersByTimeAsync(30 * SECOND_MS);
    expect([(await ended).state, sent()]).toEqual(["completed", 1]);
  });
});

describe("a step is not given to the wallet when", () => {
  const typed = (chainId: number | string) => ({
    domain: { name: "Causeway", chainId },
    types: { Order: [{ name: "amount", type: "uint256" }] },
    ...{ primaryType: "Order", message: { amount: "5" } },
  });
  const request = { to: account.address, data: "0x12", value: "0", chain_id: 1, gas_limit: null };
  const signed = { kind: "signature", transaction_request: null };

  test.each<[string, object]>([
    ["its transaction is for another chain", { transaction_request: { ...request, chain_id: 10 } }],
    ["its transaction names no contract", { transaction_request: { ...request, to: null } }],
    ["its transaction names no address", { transaction_request: { ...request, to: "vitalik.eth" } }],
    ["its transaction is not known yet", { transaction_request: null }],
    ["its message is for another chain", { ...signed, typed_data: typed(10) }],
    ["its message is for another chain, as text", { ...signed, typed_data: typed("0xa") }],
    ["its message is missing", { ...signed, typed_data: null }],
  ])("%s", async (_name, change) => {
    const { client } = readings([{ body: order([step("source.deposit", "required", change)]) }, done]);
    const { wallet, asked } = fakeWallet();
    expect(await codeOf(continueDeposit(client, { trackingId: TRACKING, wallet }))).toBe(
      "CausewayError wallet_failed",
    );
    expect(asked.filter((method) => /^eth_sign|^eth_send/.test(method))).toEqual([]);
  });
});

describe("the time between two readings", () => {
  /** Watches an order that recommends `ms`, and returns the number of reads after each time in seconds. */
  const readsAfter = async (ms: unknown, seconds: readonly number[]) => {
    vi.useFakeTimers();
    const waiting = { ...order([step("source.deposit", "waiting")]), poll_after_ms: ms };
    const { signal, abort } = stoppable();
    const { client, requests } = fakeApi(() => {
      // Without a pause, time would never pass.
      if (requests.length > TOO_MANY) abort();
      return { body: waiting };
    });
    const ended = codeOf(watchDeposit(client, { trackingId: TRACKING, signal }));
    const counts: number[] = [];
    for (const more of seconds) {
      await vi.advanceTimersByTimeAsync(more * SECOND_MS);
      counts.push(requests.length);
    }
    abort();
    await ended;
    return counts;
  };

  // A timer of more than 2^31 ms would end at once.
  test.each([2 ** 40, Number.MAX_VALUE])("is a minute when the API asks for %d ms", async (ms) => {
    expect(await readsAfter(ms, [1, 60])).toEqual([1, 2]);
  });

  test.each([0, -5, null, "soon"])("is three seconds when the API asks for %s", async (ms) => {
    expect(await readsAfter(ms, [1, 9])).toEqual([1, 4]);
  });

  test.each([
    ["what a rate limit asks for", { code: "rate_limited", retry_after: 20 }, 1],
    ["three seconds for a rate limit that asks for nothing", { code: "rate_limited" }, 4],
    ["three seconds for one that asks for nonsense", { code: "rate_limited", retry_after: "soon" }, 4],
    ["three seconds for a gateway's own rate limit", "slow down", 4],
  ])("is %s", async (_name, body, expected) => {
    vi.useFakeTimers();
    const { client, requests } = fakeApi(() => ({ status: 429, body }));
    const { signal, abort } = stoppable();
    const ended = codeOf(watchDeposit(client, { trackingId: TRACKING, signal }));
    await vi.advanceTimersByTimeAsync(10 * SECOND_MS);
    abort();
    expect([await ended, requests.length]).toEqual(["CausewayError aborted", expected]);
  });
});

const stoppable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};

describe("a request ends with `network` when", () => {
  test.each<[string, (send: (text: string) => void) => void]>([
    ["nothing is answered", () => undefined],
    ["the body stops half-way", (send) => send('[{"vault_id":')],
  ])("%s until the timeout", async (_name, answer) => {
    const { url } = await serve((_request, response) =>
      answer((text) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write(text);
      }),
    );
    const client = createCausewayClient({ url, timeoutMs: 50 });
    expect(await codeOf(getVaults(client))).toBe("CausewayError network");
  });

  test("the answer nests deeper than can be read", async () => {
    const { client } = fakeApi(() => ({ body: `${"[".repeat(200_000)}${"]".repeat(200_000)}` }));
    expect(await codeOf(getVaults(client))).toBe("CausewayError network");
  });
});

test("an amount of any length is exact", async () => {
  const digits = "9".repeat(400);
  const { client } = fakeApi(() => ({ body: { ...order([]), from_amount: digits, from_token: "0x" } }));
  expect((await getDeposit(client, { trackingId: TRACKING })).fromAmount).toBe(BigInt(digits));
});
