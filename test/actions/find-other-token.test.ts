import { type Address, type Hex, hexToBigInt, parseAbi, sliceHex } from "viem";
import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { OTHER, USER, VAULT, WETH, wethVault } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { reasonData } from "../support/vaults/answer.ts";
import { HELD } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, storedOf } from "../support/withdrawals/withdrawing.ts";

const third: Address = "0x5555555555555555555555555555555555555555";
const veda: Vault = {
  ...{ ...wethVault, adapter: "veda", type: "veda", caller: "user" },
  acceptedAssets: [
    wethVault.asset,
    ...[third, OTHER].map((address) => ({ address, symbol: "wstETH", decimals: 18 })),
  ],
  params: { teller: "d", teller_withdraw: "public" },
};
const functions = parseAbi([
  "function vault() view returns (address)",
  "function accountant() view returns (address)",
  "function isPaused() view returns (bool)",
  "function getRateInQuoteSafe(address) view returns (uint256)",
  "function assetData(address) view returns (bool, bool, uint16)",
]);
const tokenOf = (data: string): Address => sliceHex(data as Hex, 16, 36);
const sharesOf = (data: string): bigint => hexToBigInt(sliceHex(data as Hex, 36, 68));

/** The withdrawal from a vault that pays instantly in three tokens and holds so much of each, and its simulations. */
async function withdrawalOf(holds: Readonly<Record<Address, bigint>>, paused = false) {
  const held = new Map(Object.entries(holds).map(([token, amount]) => [token.toLowerCase(), amount]));
  let simulations = 0;
  const effects = ({ data }: { data: string }): SimulatedEffects => {
    simulations += 1;
    const [token, shares] = [tokenOf(data), sharesOf(data)];
    if (shares > (held.get(token) ?? 0n)) return { revert: reasonData("TRANSFER_FAILED") };
    return { rises: { [balanceKey(VAULT, USER)]: -shares, [balanceKey(token, USER)]: shares } };
  };
  const balanceOf = (token: Address, account: Address) =>
    account === VAULT ? (held.get(token.toLowerCase()) ?? 0n) : HELD;
  const { ctx } = await createWithdrawalFixture({
    ...{ functions, effects, routed: false },
    answers: {
      ...{ vault: VAULT, accountant: VAULT, isPaused: paused, getRateInQuoteSafe: 10n ** 18n, balanceOf },
      assetData: (_teller: Address, token: Address) => [true, token !== third, 0],
    },
    // No deposit is tried besides.
    vaults: [storedOf(veda, { acceptedAssets: [...veda.acceptedAssets], status: "paused" })],
  });
  const { withdraw } = await getActions(ctx, { user: USER, vaultId: veda.vaultId });
  return { ...withdraw, simulations };
}

test("a vault that holds nothing of the first token is tried in the others, which the reason then names", async () => {
  expect(await withdrawalOf({ [WETH]: 0n, [OTHER]: HELD })).toMatchObject({
    ...{ allowed: true, mode: "instant", max: `${HELD}`, code: null, until: null },
    reason: `the vault pays this only in wstETH: send to_token ${OTHER}`,
  });
});

test("of the other token, a part is searched if the vault holds too little for all", async () => {
  const { max, reason, allowed } = await withdrawalOf({ [WETH]: 0n, [OTHER]: HELD / 2n });
  expect(allowed).toBe(true);
  expect(reason).toMatch(/only in wstETH: send to_token 0x\w{40}; these shares can leave now, but not all/);
  expect(Number((BigInt(max ?? "0") * 100n) / HELD)).toBeGreaterThanOrEqual(48);
  expect(BigInt(max ?? "0")).toBeLessThanOrEqual(HELD / 2n);
});

test("a vault that holds nothing of any token lacks liquidity, also in one that it does not pay", async () => {
  const dry = { allowed: false, code: "no_liquidity" };
  expect(await withdrawalOf({ [WETH]: 0n, [OTHER]: 0n })).toMatchObject(dry);
  expect(await withdrawalOf({ [WETH]: 0n, [OTHER]: 0n, [third]: HELD })).toMatchObject(dry);
});

test("no other token is tried if the first pays, or if something else than liquidity is lacking", async () => {
  expect(await withdrawalOf({ [WETH]: HELD, [OTHER]: HELD })).toMatchObject({
    max: `${HELD}`,
    reason: "",
    simulations: 1,
  });
  expect(await withdrawalOf({ [WETH]: 0n, [OTHER]: HELD }, true)).toMatchObject({
    ...{ allowed: false, code: "exits_paused", simulations: 0 },
  });
});
