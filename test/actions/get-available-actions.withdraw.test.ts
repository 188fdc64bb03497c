import { type Hex, parseAbi, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import { vedaQueue } from "../support/withdrawals/veda-exit-answers.ts";
import {
  cooling,
  createWithdrawalFixture,
  storedOf,
  waitingFunctions,
} from "../support/withdrawals/withdrawing.ts";

test("getActions() offers a withdrawal in another token than the asset if the vault pays only that", async () => {
  const withdrawal = async (pays: readonly string[]) => {
    const { vault, ...world } = vedaQueue({ pays });
    const effects = () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } });
    const vaults = [storedOf(vault, { acceptedAssets: [...vault.acceptedAssets] })];
    const { ctx } = await createWithdrawalFixture({ ...world, effects, vaults });
    return (await getActions(ctx, { user: USER, vaultId: vault.vaultId })).withdraw;
  };
  expect(await withdrawal([OTHER])).toMatchObject({ allowed: true, mode: "request", max: `${HELD}` });
  expect(await withdrawal([])).toMatchObject({ allowed: false, code: "token_unsupported" });
});

test("getActions() says until when a cooldown is open, not that nothing is paid at once, and that none is ever cancelled", async () => {
  const actions = async (open: bigint, end = 1n) => {
    const { ctx } = await createWithdrawalFixture({
      ...{ vaults: [storedOf(cooling)], functions: waitingFunctions },
      answers: { cooldowns: [end, open], cooldownDuration: 604_800, maxRedeem: HELD },
      effects: () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } }),
    });
    return getActions(ctx, { user: USER, vaultId: cooling.vaultId });
  };
  expect((await actions(0n)).withdraw).toMatchObject({ allowed: true, mode: "cooldown" });
  const { withdraw, cancel } = await actions(5n);
  expect(withdraw).toMatchObject({ allowed: false, code: "request_pending", mode: "cooldown", until: null });
  expect(cancel).toMatchObject({ allowed: false, code: "mode_unsupported", mode: "cooldown", until: null });
  const waiting = await actions(5n, 1_700_000_060n);
  expect(waiting.withdraw).toMatchObject({ code: "request_pending", until: "2023-11-14T22:14:20.000Z" });
});

test("getActions() gives the end of a lock only for the lock, and only while it lies ahead", async () => {
  const locked = async (lockup: number, paused: boolean) => {
    const mellow: Vault = {
      ...{ ...vault, adapter: "mellow", type: "lido" },
      params: { queue: "sync", redeem_queue: OTHER },
    };
    const functions = parseAbi([
      "function isPausedQueue(address) view returns (bool)",
      "function flags() view returns (bool, bool, bool, bool, bool, uint32)",
    ]);
    const answers = { isPausedQueue: paused, flags: [false, false, false, false, false, lockup] };
    const { ctx } = await createWithdrawalFixture({ functions, answers, vaults: [storedOf(mellow)] });
    return (await getActions(ctx, { user: USER, vaultId: mellow.vaultId })).withdraw;
  };
  const until = "2023-11-14T22:14:20.000Z";
  expect(await locked(1_700_000_060, false)).toMatchObject({ code: "share_locked", until });
  expect(await locked(1_700_000_060, true)).toMatchObject({ code: "exits_paused", until: null });
});

test("getActions() does not take shares that cannot be read for none", async () => {
  const withdrawal = async (balanceOf: unknown) => {
    const { ctx } = await createWithdrawalFixture({ answers: { balanceOf } });
    return (await getActions(ctx, { user: USER, vaultId: vault.vaultId })).withdraw;
  };
  const unread = await withdrawal((token: string) => (token === VAULT ? undefined : 0n));
  expect(unread).toMatchObject({ allowed: false, code: "upstream_unavailable", max: null });
  expect(await withdrawal(0n)).toMatchObject({ allowed: false, code: "nothing_to_withdraw", max: "0" });
});

test("getActions() gives the reason for which a vault refuses even the shares that its liquidity covers", async () => {
  const functions = parseAbi([
    "function maxRedeem(address) view returns (uint256)",
    "function maxWithdraw(address) view returns (uint256)",
  ]);
  const worth = (_vault: string, shares: bigint) => (shares * WORTH) / HELD;
  const withdrawal = async (revert: Hex) => {
    const { ctx } = await createWithdrawalFixture({
      functions,
      answers: {
        maxRedeem: HELD / 4n,
        maxWithdraw: WORTH / 4n,
        previewRedeem: worth,
        convertToAssets: worth,
      },
      effects: () => ({ revert }),
    });
    return (await getActions(ctx, { user: USER, vaultId: vault.vaultId })).withdraw;
  };
  // A hook of the vault, of which nothing is known.
  expect(await withdrawal(toFunctionSelector("RefusedByHook()"))).toMatchObject({
    ...{ allowed: false, code: "would_revert" },
  });
  expect(await withdrawal(toFunctionSelector("EnforcedPause()"))).toMatchObject({ code: "exits_paused" });
  expect(await withdrawal(toFunctionSelector("NotEnoughLiquidity()"))).toMatchObject({
    code: "no_liquidity",
  });
});

test("getActions() lets shares leave that are settled but unclaimed, which the vault claims first", async () => {
  const mellow: Vault = {
    ...vault,
    adapter: "mellow",
    type: "lido",
    params: { queue: "sync", redeem_queue: OTHER },
  };
  const functions = parseAbi([
    "function isPausedQueue(address) view returns (bool)",
    "function feeManager() view returns (address)",
    "function redeemFeeD6() view returns (uint24)",
    "function sharesOf(address) view returns (uint256)",
    "function getReport(address) view returns (uint224, uint32, bool)",
  ]);
  const { ctx } = await createWithdrawalFixture({
    ...{ functions, vaults: [storedOf(mellow)] },
    answers: {
      ...{ balanceOf: (token: string) => (token === VAULT ? 0n : 1n), sharesOf: HELD },
      ...{ isPausedQueue: false, feeManager: OTHER, redeemFeeD6: 0 },
      getReport: [(HELD * 10n ** 18n) / WORTH, 1_700_000_000, false],
    },
    effects: () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } }),
  });
  const { withdraw } = await getActions(ctx, { user: USER, vaultId: mellow.vaultId });
  expect(withdraw).toMatchObject({ allowed: true, mode: "request", max: `${HELD}`, code: null });
});

test("getActions() keeps the note about rewards where only a part can leave, and where nothing is left", async () => {
  const stata = { ...vault, adapter: "aave_stata" };
  const functions = parseAbi([
    "function maxRedeem(address) view returns (uint256)",
    "function maxWithdraw(address) view returns (uint256)",
    "function rewardTokens() view returns (address[])",
  ]);
  const worth = (_vault: string, shares: bigint) => (shares * WORTH) / HELD;
  const answers = { previewRedeem: worth, convertToAssets: worth, rewardTokens: [OTHER] };
  const withdrawal = async (change: object) => {
    const { ctx } = await createWithdrawalFixture({
      ...{ functions, vaults: [storedOf(stata)], answers: { ...answers, ...change } },
      effects: () => ({ rises: { [balanceKey(USDC, USER)]: WORTH / 4n } }),
    });
    return (await getActions(ctx, { user: USER, vaultId: stata.vaultId })).withdraw;
  };
  const part = await withdrawal({ maxRedeem: HELD / 4n, maxWithdraw: WORTH / 4n });
  expect(part).toMatchObject({ allowed: true, reason: expect.stringContaining("Rewards") });
  const none = await withdrawal({ balanceOf: 0n });
  expect(none).toMatchObject({
    code: "nothing_to_withdraw",
    reason: expect.stringMatching(/no shares of .*\. Rewards/),
  });
});
