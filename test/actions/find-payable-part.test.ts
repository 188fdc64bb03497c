import { type Hex, hexToBigInt, parseAbi, sliceHex, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, storedOf } from "../support/withdrawals/withdrawing.ts";

const plain: Vault = { ...vault, caller: "user" };
const functions = parseAbi([
  "function cash() view returns (uint256)",
  "function requestInfo(address) view returns (uint256, uint256, bool, uint256)",
  "function getWithdrawWindow() view returns (uint256)",
]);
const worth = (_vault: string, shares: bigint) => (shares * WORTH) / HELD;

/** The withdrawal from a vault that pays at most `most` shares and else reverts so, and the number of simulations. */
async function withdrawalOf(of: {
  most: bigint;
  revert?: Hex;
  adapter?: string;
  answers?: Record<string, unknown>;
  params?: Record<string, string>;
}) {
  const at = { ...plain, adapter: of.adapter ?? plain.adapter, params: of.params ?? {} };
  let simulations = 0;
  const effects = ({ data }: { data: string }): SimulatedEffects => {
    simulations += 1;
    const shares = hexToBigInt(sliceHex(data as Hex, 4, 36));
    if (shares > of.most) return { revert: of.revert ?? "0x" };
    return {
      rises: { [balanceKey(VAULT, USER)]: -shares, [balanceKey(USDC, USER)]: worth(VAULT, shares) },
    };
  };
  const answers = { previewRedeem: worth, convertToAssets: worth, ...of.answers };
  const { ctx } = await createWithdrawalFixture({
    ...{ effects, answers, functions, routed: false },
    // No deposit is tried besides.
    vaults: [storedOf(at, { status: "paused" })],
  });
  const { withdraw } = await getActions(ctx, { user: USER, vaultId: at.vaultId });
  return { ...withdraw, simulations };
}

const percent = (max: string | null): number => Number((BigInt(max ?? "0") * 10_000n) / HELD) / 100;

test("a borrower is told how much of the collateral can leave", async () => {
  const revert = toFunctionSelector("E_AccountLiquidity()");
  const borrower = { revert, adapter: "euler", answers: { cash: 10n ** 12n } };
  const some = await withdrawalOf({ ...borrower, most: (HELD * 74n) / 100n });
  expect(some).toMatchObject({ allowed: true, mode: "instant", code: null });
  expect(some.reason).toMatch(/more may be possible/);
  expect(percent(some.max)).toBeGreaterThan(72);
  expect(percent(some.max)).toBeLessThanOrEqual(74);
  const none = await withdrawalOf({ ...borrower, most: 0n });
  expect(none).toMatchObject({ allowed: false, code: "not_allowed", max: null });
});

test.each([
  ["a known shortage", toFunctionSelector("NotEnoughLiquidity()")],
  ["a token that reverts without a reason", "0x"],
] as const)(
  "%s ends the search near the largest part, after a bounded number of simulations",
  async (_, revert) => {
    for (const most of [98n, 83n, 50n, 26n, 11n, 3n]) {
      const found = await withdrawalOf({ revert, most: (HELD * most) / 100n });
      expect(percent(found.max)).toBeGreaterThan(Number(most) - 2);
      expect(percent(found.max)).toBeLessThanOrEqual(Number(most));
      expect(found.simulations).toBeLessThanOrEqual(2 + 12);
    }
  },
);

test("a part below one hundredth of the shares is found", async () => {
  const { max } = await withdrawalOf({ most: HELD / 500n });
  expect(percent(max)).toBeGreaterThan(0.18);
  expect(percent(max)).toBeLessThanOrEqual(0.2);
});

test("a vault that pays nothing costs one round more, and one that pays all none", async () => {
  const revert = toFunctionSelector("NotEnoughLiquidity()");
  expect(await withdrawalOf({ revert, most: 0n })).toMatchObject({ code: "no_liquidity", simulations: 4 });
  expect(await withdrawalOf({ most: HELD })).toMatchObject({ allowed: true, max: `${HELD}`, simulations: 1 });
  const paused = { revert: toFunctionSelector("EnforcedPause()"), most: HELD / 2n };
  expect(await withdrawalOf(paused)).toMatchObject({ code: "exits_paused", simulations: 2 });
});

test("an open request does not hide that a part can leave at once", async () => {
  const open = { requestInfo: [HELD / 10n, 1_800_000_000n, false, 60n], getWithdrawWindow: 60n };
  // The fee of an instant withdrawal makes a build try the request first.
  const net = (of: string, shares: bigint) => (worth(of, shares) * 98n) / 100n;
  const found = await withdrawalOf({
    ...{ adapter: "ipor", params: { withdraw_manager: OTHER }, most: HELD / 2n },
    ...{ answers: { ...open, previewRedeem: net }, revert: toFunctionSelector("NotEnoughLiquidity()") },
  });
  expect(found).toMatchObject({ allowed: true, mode: "instant" });
  expect(percent(found.max)).toBeGreaterThan(48);
});

test("a limit that a view states too high does not end the search", async () => {
  const limit = { cash: WORTH / 2n };
  const revert = toFunctionSelector("E_InsufficientCash()");
  const found = await withdrawalOf({ adapter: "euler", answers: limit, revert, most: (HELD * 3n) / 10n });
  expect(found).toMatchObject({ allowed: true, mode: "instant" });
  expect(percent(found.max)).toBeGreaterThan(28);
  expect(percent(found.max)).toBeLessThanOrEqual(30);
});
