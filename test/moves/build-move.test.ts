import { describe, expect, test } from "vitest";
import { OwnShareError, quoteDepositOrMove } from "../../src/moves/build-move.ts";
import { priceKey } from "../../src/prices/price.ts";
import { USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { balanceKey, sharesFor } from "../support/deposits/simulated-chain.ts";
import { priceOfToken } from "../support/economics/trades.ts";
import { WORTH } from "../support/withdrawals/fixtures.ts";
import {
  createMoveFixture,
  into,
  moveInput,
  NEW_SHARES,
  TARGET_VAULT,
} from "../support/withdrawals/moving.ts";
import { storedOf, swapDesk } from "../support/withdrawals/withdrawing.ts";

const both = [storedOf(vault), storedOf(into)];

/** Quotes a payment while Postgres answers first with both vaults, then with one after the other. */
async function quoted(input: Record<string, unknown>, change: Parameters<typeof createMoveFixture>[0] = {}) {
  const { ctx } = await createMoveFixture(change);
  const answers = [both, [storedOf(vault)], [storedOf(into)]];
  const left = "from_token" in input ? [both, [storedOf(into)]] : answers;
  const db = { run: async <T>() => (left.shift() ?? [storedOf(into)]) as T };
  return quoteDepositOrMove({ ...ctx, db }, moveInput(input));
}

describe("quoteDepositOrMove()", () => {
  test("moves what is paid with another vault's shares", async () => {
    const quote = await quoted({});
    expect(quote).toMatchObject({
      quote_type: "move",
      estimate: { estimated_shares: NEW_SHARES.toString() },
    });
  });

  test("deposits any other token", async () => {
    const amount = 10_000_000n;
    const rises = { [balanceKey(TARGET_VAULT, USER)]: sharesFor(amount) };
    const quote = await quoted(
      { from_token: USDC, from_amount: amount.toString() },
      { answers: { balanceOf: amount }, effects: () => ({ rises }) },
    );
    expect(quote.quote_type).toBe("direct");
  });

  test("refuses the vault's own share by a name of its own", async () => {
    await expect(quoted({ from_token: TARGET_VAULT })).rejects.toBeInstanceOf(OwnShareError);
  });

  test("refuses a chain that is not served before anything is read", async () => {
    await expect(quoted({ from_chain_id: 999_999 })).rejects.toMatchObject({ code: "chain_unsupported" });
  });

  test("warns that shares which the vault does not redeem are sold", async () => {
    const { ctx } = await createMoveFixture({ routed: false });
    const answers = [both, [storedOf(vault)]];
    const db = { run: async <T>() => (answers.shift() ?? [storedOf(into)]) as T };
    const desk = swapDesk(ctx, { price: () => WORTH, asStep: false }).ctx;
    const share = { chainId: vault.chainId, address: VAULT, decimals: 18, unit: "18" };
    const worth = priceOfToken({ ...share, usd: (WORTH * 10n ** 18n) / 100_000_000n });
    desk.prices.book.feeds.set(priceKey({ ...share, token: VAULT }), worth);
    const quote = await quoteDepositOrMove({ ...desk, db }, moveInput());
    expect(quote.quote_type).toBe("same_chain_swap");
    expect(quote.warnings.map(({ code }) => code)).toContain("shares_sold");
  });

  test("says why the shares cannot be redeemed where no exchange takes them either", async () => {
    const { ctx } = await createMoveFixture({ routed: false });
    const answers = [both, [storedOf(vault)]];
    const db = { run: async <T>() => (answers.shift() ?? [storedOf(into)]) as T };
    const quote = quoteDepositOrMove(
      { ...ctx, db, providers: { ...ctx.providers, all: async () => [] } },
      moveInput(),
    );
    await expect(quote).rejects.toMatchObject({ code: "mode_unsupported" });
  });
});
