import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { priceKey, type TokenPrice } from "../../src/prices/price.ts";
import { prepareTransfer } from "../../src/withdrawals/find-exit-transfer-route.ts";
import { USDC, USER, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { home } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, fairWeth, swapDesk } from "../support/withdrawals/withdrawing.ts";

const ARRIVED = 101_000_000n;
const { chainId } = home;
const percent = (amount: bigint, part: bigint): bigint => (amount * part) / 100n;

/** Swaps what a vault paid out, at 100 % of the usual price, where a price source has changed; null removes a price. */
async function swapAt(token: Address, change: ((price: TokenPrice) => Partial<TokenPrice>) | null) {
  const { ctx } = await createWithdrawalFixture({
    answers: { balanceOf: ARRIVED },
    effects: () => ({ rises: { [balanceKey(WETH, USER)]: fairWeth(ARRIVED) } }),
  });
  const desk = swapDesk(ctx);
  const { feeds } = desk.ctx.prices.book;
  const key = priceKey({ chainId, token });
  const price = feeds.get(key);
  if (price === undefined) throw new Error("the desk has no price");
  if (change === null) feeds.delete(key);
  else feeds.set(key, { ...price, ...change(price) });
  return prepareTransfer(desk.ctx, {
    ...{ user: USER, from: { chainId, token: USDC, amount: ARRIVED } },
    ...{ to: { chainId, token: WETH }, slippage: 0.03, preferredBridge: null },
  });
}

describe("the swap of a withdrawal", () => {
  test("is made at the price of the sources", async () => {
    expect(await swapAt(WETH, () => ({}))).toMatchObject({ toAmount: fairWeth(ARRIVED) });
  });

  test.each<[string, Address, ((price: TokenPrice) => Partial<TokenPrice>) | null]>([
    ["has no price to receive: stale, zero, or its sequencer down", WETH, null],
    ["has no price to pay", USDC, null],
    ["has only a rate that cannot see a depeg", WETH, () => ({ judges: false })],
    [
      "receives what has lost its peg",
      WETH,
      ({ usd }) => ({ usd: percent(usd, 88n), low: percent(usd, 88n) }),
    ],
    [
      "receives what is worth a tenth less by another source",
      WETH,
      ({ usd }) => ({ low: percent(usd, 90n) }),
    ],
    ["pays what is worth a tenth more by another source", USDC, ({ usd }) => ({ high: percent(usd, 110n) })],
  ])("is refused where it %s", async (_name, token, change) => {
    await expect(swapAt(token, change)).rejects.toMatchObject({ code: "price_unsafe" });
  });
});
