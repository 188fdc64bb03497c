import { expect, test } from "vitest";
import { getWithdrawalQuote } from "../../src/withdrawals/get-withdrawal-quote.ts";
import { prepareWithdrawal } from "../../src/withdrawals/prepare-withdrawal.ts";
import { USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import {
  cooling,
  createWithdrawalFixture,
  inputOf,
  storedOf,
  swapDesk,
  waitingFunctions,
} from "../support/withdrawals/withdrawing.ts";

/** Selector of Upshift's `requestRedeem(uint256,address)`. */
const REQUEST_REDEEM = "0x107703ab";

test("getWithdrawalQuote() shows what a build would give, and records nothing", async () => {
  const world = await createWithdrawalFixture({
    effects: () => ({ rises: { [balanceKey(USDC, USER)]: WORTH } }),
  });
  // The prices of the exchange's tokens are known.
  const { ctx } = swapDesk(world.ctx);
  expect(await getWithdrawalQuote(ctx, inputOf())).toMatchObject({
    options: [
      {
        ...{ mode: "instant", two_step: false },
        ...{ assets: WORTH.toString(), min_assets: ((WORTH * 995n) / 1_000n).toString() },
        ...{ to_amount: WORTH.toString(), exit_fee: "0", available_at: null, reasons: [] },
      },
    ],
    warnings: [],
  });
  expect(world.db.written).toEqual([]);
});

test("getWithdrawalQuote() shows a mode that is impossible now with its code, after the possible ones", async () => {
  const { ctx } = await createWithdrawalFixture({
    vaults: [storedOf(cooling)],
    functions: waitingFunctions,
    answers: { cooldowns: [0n, 0n], cooldownDuration: 604_800 },
    effects: () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } }),
  });
  const { options, warnings } = await getWithdrawalQuote(ctx, inputOf());
  expect(warnings.map(({ code }) => code)).toEqual([
    ...["request_unverified", "mode_changed", "not_cancellable"],
  ]);
  expect(options.map(({ mode, assets, two_step }) => [mode, assets, two_step])).toEqual([
    ["cooldown", WORTH.toString(), false],
    ["instant", null, null],
  ]);
  expect(options[0]?.available_at).toBe(new Date((1_700_000_000 + 604_800) * 1_000).toISOString());
  expect(JSON.stringify(options[1]?.reasons)).toContain("mode_unsupported");
});

test("getWithdrawalQuote() does not say that the vault refuses to pay at once where only the way onward is missing", async () => {
  const upshift = { ...vault, adapter: "upshift", params: {} };
  const { ctx } = await createWithdrawalFixture({
    vaults: [storedOf(upshift)],
    effects: (call) => {
      const asks = call.to.toLowerCase() === VAULT.toLowerCase() && call.data.startsWith(REQUEST_REDEEM);
      return { rises: asks ? { [balanceKey(VAULT, USER)]: -HELD } : { [balanceKey(USDC, USER)]: WORTH } };
    },
  });
  const input = inputOf({ to_token: WETH });
  const { options, warnings } = await getWithdrawalQuote(ctx, input);
  expect(options.map(({ mode, reasons }) => [mode, reasons.length])).toEqual([
    ["request", 0],
    ["instant", 1],
  ]);
  expect(warnings.map(({ code }) => code)).not.toContain("mode_changed");
  await expect(prepareWithdrawal(ctx, input)).rejects.toMatchObject({ code: "no_route" });
});

test("getWithdrawalQuote() refuses when no mode is possible", async () => {
  const { ctx } = await createWithdrawalFixture({ effects: () => ({}) });
  await expect(getWithdrawalQuote(ctx, inputOf())).rejects.toMatchObject({ code: "price_unsafe" });
});
