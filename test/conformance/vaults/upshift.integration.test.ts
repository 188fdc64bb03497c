import { type Address, encodeFunctionData, maxUint256, zeroAddress } from "viem";
import {
  legacyTokenizedVaultAbi as legacyAbi,
  legacyTokenizedVaultCreationCode,
  tokenizedVaultAbi as vaultAbi,
  whitelistAbi,
} from "#stand-ins/upshift";
import type { Family, Placed } from "../../support/conformance/vaults/family.ts";
import { deployStandard, priceOf, set, standard, when } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";
import { deployUpshift as deploy } from "../../support/conformance/vaults/upshift-stand-in.ts";
import { whole } from "../../support/conformance/vaults/use.ts";

const viewOf = (placed: Placed, functionName: "getSharePrice" | "getTotalAssets") =>
  placed.world.client.readContract({ address: placed.vault, abi: vaultAbi, functionName });

async function sendersOnly(placed: Placed, senders: readonly Address[]): Promise<void> {
  const on = placed.parts["list"];
  await set(placed, { abi: vaultAbi, name: "setLists", args: [on, zeroAddress] });
  for (const sender of senders)
    await set(placed, { abi: whitelistAbi, name: "set", args: [sender, true], on });
}

const routed: Family = {
  name: "Upshift",
  adapter: "upshift",
  type: "custom",
  decimals: [6, 18, 8],
  deploy,
  async shown(placed) {
    const [price, total] = await Promise.all([
      viewOf(placed, "getSharePrice"),
      viewOf(placed, "getTotalAssets"),
    ]);
    return {
      total_assets: String(total),
      total_supply: String(whole(placed.asset, 100_000n)),
      share_price: priceOf(placed, { assets: price, wholeShares: 1n }),
      min_deposit: null,
    };
  },
  worth: async (placed, shares) =>
    (shares * (await viewOf(placed, "getSharePrice"))) / whole(placed.asset, 1n),
  withdrawal: (placed, { user, shares }) => ({
    to: placed.vault,
    data: encodeFunctionData({ abi: vaultAbi, functionName: "instantRedeem", args: [shares, user] }),
  }),
  states: [
    {
      ...when("paused for deposits", { abi: vaultAbi, call: "setDepositsPaused", args: [true] }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("with a limit for each deposit", {
        abi: vaultAbi,
        call: "setLimits",
        args: [1_000_000n, maxUint256],
      }),
      refused: { code: "above_maximum", max_deposit: "1000000" },
      shown: { max_deposit: "1000000" },
    },
    {
      ...when("near its cap", { abi: vaultAbi, call: "setLimits", args: [maxUint256, 107_310_000_021n] }),
      refused: { code: "above_maximum", max_deposit: "21" },
      shown: { max_deposit: "21" },
    },
    {
      // The Router's clone sends.
      name: "a sender whitelist that contains the user",
      enter: (placed, user) => sendersOnly(placed, [user]),
      refused: { code: "not_allowed" },
    },
    {
      name: "a token that is no longer accepted",
      enter: (placed) =>
        set(placed, { abi: vaultAbi, name: "setLists", args: [zeroAddress, placed.parts["list"]] }),
      refused: { code: "token_unsupported" },
    },
    {
      name: "a deposit that would mint zero shares",
      enter: async () => undefined,
      amount: () => 1n,
      refused: { code: "zero_shares" },
    },
  ],
};

const direct: Family = {
  ...routed,
  name: "Upshift, called by the user",
  decimals: [6],
  async deploy(world, asset) {
    const made = await deploy(world, asset);
    return { ...made, row: { ...made.row, caller: "user" } };
  },
  states: [
    {
      name: "a sender whitelist that contains the user",
      enter: (placed, user) => sendersOnly(placed, [user]),
      refused: null,
    },
    {
      name: "a sender whitelist without the user",
      enter: (placed) => sendersOnly(placed, []),
      refused: { code: "not_allowed" },
    },
  ],
};

const legacyRedemption =
  (functionName: "instantRedeem" | "requestRedeem"): Family["withdrawal"] =>
  (placed, { user, shares }) => ({
    to: placed.vault,
    data: encodeFunctionData({ abi: legacyAbi, functionName, args: [shares, user, user] }),
  });

const deployLegacy = deployStandard({ abi: legacyAbi, code: legacyTokenizedVaultCreationCode });

const legacy: Family = {
  ...standard,
  name: "Upshift's older vault",
  adapter: "upshift_legacy",
  type: "custom",
  decimals: [6, 18],
  async deploy(world, asset) {
    const made = await deployLegacy(world, asset);
    return { ...made, row: { ...made.row, params: { withdraw_seconds: "0" } } };
  },
  // `redeem` is there and always reverts.
  withdrawal: legacyRedemption("requestRedeem"),
  states: [
    {
      ...when("paused for deposits", { abi: legacyAbi, call: "setDepositsPaused", args: [true] }),
      refused: { code: "vault_paused" },
      shown: { paused: true, max_deposit: "0" },
    },
    {
      ...when("with a limit for each deposit", { abi: legacyAbi, call: "setMaxDepositAmount", args: [31n] }),
      refused: { code: "above_maximum", max_deposit: "31" },
      shown: { max_deposit: "31" },
    },
    {
      ...when("with all the supply it may have", { abi: legacyAbi, call: "setMaxSupply", args: [1n] }),
      refused: { code: "above_maximum", max_deposit: "0" },
      shown: { max_deposit: "0" },
    },
    {
      ...when("with room for a thousand shares", {
        abi: legacyAbi,
        call: "setMaxSupply",
        args: [101_000_000_000n],
      }),
      refused: { code: "above_maximum", max_deposit: "1073099999" },
      shown: { max_deposit: "1073099999" },
    },
    {
      ...when("without a limit of its supply", { abi: legacyAbi, call: "setMaxSupply", args: [maxUint256] }),
      refused: null,
      shown: { max_deposit: String(maxUint256) },
    },
    {
      ...when("a blacklist that contains the user", {
        abi: legacyAbi,
        call: "setBlacklisted",
        args: (user) => [user, true],
      }),
      refused: { code: "not_allowed" },
    },
  ],
};

const legacyAtOnce: Family = {
  ...legacy,
  name: "Upshift's older vault, redeemed at once",
  decimals: [6],
  withdrawal: legacyRedemption("instantRedeem"),
  states: [],
};

conformance([routed, direct, legacy, legacyAtOnce]);
