import { describe, expect, test } from "vitest";
import { createCausewayClient } from "../../src/client/causeway-client.ts";
import { CausewayError } from "../../src/client/causeway-client-error.ts";
import {
  buildDeposit,
  getDeposit,
  getVaults,
  getWithdrawal,
  quoteDeposit,
} from "../../src/client/operations/read-operations.ts";
import { errorCodes, errorTable } from "../../src/errors.ts";
import { fakeApi } from "../support/client/fake-api.ts";

const input = {
  fromChainId: 1,
  fromToken: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  fromAmount: 10n ** 30n,
  vaultId: "1:0x00000000000000000000000000000000000000ff",
  userAddress: "0x00000000000000000000000000000000000000aa",
  slippage: 0.01,
} as const;

/** Returns the CausewayError that work rejects with. */
async function errorOf(work: Promise<unknown>): Promise<CausewayError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof CausewayError) return error;
  throw new Error("a CausewayError was expected");
}

test.each([undefined, "", "api.example", "127.0.0.1:8787", "ws://api.example"])(
  "createCausewayClient() refuses %j as the URL of the API",
  (url) => {
    expect(() => createCausewayClient({ url } as { url: string })).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: expect.stringContaining("https://api.example"),
      }),
    );
  },
);

describe("a request of the client", () => {
  test("writes names in snake_case, amounts as text, and leaves out what is undefined", async () => {
    const { client, requests } = fakeApi(() => ({ body: {} }));
    await buildDeposit(client, { ...input, partnerId: "p", idempotencyKey: "key", referrerHandle: "" });
    await getVaults(client, { chainId: 1, q: "usd c" });
    expect(requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      {
        method: "POST",
        path: "/v1/quote/build",
        body: {
          from_chain_id: 1,
          from_token: input.fromToken,
          from_amount: "1000000000000000000000000000000",
          vault_id: input.vaultId,
          user_address: input.userAddress,
          slippage: 0.01,
          partner_id: "p",
          referrer_handle: "",
        },
      },
      { method: "GET", path: "/v1/vaults?chain_id=1&q=usd+c", body: null },
    ]);
    expect(requests[0]?.headers.get("idempotency-key")).toBe("key");
    expect(requests.map(({ headers }) => headers.get("x-api-key"))).toEqual(["cw_live_key", "cw_live_key"]);
  });

  test("reads no other path than the order's, whatever the id from a link is", async () => {
    const { client, requests } = fakeApi(() => ({ body: {} }));
    await errorOf(getDeposit(client, { trackingId: "trk/../../prices?ids=1" }));
    await errorOf(getWithdrawal(client, { trackingId: "../partners/me#" }));
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/deposits/trk%2F..%2F..%2Fprices%3Fids%3D1",
      "/v1/withdrawals/..%2Fpartners%2Fme%23",
    ]);
  });

  test("writes amounts as text at every depth, and names inside a body as they are", async () => {
    const { client, requests } = fakeApi(() => ({ body: {} }));
    const claims = [{ vaultId: "v", minDeposit: 5n, params: { most: [10n ** 30n] } }];
    await client.request({ method: "POST", path: "/v1/admin/vaults", body: { claims, atMost: 7n } });
    expect(requests[0]?.body).toEqual({
      claims: [{ vaultId: "v", minDeposit: "5", params: { most: ["1000000000000000000000000000000"] } }],
      at_most: "7",
    });
    await client.request({ path: "/v1/prices", query: { ids: [1n, 2n], fromAmount: 3n } });
    expect(requests[1]?.path).toBe("/v1/prices?from_amount=3&ids=1%2C2");
  });

  test("is refused with a code, and not sent, if JSON cannot represent it", async () => {
    const { client, requests } = fakeApi(() => ({ body: {} }));
    const form: Record<string, unknown> = {};
    form["self"] = form;
    const work = client.request({ method: "POST", path: "/v1/applications/wallet", body: { form } });
    expect(await errorOf(work)).toMatchObject({
      code: "invalid_input",
      issues: [{ loc: ["body"], type: "json_invalid" }],
    });
    expect(requests).toEqual([]);
  });

  test("reads amounts as bigint, null as null, and leaves messages to sign as they are", async () => {
    const typed = { message: { amount_in: "5", amount: "6" } };
    const body = {
      estimate: { min_shares: "79228162514264337593543950336123", estimated_shares: null },
      steps: [{ step_id: "source.deposit", amount: "12", typed_data: typed }],
      calls: [{ data: "0x", value: "0x1" }],
      transaction_request: { data: "0x", value: "7", gas_limit: null },
      metrics: [{ label: "TVL", value: "8" }],
      apy_7d: 0.05,
    };
    const { client } = fakeApi(() => ({ body }));
    expect(await quoteDeposit(client, input)).toEqual({
      estimate: { minShares: 79228162514264337593543950336123n, estimatedShares: null },
      steps: [{ stepId: "source.deposit", amount: 12n, typedData: typed }],
      calls: [{ data: "0x", value: "0x1" }],
      transactionRequest: { data: "0x", value: 7n, gasLimit: null },
      metrics: [{ label: "TVL", value: "8" }],
      apy7d: 0.05,
    });
  });
});

describe("an error of the API", () => {
  test.each(errorCodes)("with the code %s reaches the caller typed", async (code) => {
    const { status, title } = errorTable[code];
    const body = {
      type: `/docs/errors#${code}`,
      title,
      status,
      detail: "why",
      code,
      request_id: "r1",
      retry_after: 3,
    };
    const { client } = fakeApi(() => ({ status, body }));
    const error = await errorOf(getVaults(client));
    expect(error).toMatchObject({
      code,
      status,
      message: "why",
      requestId: "r1",
      members: { retry_after: 3 },
    });
  });

  test("about an input lists every finding", async () => {
    const detail = [
      { loc: ["body", "from_amount"], msg: "must be positive", type: "invalid" },
      { loc: ["body", "slippage"], msg: "too high", type: "too_big" },
    ];
    const { client } = fakeApi(() => ({ status: 422, body: { detail }, headers: { "x-request-id": "r2" } }));
    expect(await errorOf(quoteDeposit(client, input))).toMatchObject({
      code: "invalid_input",
      message: "body.from_amount: must be positive; body.slippage: too high",
      issues: detail,
      requestId: "r2",
    });
  });

  test("without an id of the request has none", async () => {
    const replies = [
      { status: 422, body: { detail: [] } },
      { status: 503, body: { detail: "why", code: "store_unavailable" } },
    ];
    const ids = replies.map(
      async (reply) => (await errorOf(getVaults(fakeApi(() => reply).client))).requestId,
    );
    expect(await Promise.all(ids)).toEqual([null, null]);
  });

  test.each([
    ["no connection", new Error("refused")],
    ["no JSON", { body: "<!doctype html>" }],
    ["a gateway's own error", { status: 502, body: { message: "bad gateway" } }],
  ])("is `network` for %s", async (_name, reply) => {
    const { client } = fakeApi(() => reply);
    expect((await errorOf(getVaults(client))).code).toBe("network");
  });

  test("is `aborted` when the caller stopped waiting", async () => {
    const signal = AbortSignal.abort();
    const { client } = fakeApi(() => new Error("aborted"));
    expect((await errorOf(getVaults(client, { signal }))).code).toBe("aborted");
  });
});
