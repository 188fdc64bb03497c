import { type Address, encodeErrorResult, type Hex, isAddressEqual, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { quoteLifetimeMs } from "../../src/deposits/build-deposit.ts";
import { toEstimate, toWarnings } from "../../src/deposits/describe-built-deposit.ts";
import { prepareMove } from "../../src/moves/prepare-move.ts";
import { depositRouterAbi } from "../../src/router/deposit-router-artifact.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import {
  createMoveFixture,
  into,
  moveInput,
  NEW_SHARES,
  TARGET_VAULT,
} from "../support/withdrawals/moving.ts";
import { EXCHANGE, fairWeth, storedOf, swapDesk } from "../support/withdrawals/withdrawing.ts";

async function moved(world: Parameters<typeof createMoveFixture>[0] = {}, from: Vault = vault) {
  const { ctx } = await createMoveFixture(world);
  const made = await prepareMove(ctx, { input: moveInput(), from });
  if (made.kind !== "direct") throw new Error(made.kind);
  return made;
}
const isMove = (data: string): boolean =>
  isAddressEqual(decodeRouterCall(data as Hex).order.tokenOut, TARGET_VAULT);
const codeOf = (world: Parameters<typeof createMoveFixture>[0], from?: Vault) =>
  moved(world, from).then(
    () => "none",
    ({ code }: { code: string }) => code,
  );

describe("prepareMove() between vaults of one asset", () => {
  test("redeems and deposits in one order, with a floor of new shares", async () => {
    const made = await moved();
    expect(made).toMatchObject({ quoteType: "move", sharesOf: vault.name, swaps: false });
    expect(quoteLifetimeMs(made)).toBe(300_000);
    const { deposit, expectedShares, depositAmount, floors } = made.direct;
    expect([expectedShares, depositAmount]).toEqual([NEW_SHARES, WORTH]);
    const { order, steps, sweep } = decodeRouterCall(deposit.data);
    expect(order).toMatchObject({ tokenIn: VAULT, amountIn: HELD, tokenOut: TARGET_VAULT, receiver: USER });
    expect(order.minOut).toBe(floors.minShares);
    // Half a percent, because nothing is exchanged.
    expect(order.minOut).toBe((NEW_SHARES * 995n) / 1_000n);
    expect(steps.map(({ target }) => target)).toEqual([VAULT, TARGET_VAULT]);
    expect(sweep).toEqual([USDC]);
    // Where both vaults lose value, as many shares cost less: the deposit itself demands what it was built for.
    const { needToken, needAmount } = steps[1] ?? {};
    expect([needToken, needAmount]).toEqual([USDC, floors.minIn]);
    expect(floors.minIn).toBe((WORTH * 995n) / 1_000n);
  });

  test("the user pays with the shares of the vault that is left", async () => {
    const { intent, checked } = (await moved()).direct;
    expect(intent).toMatchObject({ token: { address: VAULT, decimals: 18 }, amount: HELD });
    expect(checked).toMatchObject({ balance: HELD, allowance: 0n });
  });

  test("raises the floor to what the simulation saw", async () => {
    const seen = NEW_SHARES + 10n ** 18n;
    const rises = { [balanceKey(USDC, USER)]: WORTH, [balanceKey(TARGET_VAULT, USER)]: seen };
    expect((await moved({ effects: () => ({ rises }) })).direct.floors.minShares).toBe(
      (seen * 995n) / 1_000n,
    );
  });

  test("warns of an exit fee above the slippage tolerance", async () => {
    const convertToAssets = (to: Address) => (isAddressEqual(to, VAULT) ? (WORTH * 102n) / 100n : WORTH);
    const warningsAt = async (slippage: number) => {
      const { ctx } = await createMoveFixture({ answers: { convertToAssets } });
      return toWarnings(await prepareMove(ctx, { input: moveInput({ slippage }), from: vault }));
    };
    expect(await warningsAt(0.03)).toEqual([]);
    expect(await warningsAt(0.01)).toMatchObject([{ code: "exit_fee" }]);
  });

  const gated: Vault = { ...into, caller: "user" };
  test.each<[string, Parameters<typeof createMoveFixture>[0], Vault | undefined, string]>([
    ["a vault that must see the user", { target: gated }, undefined, "mode_unsupported"],
    ["a vault that pays only requests", {}, { ...vault, params: { exit: "maple" } }, "mode_unsupported"],
    [
      "a vault that is paused for deposits",
      { vaults: [storedOf(into, { status: "paused", statusReason: "maintenance" })] },
      undefined,
      "vault_paused",
    ],
    ["an account without shares", { answers: { balanceOf: 0n } }, undefined, "nothing_to_withdraw"],
    [
      "a vault that pays half of its preview",
      { effects: () => ({ rises: { [balanceKey(USDC, USER)]: WORTH / 2n } }) },
      undefined,
      "price_unsafe",
    ],
  ])("refuses %s", async (_name, world, from, code) => {
    expect(await codeOf(world, from)).toBe(code);
  });

  test.each([
    ["share that is left", VAULT, "exits_paused"],
    ["new share", TARGET_VAULT, "vault_paused"],
    ["asset", USDC, "would_revert"],
  ] as const)("charges a pause of the %s to its own contract", async (_what, token, code) => {
    const reason = encodeErrorResult({ abi: parseAbi(["error EnforcedPause()"]) });
    const revert = encodeErrorResult({
      abi: depositRouterAbi,
      ...{ errorName: "TokenFailed", args: [token, reason] },
    });
    // Only the move fails: the redemption alone is simulated first.
    const effects = ({ data }: { data: string }): SimulatedEffects =>
      isMove(data) ? { revert } : { rises: { [balanceKey(USDC, USER)]: WORTH } };
    expect(await codeOf({ effects })).toBe(code);
  });

  test("says whether the vault that is left or the new one stands in the way", async () => {
    const messageOf = async (of: { target?: Vault; from?: Vault }) => {
      const { from = vault, ...world } = of;
      const { ctx } = await createMoveFixture(world);
      const refused = await prepareMove(ctx, { input: moveInput(), from }).catch((error: Error) => error);
      return refused instanceof Error ? refused.message : "";
    };
    expect(await messageOf({ target: gated })).toMatch(`no shares can be moved into ${into.name} in one`);
    const left: Vault = { ...vault, adapter: "ipor" };
    expect(await messageOf({ from: left })).toMatch(`no shares can be moved out of ${left.name} in one`);
  });

  test("names no single transaction without the Router", async () => {
    expect(await codeOf({ routed: false })).toBe("mode_unsupported");
  });
});

describe("prepareMove() between vaults of different assets", () => {
  const target: Vault = { ...into, asset: { address: WETH, symbol: "WETH", decimals: 18 } };
  const asset = (to: string) => (to === TARGET_VAULT ? WETH : USDC);
  const worth = (to: string, shares: bigint) =>
    to === TARGET_VAULT ? (shares * 5n) / 4n : (shares * WORTH) / HELD;
  const gained = 40n * 10n ** 15n;
  /** A world with one exchange; `seen` is what the simulation mints. */
  const stage = async ({
    seen = gained,
    revert,
    ...change
  }: Parameters<typeof swapDesk>[1] & { seen?: bigint; revert?: Hex } = {}) => {
    const { ctx } = await createMoveFixture({
      ...{ target, answers: { asset, previewDeposit: gained, convertToAssets: worth } },
      effects: ({ data }) =>
        revert !== undefined && isMove(data)
          ? { revert }
          : { rises: { [balanceKey(USDC, USER)]: WORTH, [balanceKey(TARGET_VAULT, USER)]: seen } },
    });
    return swapDesk(ctx, change);
  };
  const swapping = async (change: Parameters<typeof stage>[0] = {}) =>
    prepareMove((await stage(change)).ctx, { input: moveInput(), from: vault });

  test("swaps between the two, from the old vault's asset into the new one's", async () => {
    const made = await swapping();
    if (made.kind !== "direct") throw new Error(made.kind);
    expect(made.swaps).toBe(true);
    expect(quoteLifetimeMs(made)).toBe(60_000);
    const { steps } = decodeRouterCall(made.direct.deposit.data);
    expect(steps.map(({ target: to }) => to)).toEqual([VAULT, EXCHANGE, TARGET_VAULT]);
    expect(made.direct.depositAmount).toBeLessThanOrEqual(fairWeth(WORTH));
    const { to_amount: expected, to_amount_min: least, deposit_amount_min: deposited } = toEstimate(made);
    expect([BigInt(least), deposited]).toEqual([(BigInt(expected) * 99n) / 100n, least]);
  });

  test("warns that only another exchange agrees, where no price is known", async () => {
    const { ctx } = await stage();
    ctx.prices.book.feeds.clear();
    const [one] = await ctx.providers.all();
    if (one === undefined) throw new Error("no exchange");
    const quote: typeof one.quote = async (...asked) =>
      (await one.quote(...asked)).map((offer) => ({ ...offer, provider: "other" }));
    const all = async () => [one, { ...one, name: "other", quote }];
    const providers = { ...ctx.providers, all };
    const made = await prepareMove({ ...ctx, providers }, { input: moveInput(), from: vault });
    expect(toWarnings(made)).toEqual([{ code: "price_unverified", detail: expect.any(String) }]);
    expect(toWarnings(await swapping())).toEqual([]);
  });

  test("passes on why the swap would revert", async () => {
    const reason = encodeErrorResult({
      abi: parseAbi(["error Error(string)"]),
      args: ["too little received"],
    });
    const revert = encodeErrorResult({
      abi: depositRouterAbi,
      ...{ errorName: "StepFailed", args: [1n, reason] },
    });
    await expect(swapping({ revert })).rejects.toMatchObject({
      ...{ code: "would_revert", members: { revert: "too little received" } },
    });
  });

  test.each([
    ["ten times the shares", 10n * gained],
    ["a twentieth more than is fair", (gained * 108n) / 100n],
    ["half of the shares", gained / 2n],
  ])("refuses a swap whose simulation shows %s", async (_what, seen) => {
    await expect(swapping({ seen })).rejects.toMatchObject({ code: "price_unsafe" });
  });

  test.each<[string, Parameters<typeof stage>[0], string]>([
    ["offers too little", { price: (usdc) => fairWeth(usdc) / 2n }, "price_unsafe"],
    ["pays only its caller", { asStep: false }, "mode_unsupported"],
  ])("refuses a provider that %s", async (_name, change, code) => {
    await expect(swapping(change)).rejects.toMatchObject({ code });
  });
});
