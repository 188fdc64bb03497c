import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  maxUint256,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from "viem";
import {
  midasAccessAbi,
  midasDepositVaultAbi,
  midasFeedAbi,
  midasRedemptionVaultAbi,
  midasTokenAbi,
} from "#stand-ins/midas";
import { stackTokenAbi } from "#stand-ins/standard";
import { advanceToNow } from "../../../scripts/stack/chains/anvil.ts";
import type { Family, Placed, State } from "../../support/conformance/vaults/family.ts";
import { deployMidas, RATE } from "../../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { conformance } from "../../support/conformance/vaults/suite.ts";

const ONE = 10n ** 18n;
const INSTANT_FOR = toFunctionSelector("depositInstant(address,uint256,uint256,bytes32,address)");
const INSTANT = toFunctionSelector("depositInstant(address,uint256,uint256,bytes32)");

const part = (placed: Placed, name: string): Address => placed.parts[name] ?? zeroAddress;
const unit = (placed: Placed): bigint => 10n ** BigInt(18 - placed.asset.decimals);

const onDeposits = (placed: Placed, name: string, ...args: readonly unknown[]) =>
  set(placed, { abi: midasDepositVaultAbi, name, args, on: part(placed, "deposits") });
const deposits = (name: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) => onDeposits(placed, name, ...args),
});
const onAccess = (name: string) => ({
  enter: (placed: Placed, user: Address) =>
    set(placed, { abi: midasAccessAbi, name, args: [user, true], on: part(placed, "access") }),
});
const onFeedOf = (feed: string, ...args: readonly unknown[]) => ({
  enter: (placed: Placed) => set(placed, { abi: midasFeedAbi, name: "set", args, on: part(placed, feed) }),
});
const onFeed = (...args: readonly unknown[]) => onFeedOf("feed", ...args);

const supplyOf = (placed: Placed): Promise<bigint> =>
  placed.world.client.readContract({
    address: placed.vault,
    abi: midasTokenAbi,
    functionName: "totalSupply",
  });

const worth = (placed: Placed, shares: bigint): bigint => (shares * RATE) / (ONE * unit(placed));

/** A first deposit of the user's own, so that the minimum for first deposits is behind them. */
async function depositOnce(placed: Placed, user: Address): Promise<void> {
  const { world, asset } = placed;
  const [amount, vault] = [10n ** BigInt(asset.decimals) * 200n, part(placed, "deposits")];
  const mint = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [user, amount] });
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [vault, amount] });
  const args = [asset.address, amount * unit(placed), 0n, zeroHash] as const;
  const deposit = encodeFunctionData({ abi: midasDepositVaultAbi, functionName: "depositInstant", args });
  await world.send(user, { to: asset.address, data: mint });
  await world.send(user, { to: asset.address, data: approve });
  await world.send(user, { to: vault, data: deposit });
}

const common = {
  adapter: "midas",
  type: "midas",
  worth: async (placed, shares) => worth(placed, shares),
  async shown(placed) {
    const supply = await supplyOf(placed);
    return {
      total_supply: String(supply),
      total_assets: String(worth(placed, supply)),
      share_price: String(RATE),
      max_deposit: String(maxUint256 / unit(placed)),
      min_deposit: "0",
      no_minimum: true,
      paused: false,
    };
  },
  withdrawal: (placed, { shares }) => ({
    to: part(placed, "redemptions"),
    data: encodeFunctionData({
      abi: midasRedemptionVaultAbi,
      functionName: "redeemInstant",
      args: [placed.asset.address, shares, 0n],
    }),
  }),
} as const satisfies Partial<Family>;

const paused = { refused: { code: "vault_paused" }, shown: { paused: true, max_deposit: "0" } } as const;
const stale = {
  refused: { code: "price_stale" },
  shown: { share_price: null, total_assets: null, max_deposit: null, min_deposit: null, paused: false },
} as const;

/** What stops a vault whichever way it is called, by the selector it is called with. */
const pausesOf = (selector: string, other: string): readonly State[] => [
  { name: "paused", ...deposits("pause", true), ...paused },
  { name: "a pause of the deposit function", ...deposits("pauseFn", selector, true), ...paused },
  {
    name: "a pause of another function",
    ...deposits("pauseFn", other, true),
    refused: null,
    shown: { paused: false },
  },
  {
    name: "a token that is no longer accepted",
    enter: (placed) => onDeposits(placed, "removePaymentToken", placed.asset.address),
    ...paused,
  },
  { name: "a stale price", ...onFeed(RATE, 1n, false), ...stale },
  { name: "a deprecated price feed", ...onFeed(RATE, 9_999_999_999n, true), ...stale },
  { name: "a stale feed of a token with a fixed price", ...onFeedOf("tokenFeed", ONE, 1n, false), ...stale },
  {
    name: "a paused mToken",
    enter: (placed) => set(placed, { abi: midasTokenAbi, name: "pause", on: part(placed, "mToken") }),
    ...paused,
  },
  {
    name: "fees above 100 %",
    ...deposits("setInstantFee", 10_001n),
    refused: { code: "zero_shares" },
  },
];

const admissions: readonly State[] = [
  {
    name: "a greenlist (whitelist) without the user",
    ...deposits("setGreenlistEnable", true),
    refused: { code: "not_allowed" },
  },
  {
    name: "a blacklist that contains the user",
    ...onAccess("setBlacklisted"),
    refused: { code: "not_allowed" },
  },
  {
    name: "a sanctions list that contains the user",
    ...onAccess("setSanctioned"),
    refused: { code: "not_allowed" },
  },
];

/** 100 mTokens are worth 107.31. */
const minimums: readonly State[] = [
  {
    name: "a deposit below the minimum",
    ...deposits("setMinAmount", 100n * ONE),
    amount: () => 107_309_999n,
    refused: { code: "below_minimum", min_deposit: "107310000" },
    shown: { min_deposit: "107310000", no_minimum: false },
  },
  {
    name: "a deposit of exactly the minimum",
    ...deposits("setMinAmount", 100n * ONE),
    amount: () => 107_310_000n,
    refused: null,
  },
  {
    name: "a deposit below the first-deposit minimum",
    ...deposits("setMinMTokenAmountForFirstDeposit", 100n * ONE),
    amount: () => 107_309_999n,
    refused: { code: "below_minimum", min_deposit: "107310000" },
    shown: { min_deposit: "107310000" },
  },
];

const returning: readonly State[] = [
  {
    name: "a deposit below the first-deposit minimum by an earlier depositor",
    enter: async (placed, user) => {
      await onDeposits(placed, "setMinMTokenAmountForFirstDeposit", 100n * ONE);
      await depositOnce(placed, user);
    },
    amount: () => 1_000_000n,
    refused: null,
  },
  {
    name: "a deposit below the minimum by an exempt account",
    enter: async (placed, user) => {
      await onDeposits(placed, "setMinAmount", 100n * ONE);
      await onDeposits(placed, "freeFromMinAmount", user, true);
    },
    amount: () => 1_000_000n,
    refused: null,
  },
];

/** Room for 100 mTokens. */
const MOST = { max_deposit: "107310000" };
const limits: readonly State[] = [
  {
    name: "a deposit above the rest of the daily limit",
    enter: async (placed, user) => {
      await advanceToNow(placed.world.url);
      await onDeposits(placed, "setInstantDailyLimit", 286_375_920_231_106_141_086n);
      await depositOnce(placed, user);
    },
    amount: () => 107_310_001n,
    refused: { code: "above_maximum", ...MOST },
    shown: MOST,
  },
  {
    name: "a deposit of exactly the rest of the daily limit",
    enter: async (placed, user) => {
      await advanceToNow(placed.world.url);
      await onDeposits(placed, "setInstantDailyLimit", 286_375_920_231_106_141_086n);
      await depositOnce(placed, user);
    },
    amount: () => 107_310_000n,
    refused: null,
  },
  {
    name: "a deposit above the token's allowance",
    enter: (placed) =>
      onDeposits(
        placed,
        "addPaymentToken",
        ...[placed.asset.address, part(placed, "tokenFeed"), 0n, 107_310_000n * unit(placed), true],
      ),
    amount: () => 107_310_001n,
    refused: { code: "above_maximum", ...MOST },
    shown: MOST,
  },
];
const supplyLimit: readonly State[] = [
  {
    name: "a deposit above the supply cap",
    ...deposits("setMaxSupplyCap", 100_100n * ONE),
    amount: () => 107_310_001n,
    refused: { code: "above_maximum", ...MOST },
    shown: MOST,
  },
  {
    name: "a deposit of exactly the room under the supply cap",
    ...deposits("setMaxSupplyCap", 100_100n * ONE),
    amount: () => 107_310_000n,
    refused: null,
  },
  {
    name: "a supply above the cap",
    ...deposits("setMaxSupplyCap", 1n),
    refused: { code: "above_maximum", max_deposit: "0" },
    shown: { max_deposit: "0" },
  },
];

conformance([
  {
    ...common,
    name: "a DepositVault that names the recipient, called by the user",
    decimals: [6, 18, 8, 0],
    deploy: deployMidas({ deposit: "instant", recipient: "argument", caller: "user" }),
    states: [
      ...pausesOf(INSTANT_FOR, INSTANT),
      ...admissions,
      ...minimums,
      ...returning,
      ...limits,
      ...supplyLimit,
    ],
  },
  {
    ...common,
    name: "a DepositVault that names the recipient, through the Router",
    decimals: [6, 18, 8],
    deploy: deployMidas({ deposit: "instant", recipient: "argument", caller: "router", fee: 20n }),
    states: [...pausesOf(INSTANT_FOR, INSTANT), ...admissions],
  },
  {
    ...common,
    name: "a DepositVault of before July 2025, which mints to its caller, and takes a fee",
    decimals: [6, 18, 8],
    deploy: deployMidas({ deposit: "instant", recipient: "caller", caller: "user", fee: 20n }),
    states: [...pausesOf(INSTANT, INSTANT_FOR), ...admissions, ...returning],
  },
  {
    ...common,
    name: "a DepositVault for a token that has a feed of its own",
    decimals: [8],
    deploy: deployMidas({ deposit: "instant", recipient: "argument", caller: "user", stable: false }),
    worth: async (placed, shares) =>
      (((shares * RATE) / ONE) * ONE) / ((ONE * 9_990n) / 10_000n) / unit(placed),
    shown: async () => ({ share_price: String((RATE * 10_000n) / 9_990n) }),
    states: [],
  },
]);
