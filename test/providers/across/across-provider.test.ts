import { type Address, concatHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { decodeAcrossDeposit, decodeInstructions } from "../../../src/providers/across/across-calldata.ts";
import { createAcross } from "../../../src/providers/across/across-provider.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { type Reply, serveApi } from "../../support/across/emulator.ts";
import {
  call,
  failureOf,
  feesBody,
  HANDLER,
  requestOf,
  SPOKE_1,
  scopeOf,
  USDC_1,
  USDC_42161,
  USER,
  WETH_1,
  WETH_42161,
} from "../../support/across/stage.ts";

const api = serveApi();

const seconds = (): number => Math.floor(Date.now() / 1000);
/** Lets the API answer a request honestly, or with something changed. */
function answerFor(request: TransferRequest, change: Record<string, unknown> = {}): void {
  api.answer(() => ({ kind: "json", body: { ...feesBody(request, seconds()), ...change } }));
}
const across = () => createAcross({ apiUrl: api.url });

test("capabilities() lists the bridge and its chains", () => {
  expect(across().name).toBe("across");
  expect(across().capabilities()).toEqual({
    bridges: [{ key: "across", name: "Across", chains: [1, 10, 137, 8453, 42161] }],
    swaps: false,
    destinationCall: true,
  });
});

describe("quote()", () => {
  test("quotes a transfer with one API request", async () => {
    const request = requestOf({ call: null });
    answerFor(request);
    expect(await across().quote(scopeOf(), request)).toEqual([
      {
        provider: "across",
        bridge: "across",
        bridgeName: "Across",
        bridgeLogo: null,
        toAmount: 99_900_000n,
        toAmountMin: 99_900_000n,
        declaredFee: 1_000_000n,
        nativeFee: 0n,
        estimatedSeconds: 3,
        gas: null,
        supportsCall: true,
        supportsPlain: true,
      },
    ]);
    expect(api.requests.map(({ method, query }) => ({ method, query }))).toEqual([
      {
        method: "GET",
        query: {
          inputToken: USDC_1,
          outputToken: USDC_42161,
          originChainId: "1",
          destinationChainId: "42161",
          amount: "100000000",
          recipient: USER,
        },
      },
    ]);
  });

  test("sends the message, so that the quote includes the destination call's gas", async () => {
    const request = requestOf();
    answerFor(request);
    await across().quote(scopeOf(), request);
    const [asked] = api.requests;
    expect(asked).toMatchObject({ method: "POST", query: { recipient: HANDLER } });
    const { message } = JSON.parse(asked?.body ?? "{}") as { message: `0x${string}` };
    expect(decodeInstructions(message).calls.at(-1)?.callData).toBe(call.data);
  });

  test("sends no API request when there is no route", async () => {
    const { code } = await failureOf(across().quote(scopeOf(), requestOf({ toToken: WETH_42161 })));
    expect(code).toBe("no_route");
    expect(api.requests).toEqual([]);
  });
});

describe("build()", () => {
  test("encodes the requested deposit", async () => {
    const request = requestOf();
    answerFor(request);
    const built = await across().build(scopeOf(), request);
    expect(built).toMatchObject({
      spender: SPOKE_1,
      executor: HANDLER,
      tool: "across",
      toAmountMin: 99_900_000n,
    });
    expect(built.transaction).toMatchObject({ to: SPOKE_1, value: 0n });
    expect(decodeAcrossDeposit(built.transaction.data)).toMatchObject({
      depositor: USER,
      recipient: HANDLER,
      inputToken: USDC_1,
      outputToken: USDC_42161,
      inputAmount: 100_000_000n,
      outputAmount: 99_900_000n,
      destinationChainId: 42161n,
      trailing: "0x",
    });
  });

  test("sends native money as value and needs no approval", async () => {
    const request = requestOf({ fromToken: zeroAddress, toToken: WETH_42161, amount: 10n ** 18n });
    answerFor(request);
    const built = await across().build(scopeOf(), request);
    expect(built).toMatchObject({ spender: null, transaction: { value: 10n ** 18n } });
    expect(decodeAcrossDeposit(built.transaction.data).inputToken).toBe(WETH_1);
  });

  test("has no executor without a destination call", async () => {
    const request = requestOf({ call: null });
    answerFor(request);
    expect((await across().build(scopeOf(), request)).executor).toBeNull();
  });

  test("appends the integrator id to the calldata", async () => {
    const request = requestOf();
    answerFor(request);
    const plain = (await across().build(scopeOf(), request)).transaction.data;
    const marked = createAcross({ apiUrl: api.url, integratorId: "0xAB12", apiKey: "k" });
    const data = (await marked.build(scopeOf(), request)).transaction.data;
    expect(decodeAcrossDeposit(data).trailing).toBe("0x1dc0deab12");
    expect(data.slice(0, 500)).toBe(concatHex([plain]).slice(0, 500));
  });

  const THIEF: Address = "0x6666666666666666666666666666666666666666";
  test.each<[string, Record<string, unknown>]>([
    ["SpokePool", { spokePoolAddress: THIEF }],
    ["destination SpokePool", { destinationSpokePoolAddress: THIEF }],
    ["token", { outputToken: { address: THIEF, decimals: 6, chainId: 42161 } }],
    ["amount", { outputAmount: "100000001" }],
    ["deadline", { fillDeadline: "4294967295" }],
    ["quote time", { timestamp: "0" }],
  ])("rejects a quote with a hostile %s", async (_, change) => {
    const request = requestOf();
    answerFor(request, change);
    expect((await failureOf(across().build(scopeOf(), request))).code).toBe("upstream_rejected");
    expect((await failureOf(across().quote(scopeOf(), request))).code).toBe("upstream_rejected");
  });

  test.each<[Reply, string]>([
    [{ kind: "json", status: 400, body: { code: "AMOUNT_TOO_HIGH", message: "x" } }, "no_route"],
    [{ kind: "text", text: "<html></html>" }, "upstream_unavailable"],
    [{ kind: "json", status: 429, body: {} }, "rate_limited"],
  ])("passes on the API client's failure (%#)", async (reply, code) => {
    api.replyWith(reply);
    expect((await failureOf(across().build(scopeOf(), requestOf()))).code).toBe(code);
  });
});

test("status() returns the phase of a transfer", async () => {
  api.replyWith({ kind: "json", body: { status: "pending", originChainId: 1, destinationChainId: 42161 } });
  const transfer = {
    txHash: `0x${"5".repeat(64)}`,
    fromChainId: 1,
    toChainId: 42161,
    tool: "across",
  } as const;
  expect((await across().status(scopeOf(), transfer)).phase).toBe("bridging");
});

test("createAcross() throws when an option replaces a deployment that ships in code", () => {
  const tokens = [{ asset: "USDC", address: USDC_1, decimals: 6 }];
  const own = { chainId: 1, spokePool: USER, multicallHandler: USER, wrappedNative: null, tokens };
  expect(() => createAcross({ apiUrl: api.url, deployments: [own] })).toThrow("ships in code");
});
