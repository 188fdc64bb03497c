import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { failure } from "../../src/errors.ts";
import { sameAddress } from "../../src/lib/address.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import {
  preparedTokens,
  prepareWithdrawal,
  quoteWithdrawal,
} from "../../src/withdrawals/prepare-withdrawal.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH, wethVault } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { away, clientOf, HELD, home, orderOf, WORTH } from "../support/withdrawals/fixtures.ts";
import { vedaQueue } from "../support/withdrawals/veda-exit-answers.ts";
import {
  cooling,
  createWithdrawalFixture,
  inputOf,
  storedOf,
  swapDesk,
  waitingFunctions,
} from "../support/withdrawals/withdrawing.ts";

const paysAll = () => ({ rises: { [balanceKey(USDC, USER)]: WORTH } });
const startsCooldown = () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } });
const duringCooldown = {
  vaults: [storedOf(cooling)],
  functions: waitingFunctions,
  answers: { cooldowns: [0n, 0n], cooldownDuration: 604_800 },
};

describe("prepareWithdrawal()", () => {
  test("redeems through the Router with a floor, from the vault that Postgres has", async () => {
    const { ctx } = await createWithdrawalFixture({ effects: paysAll });
    const made = await prepareWithdrawal(ctx, inputOf());
    expect(made).toMatchObject({
      kind: "direct",
      exit: { assets: WORTH, minAssets: (WORTH * 995n) / 1_000n },
    });
    expect(made.exit.call.target).toBe(depositRouterAddress);
  });

  test("calls the vault itself where the Router is not deployed", async () => {
    const { ctx } = await createWithdrawalFixture({ effects: paysAll, routed: false });
    const made = await prepareWithdrawal(ctx, inputOf());
    expect(made.exit).toMatchObject({ call: { target: VAULT }, minAssets: null });
  });

  test("promises no native currency from the vault's own call, which brings the wrapped token", async () => {
    const rises = () => ({ rises: { [balanceKey(WETH, USER)]: WORTH } });
    const vaults = [storedOf(wethVault)];
    const { ctx } = await createWithdrawalFixture({
      ...{ vaults, effects: rises, routed: false, answers: { asset: WETH } },
    });
    const made = prepareWithdrawal(ctx, inputOf({ to_token: zeroAddress }));
    await expect(made).rejects.toMatchObject({ code: "no_route" });
  });

  test("nor if the vault refuses the Router, which would unwrap it", async () => {
    const refusing = (call: { to: string }): SimulatedEffects =>
      sameAddress(call.to, depositRouterAddress)
        ? { revert: "0x" }
        : { rises: { [balanceKey(WETH, USER)]: WORTH } };
    const vaults = [storedOf(wethVault)];
    const { ctx } = await createWithdrawalFixture({ vaults, effects: refusing, answers: { asset: WETH } });
    const made = prepareWithdrawal(ctx, inputOf({ to_token: zeroAddress }));
    await expect(made).rejects.toMatchObject({ code: "no_route" });
  });

  test("starts the cooldown with `auto` while nothing is paid at once", async () => {
    const { ctx } = await createWithdrawalFixture({ ...duringCooldown, effects: startsCooldown });
    const made = await prepareWithdrawal(ctx, inputOf());
    expect(made.exit.exit.way.mode).toBe("cooldown");
    expect(made.insteadOf?.code).toBe("mode_unsupported");
    const asked = await prepareWithdrawal(ctx, inputOf({ mode: "request" }));
    expect([asked.exit.exit.way.mode, asked.insteadOf]).toEqual(["cooldown", undefined]);
    const instant = prepareWithdrawal(ctx, inputOf({ mode: "instant" }));
    await expect(instant).rejects.toMatchObject({ code: "mode_unsupported" });
  });

  test("swaps in a second step what a queue pays instead of the asset, with the slippage of a swap", async () => {
    const { vault: queued, ...world } = vedaQueue({ pays: [OTHER] });
    const vaults = [storedOf(queued, { acceptedAssets: [...queued.acceptedAssets] })];
    const fixture = await createWithdrawalFixture({ ...world, vaults, effects: startsCooldown });
    const { ctx } = swapDesk(fixture.ctx, {
      price: () => {
        throw failure("upstream_timeout", "the provider did not answer");
      },
    });
    const made = await prepareWithdrawal(ctx, inputOf());
    expect([made.kind, made.order.slippage, made.order.to.token]).toEqual(["two_step", 0.03, WETH]);
    expect(made.exit.exit.way).toMatchObject({ mode: "request", token: { address: OTHER }, pays: false });
    const careful = await prepareWithdrawal(ctx, inputOf({ slippage: 0.001 }));
    expect(careful.order.slippage).toBe(0.001);
    const asked = await prepareWithdrawal(ctx, inputOf({ to_token: OTHER }));
    expect([asked.kind, asked.order.slippage]).toEqual(["direct", 0.005]);
  });

  test.each<[string, Parameters<typeof createWithdrawalFixture>[0], Record<string, unknown>]>([
    ["vault_not_found", { vaults: [] }, {}],
    ["nothing_to_withdraw", { answers: { balanceOf: 0n } }, {}],
    ["price_unsafe", { effects: () => ({}) }, {}],
    ["authorization_unsupported", { effects: paysAll }, { authorize: "erc3009" }],
  ])("refuses with %s", async (code, world, input) => {
    const { ctx } = await createWithdrawalFixture(world);
    await expect(prepareWithdrawal(ctx, inputOf(input))).rejects.toMatchObject({ code });
  });
});

describe("quoteWithdrawal()", () => {
  test("shows every mode, the possible ones first, with the reason of the others", async () => {
    const { ctx } = await createWithdrawalFixture({ ...duringCooldown, effects: startsCooldown });
    const { options } = await quoteWithdrawal(ctx, inputOf());
    expect(options.map(({ mode, refusal }) => [mode, refusal?.code ?? null])).toEqual([
      ["cooldown", null],
      ["instant", "mode_unsupported"],
    ]);
  });

  test("refuses with the first mode's reason if none is possible", async () => {
    const { ctx } = await createWithdrawalFixture({ effects: () => ({}) });
    await expect(quoteWithdrawal(ctx, inputOf())).rejects.toMatchObject({ code: "price_unsafe" });
  });
});

test("preparedTokens() names the gas, what the vault pays and what is asked for, each once", () => {
  const { chainId } = vault;
  const usdc = { chainId, token: USDC };
  const gas = { chainId, token: zeroAddress };
  expect(preparedTokens(orderOf())).toEqual([gas, usdc]);
  const client = clientOf(home);
  expect(preparedTokens(orderOf({ to: { client, chainId, token: WETH } }))).toEqual([
    gas,
    usdc,
    { chainId, token: WETH },
  ]);
  const elsewhere = { client, chainId: away.chainId, token: USDC };
  expect(preparedTokens(orderOf({ to: elsewhere }))).toEqual([
    gas,
    usdc,
    { chainId: away.chainId, token: USDC },
  ]);
});
