import { type Address, zeroAddress } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { decodeKyberSwap, encodeKyberSwap } from "../../src/providers/kyber/kyber-calldata.ts";
import type { TransferRequest } from "../../src/providers/provider.ts";
import {
  approve,
  type BridgedStack,
  give,
  held,
  newUser,
  send,
  startBridged,
  tokenOn,
  trySend,
} from "../support/stack/bridged.ts";
import { clearFaults, control } from "../support/stack/harness.ts";
import { approveAndSend, moveOf, openProviders } from "../support/stack/providers.ts";

const usd = (whole: bigint) => whole * 10n ** 6n;
let stack: BridgedStack;
let opened: ReturnType<typeof openProviders>;
let user: Address;

beforeAll(async () => {
  stack = await startBridged();
  opened = openProviders(stack);
  user = await newUser(stack);
});
afterEach(() => clearFaults(stack.hub.swaps));
afterAll(() => stack.close());

interface Answer {
  status: number;
  body: { code: number; data: Record<string, unknown>; details: unknown };
}

async function ask(path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(`${stack.hub.swaps}${path}`, init);
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}
const routes = (change: Record<string, string> = {}, slug = "local-31337") => {
  const { USDC: tokenIn, WETH: tokenOut } = stack.one.tokens;
  const query = new URLSearchParams({ tokenIn, tokenOut, amountIn: "100000000", ...change });
  return ask(`/${slug}/api/v1/routes?${query}`);
};
const build = (body: unknown, slug = "local-31337") =>
  ask(`/${slug}/api/v1/route/build`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const codeOf = ({ status, body }: Answer) => [status, body.code];

describe("KyberSwap emulator: errors", () => {
  test("refuses invalid route requests with the service's codes", async () => {
    const { USDC, FEE } = stack.one.tokens;
    const answers = await Promise.all([
      routes({ amountIn: "0" }),
      routes({ amountIn: "1e18" }),
      routes({ tokenIn: "" }),
      routes({ tokenOut: "0x1234" }),
      routes({ tokenOut: USDC }),
      routes({ tokenOut: FEE }),
      routes({ amountIn: "1" }),
      routes({}, "ethereum"),
      ask("/local-31337/api/v1/other"),
    ]);
    expect(answers.map(codeOf)).toEqual([
      [400, 4000],
      [400, 4000],
      [400, 4000],
      [400, 4000],
      [400, 4000],
      [400, 4011],
      [400, 4008],
      [404, 404],
      [404, 404],
    ]);
  });

  test("builds only a route that it found, unchanged, for valid terms", async () => {
    // The text keeps integers that a double cannot hold.
    const text = await (await fetch(`${stack.hub.swaps}/local-31337/api/v1/routes?${query()}`)).text();
    const route = text.slice(text.indexOf('"routeSummary":') + 15, text.lastIndexOf(',"routerAddress"'));
    const withRoute = (rest: object, changed = route) =>
      build(`{"routeSummary":${changed},${JSON.stringify(rest).slice(1)}`);
    const terms = { sender: user, recipient: user, slippageTolerance: 50 };
    const past = Math.floor(Date.now() / 1000) - 60;
    const answers = [
      await withRoute(terms),
      await withRoute({ ...terms, slippageTolerance: 2_001 }),
      await withRoute({ ...terms, slippageTolerance: -1 }),
      await withRoute({ ...terms, slippageTolerance: "50" }),
      await withRoute({ ...terms, deadline: past }),
      await withRoute({ ...terms, recipient: "" }),
      await withRoute({ ...terms, recipient: "0x12" }),
      await withRoute(terms, route.replace('"amountOut":"', '"amountOut":"9')),
      await withRoute(terms, JSON.stringify(JSON.parse(route))),
      await build({ ...terms, routeSummary: {} }),
      await build("{"),
    ];
    expect(answers.map(codeOf)).toEqual([
      [200, 0],
      [400, 4000],
      [400, 4000],
      [400, 4002],
      [400, 4000],
      [400, 4000],
      [400, 4000],
      [400, 4003],
      [400, 4003],
      [400, 4000],
      [400, 4002],
    ]);
  });

  function query(): URLSearchParams {
    const { USDC: tokenIn, WETH: tokenOut } = stack.one.tokens;
    return new URLSearchParams({ tokenIn, tokenOut, amountIn: "100000000" });
  }

  test("obeys /__control, and says how long a rate limit lasts", async () => {
    await control(stack.hub.swaps, { faults: [{ kind: "status", status: 429, retry_after: 7, count: 1 }] });
    const response = await fetch(`${stack.hub.swaps}/local-31337/api/v1/routes`);
    expect([response.status, response.headers.get("x-ratelimit-reset-after")]).toEqual([429, "7"]);
  });
});

const swapOf = (from: Address, to: Address, amount: bigint): TransferRequest =>
  moveOf(stack.one, stack.one, { fromToken: from, toToken: to, amount, user });

describe("a swap of the KyberSwap provider on chain", () => {
  test.each([
    ["USDC", "WETH", usd(250n)],
    ["USDT", "USDC", usd(70n)],
    ["USDC", "ETH", usd(90n)],
    ["ETH", "USDC", 10n ** 17n],
  ] as const)("from %s to %s delivers exactly what was quoted", async (paid, wanted, amount) => {
    const { kyber, scope } = opened;
    if (paid !== "ETH") await give(stack.one, { user, symbol: paid, amount });
    const request = swapOf(tokenOn(stack.one, paid), tokenOn(stack.one, wanted), amount);
    const [quote] = await kyber.quote(scope, request);
    const move = await kyber.build(scope, request);
    expect(move.toAmount).toBe(quote?.toAmount);
    expect(move.toAmountMin).toBe(quote?.toAmountMin);
    expect(decodeKyberSwap(move.transaction.data)?.kind).toBe("swap");
    const [had, hadPaid] = [await held(stack.one, [user, wanted]), await held(stack.one, [user, paid])];
    await approveAndSend(stack.one, { move, request });
    const gained = (await held(stack.one, [user, wanted])) - had;
    // Gas is paid in native money.
    if (wanted !== "ETH") expect(gained).toBe(move.toAmount);
    else expect(gained).toBeGreaterThan((move.toAmount * 99n) / 100n);
    const spent = hadPaid - (await held(stack.one, [user, paid]));
    if (paid !== "ETH") expect(spent).toBe(amount);
  });

  test("in simple mode, whose pools pay the router itself, delivers nothing and reverts", async () => {
    const { kyber, scope } = opened;
    const amount = 10n ** 6n;
    await give(stack.one, { user, symbol: "WBTC", amount });
    const request = swapOf(stack.one.tokens.WBTC, stack.one.tokens.USDC, amount);
    const { transaction, spender } = await kyber.build(scope, request);
    expect(decodeKyberSwap(transaction.data)?.kind).toBe("swapSimpleMode");
    if (spender === null) throw new Error("a token needs an approval");
    await approve(stack.one, { user, token: request.fromToken, spender, amount });
    expect((await trySend(stack.one, { user, ...transaction })).status).toBe(false);
  });

  test("reverts below the minimum, for another value, and after its deadline", async () => {
    const { kyber, scope } = opened;
    const amount = usd(100n);
    await give(stack.one, { user, symbol: "USDC", amount });
    const request = swapOf(stack.one.tokens.USDC, stack.one.tokens.WETH, amount);
    const move = await kyber.build(scope, request);
    if (move.spender === null) throw new Error("a token needs an approval");
    await approve(stack.one, { user, token: request.fromToken, spender: move.spender, amount });
    const swap = decodeKyberSwap(move.transaction.data);
    if (swap === null) throw new Error("the calldata is a swap");
    const greedy = { ...swap, desc: { ...swap.desc, minReturnAmount: move.toAmount + 1n } };
    const outcomes = [
      await trySend(stack.one, { user, ...move.transaction, data: encodeKyberSwap(greedy) }),
      await trySend(stack.one, { user, ...move.transaction, value: 1n }),
      await send(stack.one, { user, ...move.transaction }),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual([false, false, true]);
  });

  test("cannot be made to pay somebody else: the provider refuses the hostile service's transaction", async () => {
    const { kyber, scope } = opened;
    await control(stack.hub.swaps, { faults: [{ kind: "hostile", match: "/route/build" }] });
    const { USDC, WBTC, USDT } = stack.one.tokens;
    for (const paid of [USDC, WBTC, zeroAddress]) {
      const request = swapOf(paid, USDT, paid === zeroAddress ? 10n ** 18n : 10n ** 7n);
      await expect(kyber.build(scope, request)).rejects.toMatchObject({ code: "upstream_rejected" });
    }
  });
});
