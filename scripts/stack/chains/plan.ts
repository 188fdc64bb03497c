import type { Address } from "viem";
import type { FamilyBuild } from "./families/families.ts";
import { customFamilyVaults, erc4626Vaults, waitingVaults } from "./family-vault-plans.ts";
import { multiTokenVaults } from "./multi-token-plans.ts";
import { btc, ether, usd, withHistory } from "./vault-history.ts";

/**
 * Contract of a vault: the real MetaMorpho, a thin subclass of a library's ERC-4626, or a family's stand-in. `offset`
 * is the number of decimals that shares have beyond the asset's; `cap`, `minimum` and `room` (left of MetaMorpho's cap)
 * are in the asset's smallest unit.
 */
export type VaultKind =
  | { kind: "morpho"; room?: bigint }
  | { kind: "open_zeppelin" | "pausable" | "caller"; offset: number }
  | { kind: "capped"; offset: number; cap: bigint }
  | { kind: "minimum"; offset: number; minimum: bigint }
  | { kind: "solmate" }
  | FamilyBuild;

/**
 * Purpose of a vault. `honest` and `family` vaults accept deposits directly; `requests` vaults settle them later;
 * `several` vaults accept more tokens than their asset; `cooldown`, `queue` and `pool` vaults accept deposits directly
 * and pay withdrawals later only: after a cooldown, by a queue's solver, or when a pool's delegate processes a request.
 */
export type Scenario =
  | "honest"
  | "family"
  | "several"
  | "requests"
  | "cooldown"
  | "queue"
  | "pool"
  | "empty"
  | "paused"
  | "full"
  | "limited"
  | "minimum"
  | "inflated"
  | "dust"
  | "fee_on_transfer"
  | "caller"
  | "registry_paused"
  | "unsupported";

/** A token of the local chains. */
export type TokenSymbol = "USDC" | "WBTC" | "WETH" | "USDT" | "FEE";

/** A token to deploy. */
export interface TokenPlan {
  symbol: TokenSymbol;
  name: string;
  decimals: number;
  kind: "plain" | "fiat" | "no_return" | "fee" | "wrapped_native";
  /** Amount that each funded account receives, in smallest units. */
  funding: bigint;
}

/** A vault to deploy. */
export interface VaultPlan {
  name: string;
  symbol: string;
  token: TokenSymbol;
  /** Tokens that the vault accepts in addition to its asset. Only some families support them. */
  also?: readonly TokenSymbol[];
  build: VaultKind;
  scenario: Scenario;
  /**
   * Amount of the first deposit; `accrued` is the later yield, which makes the share price differ from 1. Both are in
   * the asset's smallest unit.
   */
  deposited: bigint;
  accrued: bigint;
}

/** Version of LI.FI's Executor: only 2.1.0 runs a call that declares more than arrived. */
export type ExecutorVersion = "2.0.0" | "2.1.0";

/** A chain with its vaults. */
export interface ChainPlan {
  chainId: number;
  name: string;
  key: string;
  /** Impersonated account without a key; different per chain, so that no address occurs on both. */
  deployer: Address;
  multicall3: boolean;
  /** True for a chain with a sequencer uptime feed. */
  rollup: boolean;
  executorVersion: ExecutorVersion;
  /** True for a chain with factories and registers whose vaults are discovered. */
  registers: boolean;
  vaults: readonly VaultPlan[];
}

/** Version in the EIP-712 domain of USDC. */
export const FIAT_VERSION = "2";

/** The tokens of both chains. */
export const tokenPlans: readonly TokenPlan[] = [
  { symbol: "USDC", name: "USD Coin", decimals: 6, kind: "fiat", funding: 1_000_000n * 10n ** 6n },
  { symbol: "WBTC", name: "Wrapped BTC", decimals: 8, kind: "plain", funding: 100n * 10n ** 8n },
  { symbol: "WETH", name: "Wrapped Ether", decimals: 18, kind: "wrapped_native", funding: 500n * 10n ** 18n },
  { symbol: "USDT", name: "Tether USD", decimals: 6, kind: "no_return", funding: 1_000_000n * 10n ** 6n },
  { symbol: "FEE", name: "One Per Cent", decimals: 18, kind: "fee", funding: 1_000_000n * 10n ** 18n },
];

/** Returns a token's plan. */
export function tokenPlan(symbol: TokenSymbol): TokenPlan {
  const plan = tokenPlans.find((token) => token.symbol === symbol);
  if (plan === undefined) throw new Error(`no token ${symbol}`);
  return plan;
}

const openZeppelin = (offset: number): VaultKind => ({ kind: "open_zeppelin", offset });
const morpho: VaultKind = { kind: "morpho" };
const solmate: VaultKind = { kind: "solmate" };

const honestOne: readonly VaultPlan[] = [
  withHistory({ name: "Local Prime USDC", symbol: "lpUSDC", token: "USDC", build: morpho }, [
    usd(250_000n),
    512n,
  ]),
  withHistory({ name: "Local Prime WETH", symbol: "lpWETH", token: "WETH", build: morpho }, [
    ether(400n),
    287n,
  ]),
  withHistory({ name: "Local Prime WBTC", symbol: "lpWBTC", token: "WBTC", build: morpho }, [btc(12n), 93n]),
  withHistory({ name: "Local Prime USDT", symbol: "lpUSDT", token: "USDT", build: morpho }, [
    usd(180_000n),
    431n,
  ]),
  withHistory({ name: "Plain USDC", symbol: "pUSDC", token: "USDC", build: openZeppelin(0) }, [
    usd(90_000n),
    731n,
  ]),
  withHistory({ name: "Plain WBTC", symbol: "pWBTC", token: "WBTC", build: openZeppelin(6) }, [
    btc(5n),
    150n,
  ]),
  withHistory({ name: "Fine USDC", symbol: "fUSDC", token: "USDC", build: openZeppelin(12) }, [
    usd(40_000n),
    1_204n,
  ]),
  withHistory({ name: "Plain USDT", symbol: "pUSDT", token: "USDT", build: openZeppelin(6) }, [
    usd(60_000n),
    377n,
  ]),
  withHistory({ name: "Solid WETH", symbol: "sWETH", token: "WETH", build: solmate }, [ether(75n), 618n]),
];

const refusingOne: readonly VaultPlan[] = [
  withHistory(
    {
      name: "Paused USDC",
      symbol: "xUSDC",
      token: "USDC",
      build: { kind: "pausable", offset: 0 },
      scenario: "paused",
    },
    [usd(1_000n), 100n],
  ),
  withHistory(
    {
      name: "Full USDC",
      symbol: "fullUSDC",
      token: "USDC",
      build: { kind: "capped", offset: 6, cap: usd(5_000n) },
      scenario: "full",
    },
    [usd(5_000n), 0n],
  ),
  withHistory(
    {
      name: "Limited Prime USDC",
      symbol: "limUSDC",
      token: "USDC",
      build: { kind: "morpho", room: usd(10_000n) },
      scenario: "limited",
    },
    [usd(20_000n), 0n],
  ),
  withHistory(
    {
      name: "Minimum USDC",
      symbol: "minUSDC",
      token: "USDC",
      build: { kind: "minimum", offset: 6, minimum: usd(100n) },
      scenario: "minimum",
    },
    [usd(1_000n), 250n],
  ),
  {
    name: "Inflated USDC",
    symbol: "infUSDC",
    token: "USDC",
    build: openZeppelin(0),
    scenario: "inflated",
    deposited: 1n,
    accrued: usd(1_000n),
  },
  {
    name: "Dust WETH",
    symbol: "dustWETH",
    token: "WETH",
    build: solmate,
    scenario: "dust",
    deposited: 1n,
    accrued: ether(10n),
  },
  {
    name: "Empty USDC",
    symbol: "emptyUSDC",
    token: "USDC",
    build: openZeppelin(6),
    scenario: "empty",
    deposited: 0n,
    accrued: 0n,
  },
  withHistory(
    {
      name: "Toll FEE",
      symbol: "tFEE",
      token: "FEE",
      build: openZeppelin(0),
      scenario: "fee_on_transfer",
    },
    [ether(1_000n), 0n],
  ),
  withHistory(
    {
      name: "Members USDC",
      symbol: "mUSDC",
      token: "USDC",
      build: { kind: "caller", offset: 6 },
      scenario: "caller",
    },
    [usd(1_000n), 420n],
  ),
  withHistory(
    {
      name: "Suspended USDC",
      symbol: "susUSDC",
      token: "USDC",
      build: openZeppelin(6),
      scenario: "registry_paused",
    },
    [usd(1_000n), 300n],
  ),
  withHistory(
    {
      name: "Unlisted USDC",
      symbol: "unUSDC",
      token: "USDC",
      build: openZeppelin(6),
      scenario: "unsupported",
    },
    [usd(1_000n), 300n],
  ),
];

const honestTwo: readonly VaultPlan[] = [
  withHistory({ name: "Remote Prime USDC", symbol: "rpUSDC", token: "USDC", build: morpho }, [
    usd(320_000n),
    466n,
  ]),
  withHistory({ name: "Remote Prime WETH", symbol: "rpWETH", token: "WETH", build: morpho }, [
    ether(150n),
    312n,
  ]),
  withHistory({ name: "Remote USDC", symbol: "rUSDC", token: "USDC", build: openZeppelin(6) }, [
    usd(70_000n),
    888n,
  ]),
  withHistory({ name: "Remote USDT", symbol: "rUSDT", token: "USDT", build: openZeppelin(0) }, [
    usd(30_000n),
    205n,
  ]),
  withHistory({ name: "Remote WETH", symbol: "rWETH", token: "WETH", build: solmate }, [ether(20n), 145n]),
];

/** The two local chains. */
export const chainPlans: readonly ChainPlan[] = [
  {
    chainId: 31337,
    name: "Local One",
    key: "local-one",
    deployer: "0x1111111111111111111111111111111111111111",
    multicall3: true,
    rollup: false,
    executorVersion: "2.1.0",
    registers: true,
    vaults: [
      ...[...honestOne, ...refusingOne, ...erc4626Vaults, ...customFamilyVaults, ...multiTokenVaults],
      // Last, because the README prints addresses of the vaults before.
      ...waitingVaults,
    ],
  },
  {
    chainId: 31338,
    name: "Local Two",
    key: "local-two",
    deployer: "0x2222222222222222222222222222222222222222",
    multicall3: false,
    rollup: true,
    executorVersion: "2.0.0",
    registers: false,
    vaults: honestTwo,
  },
];

/** Returns the name of the adapter of a planned vault. */
export function adapterOfPlan({ build }: VaultPlan): string {
  if (build.kind === "family") return build.adapter;
  return build.kind === "morpho" ? "metamorpho" : "erc4626";
}
