import { type Address, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { sameAddress } from "../../src/lib/address.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { onwardAmount } from "../../src/withdrawals/find-exit-transfer-route.ts";
import { prepareWithdrawal, quoteWithdrawal } from "../../src/withdrawals/prepare-withdrawal.ts";
import { USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { WORTH } from "../support/withdrawals/fixtures.ts";
import {
  createWithdrawalFixture,
  ETHER,
  fairWeth,
  inputOf,
  storedOf,
  swapDesk,
} from "../support/withdrawals/withdrawing.ts";

const functions = parseAbi([
  "function vault() view returns (address)",
  "function accountant() view returns (address)",
  "function isPaused() view returns (bool)",
  "function getRateInQuoteSafe(address) view returns (uint256)",
  "function getRateInQuote(address) view returns (uint256)",
  "function assetData(address) view returns (bool, bool, uint16)",
]);
/** A Veda vault in USDC whose teller also takes and pays WETH, at a rate of its own. */
const owned: Vault = {
  ...vault,
  adapter: "veda",
  type: "veda",
  params: { teller: "d", teller_withdraw: "public" },
};
const stored = storedOf(owned, { acceptedAssets: [{ address: WETH, symbol: "WETH", decimals: 18 }] });
const swapped = fairWeth(onwardAmount(WORTH));

/**
 * Creates a chain on which the vault pays this part of the fair rate in WETH, and a provider that swaps USDC to WETH.
 * `pays` are the tokens that the teller pays.
 */
async function paidBy(of: {
  percent: bigint;
  pays?: readonly Address[];
  desk?: Parameters<typeof swapDesk>[1];
  routed?: boolean;
}) {
  const { percent, pays = [USDC, WETH], desk, routed = true } = of;
  const rate = (_: Address, token: Address) =>
    sameAddress(token, USDC) ? 1_250_000n : (fairWeth(1_250_000n) * percent) / 100n;
  const world = await createWithdrawalFixture({
    vaults: [stored],
    functions,
    routed,
    answers: {
      ...{ vault: VAULT, accountant: VAULT, isPaused: false, balanceOf: 100n * ETHER },
      ...{ getRateInQuoteSafe: rate, getRateInQuote: rate },
      assetData: (_: Address, token: Address) => [true, pays.some((one) => sameAddress(one, token)), 0],
    },
    effects: () => ({ rises: { [balanceKey(USDC, USER)]: WORTH, [balanceKey(WETH, USER)]: swapped } }),
  });
  return swapDesk(world.ctx, desk);
}
const refused = { code: "price_unsafe", members: { subject: "vault" } };

describe("a withdrawal in another token that the vault pays", () => {
  test("is paid by the vault itself at a fair rate", async () => {
    const { ctx, asked } = await paidBy({ percent: 100n });
    const made = await prepareWithdrawal(ctx, inputOf({ to_token: WETH }));
    expect(made).toMatchObject({ kind: "direct", order: { slippage: 0.005 } });
    expect(asked).toEqual([]);
  });

  test("is paid in the asset, which is swapped in the same order, if the vault's rate is far from the price", async () => {
    const { ctx, asked } = await paidBy({ percent: 90n });
    const made = await prepareWithdrawal(ctx, inputOf({ to_token: WETH }));
    if (made.kind !== "routed") throw new Error(made.kind);
    expect(made.exit.exit.way).toMatchObject({ token: { address: USDC }, pays: false });
    expect(made.order).toMatchObject({ to: { token: WETH }, slippage: 0.03 });
    expect(asked).toMatchObject([{ fromToken: USDC, toToken: WETH, amount: onwardAmount(WORTH) }]);
    const { order, steps } = decodeRouterCall(made.exit.call.data);
    expect(steps).toHaveLength(2);
    expect(order).toMatchObject({ tokenOut: WETH, minOut: (swapped * 99n) / 100n });
    const careful = await prepareWithdrawal(ctx, inputOf({ to_token: WETH, slippage: 0.02 }));
    expect(careful.order.slippage).toBe(0.02);
  });

  test("is quoted as it would be built", async () => {
    const { ctx } = await paidBy({ percent: 90n });
    const { options } = await quoteWithdrawal(ctx, inputOf({ to_token: WETH }));
    expect(options).toMatchObject([{ mode: "instant", prepared: { kind: "routed" }, refusal: null }]);
  });

  test.each<[string, Parameters<typeof paidBy>[0]]>([
    ["the swap would lose too much", { percent: 90n, desk: { price: (usdc) => fairWeth(usdc) / 2n } }],
    ["the vault does not pay its asset", { percent: 90n, pays: [WETH] }],
    ["the Router, which would swap it, is not deployed", { percent: 90n, routed: false }],
    ["no provider's swap can be a step of the Router", { percent: 90n, desk: { asStep: false } }],
  ])("is refused as before if %s", async (_what, of) => {
    const { ctx } = await paidBy(of);
    await expect(prepareWithdrawal(ctx, inputOf({ to_token: WETH }))).rejects.toMatchObject(refused);
    await expect(quoteWithdrawal(ctx, inputOf({ to_token: WETH }))).rejects.toMatchObject(refused);
  });

  test("asks no provider if the asset is wanted", async () => {
    const { ctx, asked } = await paidBy({ percent: 90n });
    const made = await prepareWithdrawal(ctx, inputOf());
    expect(made.kind).toBe("direct");
    expect(asked).toEqual([]);
  });
});
