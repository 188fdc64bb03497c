import { keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/context.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { PriceBook } from "../../src/prices/price-book.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { buildWithdrawalOnce } from "../../src/withdrawals/build-withdrawal.ts";
import { USDC, USER, VAULT, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, fairWeth, inputOf, swapDesk } from "../support/withdrawals/withdrawing.ts";

const paysAll = () => ({ rises: { [balanceKey(USDC, USER)]: WORTH } });
const LEAST = (WORTH * 995n) / 1_000n;

/** A request for which it is too late once the prices have been waited for. */
function withLatePrices(ctx: Context): Context {
  let now = 0;
  const book = new PriceBook();
  book.market.get = () => {
    now = 60_000;
    return undefined;
  };
  return { ...ctx, timing: new Timing(() => now), prices: { ...ctx.prices, book } };
}

describe("buildWithdrawalOnce()", () => {
  test("answers with what it records", async () => {
    const { ctx, db } = await createWithdrawalFixture({ effects: paysAll });
    const { built: answer } = await buildWithdrawalOnce(ctx, { input: inputOf(), key: null });
    expect(answer).toMatchObject({
      ...{ mode: "instant", two_step: false, tracking_id: expect.stringMatching(/^trk_/) },
      estimate: { shares: HELD.toString(), assets: WORTH.toString(), min_assets: LEAST.toString() },
      approval: {
        ...{ token_address: VAULT, spender_address: depositRouterAddress },
        amount: HELD.toString(),
      },
    });
    const [row, plan] = db.written;
    expect(row).toMatchObject({
      ...{
        trackingId: answer.tracking_id,
        direction: "withdrawal",
        state: "built",
        userAddress: USER.toLowerCase(),
      },
      // All shares: the number is not known before the Router takes them.
      ...{ fromAmount: "0", estimatedShares: HELD.toString(), shareToken: VAULT.toLowerCase() },
      ...{ mode: "instant", exitToken: USDC.toLowerCase(), moveToken: USDC.toLowerCase(), provider: null },
      ...{ estimatedAssets: WORTH.toString(), minAssets: LEAST.toString(), moveMin: LEAST.toString() },
      sourceTo: answer.transaction_request?.to.toLowerCase(),
      sourceDataHash: keccak256((answer.transaction_request?.data ?? "0x") as `0x${string}`),
    });
    expect(plan).toMatchObject({
      trackingId: answer.tracking_id,
      plan: { settles: false, destination: null },
    });
  });

  test("records the number of shares where the user names one, and the swap of one transaction", async () => {
    const shares = HELD / 2n;
    const world = await createWithdrawalFixture({
      answers: { previewRedeem: WORTH / 2n, convertToAssets: WORTH / 2n },
      effects: () => ({
        rises: {
          [balanceKey(USDC, USER)]: WORTH / 2n,
          [balanceKey(WETH, USER)]: fairWeth(((WORTH / 2n) * 9_999n) / 10_000n),
        },
      }),
    });
    const { ctx } = swapDesk(world.ctx);
    const input = inputOf({ shares: shares.toString(), to_token: WETH });
    const { built: answer } = await buildWithdrawalOnce(ctx, { input, key: null });
    expect(answer.two_step).toBe(false);
    expect(world.db.written[0]).toMatchObject({
      ...{ fromAmount: shares.toString(), provider: "desk", tool: "desk", moveToken: WETH.toLowerCase() },
      ...{ twoStep: false, slippage: 0.03 },
    });
    // The provider's figures hold for a minute only.
    const { createdAt, expiresAt } = world.db.written[0] as { createdAt: Date; expiresAt: Date };
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(60_000);
  });

  test("records nothing for a request that is refused, or that nobody waits for any longer", async () => {
    const refused = await createWithdrawalFixture({ effects: () => ({}) });
    const one = buildWithdrawalOnce(refused.ctx, { input: inputOf(), key: null });
    await expect(one).rejects.toMatchObject({ code: "price_unsafe" });
    const late = await createWithdrawalFixture({ effects: paysAll });
    let now = 0;
    const timing = new Timing(() => (now += 60_000));
    const other = buildWithdrawalOnce({ ...late.ctx, timing }, { input: inputOf(), key: null });
    await expect(other).rejects.toMatchObject({ code: "upstream_timeout" });
    const unpriced = await createWithdrawalFixture({ effects: paysAll });
    const third = buildWithdrawalOnce(withLatePrices(unpriced.ctx), { input: inputOf(), key: null });
    await expect(third).rejects.toMatchObject({ code: "upstream_timeout" });
    expect([...refused.db.written, ...late.db.written, ...unpriced.db.written]).toEqual([]);
  });
});
