import type { FamilyAdapter, FamilyBuild } from "./families/families.ts";
import type { VaultPlan } from "./plan.ts";
import { btc, ether, usd, withHistory } from "./vault-history.ts";

/** Plans a vault of a family, with a deposit and yield. */
function familyVault(
  adapter: FamilyAdapter,
  vault: Pick<VaultPlan, "name" | "symbol" | "token"> & { used: readonly [bigint, bigint] },
): VaultPlan {
  const { used: past, ...named } = vault;
  return withHistory({ ...named, build: { kind: "family", adapter }, scenario: "family" }, past);
}

/**
 * Plans a vault of a family's variant that accepts only deposit requests. Its history shows only in the share price.
 */
function laterVault(
  adapter: Extract<FamilyBuild, { requests: true }>["adapter"],
  named: Pick<VaultPlan, "name" | "symbol" | "token">,
): VaultPlan {
  return withHistory({ ...named, build: { kind: "family", adapter, requests: true }, scenario: "requests" }, [
    0n,
    0n,
  ]);
}

/** One vault of each family that implements ERC-4626. */
export const erc4626Vaults: readonly VaultPlan[] = [
  familyVault("euler", { name: "Euler USDC", symbol: "eUSDC", token: "USDC", used: [usd(50_000n), 377n] }),
  familyVault("euler_earn", {
    name: "Earn USDC",
    symbol: "eeUSDC",
    token: "USDC",
    used: [usd(20_000n), 290n],
  }),
  familyVault("yearn_v3", { name: "Yearn WETH", symbol: "yvWETH", token: "WETH", used: [ether(80n), 512n] }),
  familyVault("aave_stata", {
    name: "Static USDT",
    symbol: "stataUSDT",
    token: "USDT",
    used: [usd(70_000n), 233n],
  }),
  familyVault("spark", { name: "Savings USDC", symbol: "sUSDC", token: "USDC", used: [usd(90_000n), 377n] }),
  familyVault("gearbox", { name: "Pool WETH", symbol: "dWETH", token: "WETH", used: [ether(60n), 188n] }),
  familyVault("fluid", { name: "Fluid USDC", symbol: "fluUSDC", token: "USDC", used: [usd(30_000n), 641n] }),
  familyVault("silo", { name: "Silo USDC", symbol: "siUSDC", token: "USDC", used: [usd(10_000n), 902n] }),
  familyVault("morpho_v2", {
    name: "Prime USDC V2",
    symbol: "p2USDC",
    token: "USDC",
    used: [usd(150_000n), 421n],
  }),
  familyVault("ipor", { name: "Plasma USDC", symbol: "plUSDC", token: "USDC", used: [usd(40_000n), 550n] }),
  familyVault("mellow_lrt", {
    name: "Simple WETH",
    symbol: "lrWETH",
    token: "WETH",
    used: [ether(90n), 301n],
  }),
  familyVault("upshift", {
    name: "Upshift USDC",
    symbol: "upUSDC",
    token: "USDC",
    used: [usd(60_000n), 412n],
  }),
  familyVault("upshift_legacy", {
    name: "Upshift WBTC",
    symbol: "upWBTC",
    token: "WBTC",
    used: [btc(3n), 120n],
  }),
  familyVault("accountable", {
    name: "Credit USDC",
    symbol: "crUSDC",
    token: "USDC",
    used: [usd(45_000n), 1_010n],
  }),
];

/**
 * One vault of each family with an interface of its own, and its variant that settles deposits later. Without a planned
 * yield, the share price differs from 1 by the family's own rate.
 */
export const customFamilyVaults: readonly VaultPlan[] = [
  familyVault("veda", { name: "Boring USDC", symbol: "bUSDC", token: "USDC", used: [usd(80_000n), 0n] }),
  familyVault("midas", { name: "Midas USDC", symbol: "mTUSDC", token: "USDC", used: [usd(65_000n), 0n] }),
  familyVault("mellow", { name: "Core WETH", symbol: "cWETH", token: "WETH", used: [0n, 0n] }),
  familyVault("centrifuge", {
    name: "Centrifuge USDC",
    symbol: "ceUSDC",
    token: "USDC",
    used: [usd(55_000n), 0n],
  }),
  familyVault("lagoon", { name: "Lagoon USDC", symbol: "laUSDC", token: "USDC", used: [usd(35_000n), 377n] }),
  {
    ...familyVault("lagoon", {
      name: "Lagoon Later USDC",
      symbol: "llUSDC",
      token: "USDC",
      used: [usd(25_000n), 377n],
    }),
    scenario: "requests",
  },
  laterVault("centrifuge", { name: "Centrifuge Later USDC", symbol: "clUSDC", token: "USDC" }),
  laterVault("mellow", { name: "Core Later WETH", symbol: "clWETH", token: "WETH" }),
  laterVault("midas", { name: "Midas Later USDC", symbol: "mlUSDC", token: "USDC" }),
];

/** Vaults that accept deposits directly and pay withdrawals later only. */
export const waitingVaults: readonly VaultPlan[] = [
  withHistory(
    {
      ...{ name: "Cooldown USDC", symbol: "cdUSDC", token: "USDC", scenario: "cooldown" },
      build: { kind: "family", adapter: "erc4626", pays: "cooldown" },
    },
    [usd(50_000n), 463n],
  ),
  withHistory(
    {
      ...{ name: "Boring Queue USDC", symbol: "bqUSDC", token: "USDC", scenario: "queue" },
      build: { kind: "family", adapter: "veda", pays: "queue" },
    },
    [usd(40_000n), 0n],
  ),
  withHistory(
    {
      ...{ name: "Maple USDC", symbol: "mpUSDC", token: "USDC", scenario: "pool" },
      build: { kind: "family", adapter: "erc4626", pays: "pool" },
    },
    [usd(75_000n), 389n],
  ),
];
