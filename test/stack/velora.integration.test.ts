import { type Address, type Hex, zeroAddress } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { TransferRequest } from "../../src/providers/provider.ts";
import {
  type AugustusSwap,
  decodeAugustusSwap,
  encodeAugustusSwap,
} from "../../src/providers/velora/velora-calldata.ts";
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
afterEach(() => clearFaults(stack.hub.velora));
afterAll(() => stack.close());

/** Asks the emulator for a swap of 100 USDC to WETH, with changes to the query. */
async function ask(change: Record<string, string> = {}, path = "/swap"): Promise<[number, string]> {
  const { USDC: srcToken, WETH: destToken } = stack.two.tokens;
  const query = new URLSearchParams({
    ...{ srcToken, destToken, srcDecimals: "6", destDecimals: "18", amount: "100000000", side: "SELL" },
    ...{ network: "31338", version: "6.2", userAddress: user, slippage: "300", ...change },
  });
  const response = await fetch(`${stack.hub.velora}${path}?${query}`);
  const body = (await response.json()) as { error?: string };
  return [response.status, body.error ?? ""];
}

describe("Velora emulator", () => {
  test("refuses invalid requests with the service's texts", async () => {
    const { USDC, FEE } = stack.two.tokens;
    const answers = await Promise.all([
      ask(),
      ask({}, "/prices"),
      ask({ amount: "0" }),
      ask({ amount: "1" }),
      ask({ srcToken: zeroAddress }),
      ask({ srcToken: "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee" }),
      ask({ destToken: FEE }),
      ask({ destToken: USDC, destDecimals: "6" }),
      ask({ destDecimals: "6" }),
      ask({ slippage: "1%" }),
      ask({ userAddress: "me" }),
      ask({ version: "5" }),
      ask({ network: "1" }),
      ask({ includeContractMethods: "swapExactAmountInOnUniswapV3" }),
      ask({}, "/transactions/31338"),
    ]);
    expect(answers).toEqual([
      [200, ""],
      [200, ""],
      [400, "Validation failed: amount"],
      [404, "No routes found with enough liquidity"],
      [400, `Token ${zeroAddress} Not Found`],
      [400, "Invalid srcToken"],
      [400, `Token ${FEE} Not Found`],
      [400, "Invalid tokens"],
      [400, "Validation failed: destDecimals"],
      [400, "Validation failed: slippage"],
      [400, "Validation failed: userAddress"],
      [400, "Validation failed: version"],
      [422, "Unsupported network"],
      [404, "No routes found with enough liquidity"],
      [404, "Not Found"],
    ]);
  });

  test("obeys /__control, and says how long a rate limit lasts", async () => {
    await control(stack.hub.velora, { faults: [{ kind: "status", status: 429, retry_after: 7, count: 1 }] });
    const response = await fetch(`${stack.hub.velora}/prices`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
  });
});

const swapOf = (from: Address, to: Address, amount: bigint): TransferRequest =>
  moveOf(stack.two, stack.two, { fromToken: from, toToken: to, amount, user });

/** Builds a swap of USDC to WETH, funded and approved. */
async function readySwap(amount: bigint): Promise<{ to: Address; value: bigint; swap: AugustusSwap }> {
  const { velora, scope } = opened;
  await give(stack.two, { user, symbol: "USDC", amount });
  const request = swapOf(stack.two.tokens.USDC, stack.two.tokens.WETH, amount);
  const { transaction, spender } = await velora.build(scope, request);
  if (spender === null) throw new Error("a token needs an approval");
  await approve(stack.two, { user, token: request.fromToken, spender, amount });
  const swap = decodeAugustusSwap(transaction.data);
  if (swap === null) throw new Error("the calldata is a swap");
  return { to: transaction.to, value: transaction.value, swap };
}

describe("a swap of the Velora provider on chain", () => {
  test.each([
    ["USDC", "WETH", usd(250n)],
    ["USDT", "USDC", usd(70n)],
    ["USDC", "ETH", usd(90n)],
    ["ETH", "USDC", 10n ** 17n],
  ] as const)(
    "from %s to %s delivers what was quoted, but for the router's unit",
    async (paid, wanted, amount) => {
      const { velora, scope } = opened;
      if (paid !== "ETH") await give(stack.two, { user, symbol: paid, amount });
      const request = swapOf(tokenOn(stack.two, paid), tokenOn(stack.two, wanted), amount);
      const [quote] = await velora.quote(scope, request);
      const move = await velora.build(scope, request);
      expect(move.toAmount).toBe(quote?.toAmount);
      expect(move.toAmountMin).toBe(quote?.toAmountMin);
      const [had, hadPaid] = [await held(stack.two, [user, wanted]), await held(stack.two, [user, paid])];
      await approveAndSend(stack.two, { move, request });
      const gained = (await held(stack.two, [user, wanted])) - had;
      // The first swap leaves a unit in the router, which the next one pays out. Gas is paid in native money.
      if (wanted !== "ETH") expect([move.toAmount, move.toAmount - 1n]).toContain(gained);
      else expect(gained).toBeGreaterThan((move.toAmount * 99n) / 100n);
      const spent = hadPaid - (await held(stack.two, [user, paid]));
      if (paid !== "ETH") expect(spent).toBe(amount);
    },
  );

  test("reverts below the minimum and for another value", async () => {
    const { swap, ...call } = await readySwap(usd(100n));
    const sent = (change: Partial<AugustusSwap>, value = call.value) =>
      trySend(stack.two, { user, to: call.to, value, data: encodeAugustusSwap({ ...swap, ...change }) });
    const greedy = { toAmount: swap.quotedAmount * 2n, quotedAmount: swap.quotedAmount * 2n };
    const outcomes = [
      await sent(greedy),
      await sent({}, 1n),
      await send(stack.two, { user, ...call, data: encodeAugustusSwap(swap) }),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual([false, false, true]);
  });

  test.each<[string, (swap: AugustusSwap) => Partial<AugustusSwap>]>([
    ["a low quoted amount", ({ toAmount }) => ({ quotedAmount: toAmount / 2n, feeData: 0n })],
    ["a partner's fee", () => ({ partner: `0x${"ab".repeat(20)}`, feeData: 200n })],
  ])("would deliver less than its minimum with %s, which the provider refuses", async (_name, change) => {
    const { swap, ...call } = await readySwap(usd(100n));
    const data: Hex = encodeAugustusSwap({ ...swap, toAmount: swap.quotedAmount - 1n, ...change(swap) });
    const had = await held(stack.two, [user, "WETH"]);
    await send(stack.two, { user, ...call, data });
    expect((await held(stack.two, [user, "WETH"])) - had).toBeLessThan(swap.quotedAmount - 2n);
  });

  test("cannot be made to pay somebody else: the provider refuses the hostile service's transaction", async () => {
    const { velora, scope } = opened;
    await control(stack.hub.velora, { faults: [{ kind: "hostile", match: "/swap" }] });
    const { USDC, USDT } = stack.two.tokens;
    for (const paid of [USDC, zeroAddress]) {
      const request = swapOf(paid, USDT, paid === zeroAddress ? 10n ** 18n : 10n ** 7n);
      await expect(velora.build(scope, request)).rejects.toMatchObject({ code: "upstream_rejected" });
    }
  });
});
