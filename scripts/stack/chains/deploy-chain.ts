import { type Address, encodeFunctionData, erc20Abi, maxUint256, numberToHex, parseAbi } from "viem";
import { pausableVaultAbi } from "#stand-ins/standard";
import { type Asset, termsOf } from "../bridge/asset-terms.ts";
import { advanceTime, advanceToNow } from "./anvil.ts";
import { type BridgingContracts, deployBridging } from "./bridging.ts";
import { ChainScript } from "./chain-script.ts";
import { familyOf } from "./families/families.ts";
import { type PlacedVault, standardDeposit, type VaultTerms } from "./families/family-vault.ts";
import { installMulticall3, installPermit2, scriptRouterDeployment, verifyRouter } from "./infrastructure.ts";
import { rpc } from "./json-rpc.ts";
import { deployKyber, type KyberContracts } from "./kyber.ts";
import {
  accrue,
  createMarket,
  deployMetaMorpho,
  deployMorpho,
  type Market,
  openMetaMorpho,
  TIMELOCK,
} from "./morpho.ts";
import { type ChainPlan, type TokenSymbol, tokenPlan, tokenPlans, type VaultPlan } from "./plan.ts";
import { deployPriceFeeds, type PriceFeeds } from "./price-feeds.ts";
import { deployToken, fundAccounts } from "./tokens.ts";
import { shareDecimals, vaultDeployData } from "./vault-kinds.ts";
import {
  DISCOVERED_FUNDS,
  deployVaultRegisters,
  fundDiscovered,
  type VaultRegisters,
} from "./vault-registers.ts";
import { deployVelora, type VeloraContracts } from "./velora.ts";

const approveAbi = parseAbi(["function approve(address spender, uint256 amount)"]);
/** Deposit cap that exceeds all deposits into a local vault and fits MetaMorpho's uint184. */
const AMPLE_CAP = 10n ** 40n;
/** Number of blocks that are mined after the registers' events, because discovery does not read the newest blocks. */
const SETTLING_BLOCKS = 70;

/** A deployed vault. */
export interface DeployedVault {
  plan: VaultPlan;
  address: Address;
  /** Columns of the registry row that differ from their defaults. */
  row: PlacedVault["row"];
}

/** A chain with all its contracts. */
export interface DeployedChain {
  plan: ChainPlan;
  url: string;
  depositRouter: Address;
  multicall3: Address | null;
  morpho: Address;
  bridging: BridgingContracts & KyberContracts & VeloraContracts;
  tokens: Record<TokenSymbol, Address>;
  priceFeeds: PriceFeeds;
  vaults: readonly DeployedVault[];
  /** Registers from which vaults are discovered. Null on a chain without them. */
  registers: VaultRegisters | null;
  /** First block that can contain an event of a vault. */
  startBlock: number;
}

interface Morpho {
  morpho: Address;
  markets: ReadonlyMap<TokenSymbol, Market>;
}

/**
 * Deploys a chain's contracts and gives its vaults a history: deposits, yield, a pause, an inflation attack.
 * `accounts` receive tokens. The chain's clock ends a few seconds behind the wall clock.
 */
export async function deployChain(
  url: string,
  { plan, accounts }: { plan: ChainPlan; accounts: readonly Address[] },
): Promise<DeployedChain> {
  const script = await ChainScript.open(url, plan.deployer);
  const depositRouter = scriptRouterDeployment(script);
  const tokens = deployTokens(script, { plan, accounts });
  const bridging = deployBridging(script, { tokens, executorVersion: plan.executorVersion });
  const morpho = deployMarkets(script, tokens);
  const startBlock = Number(await rpc(url, "eth_blockNumber")) + 1;
  const vaults = plan.vaults.map((vault) => ({
    plan: vault,
    ...deployVault(script, { vault, tokens, morpho }),
  }));
  // After the vaults, whose addresses the README prints.
  const kyber = deployKyber(script, bridging.exchange);
  const priceFeeds = deployPriceFeeds(script, plan);
  const registers = plan.registers
    ? deployVaultRegisters(script, { usdc: tokens.USDC, weth: tokens.WETH })
    : null;
  const velora = deployVelora(script, bridging.exchange);
  await script.flush();
  await advanceTime(url, TIMELOCK + 1);
  for (const vault of vaults) giveHistory(script, { vault, tokens, morpho });
  if (registers !== null) fundDiscovered(script, { usdc: tokens.USDC, discovered: registers.discovered });
  await script.flush();
  await script.close();
  // The newest blocks are left to a later reading of events, because a reorg may replace them.
  if (registers !== null) await rpc(url, "anvil_mine", numberToHex(SETTLING_BLOCKS));
  const multicall3 = plan.multicall3 ? await installMulticall3(url) : null;
  await installPermit2(url);
  await verifyRouter(url, plan.chainId);
  await advanceToNow(url);
  const placed = {
    depositRouter,
    multicall3,
    morpho: morpho.morpho,
    bridging: { ...bridging, ...kyber, ...velora },
    tokens,
    priceFeeds,
    vaults,
    registers,
  };
  return { plan, url, ...placed, startBlock };
}

function deployTokens(
  script: ChainScript,
  { plan, accounts }: { plan: ChainPlan; accounts: readonly Address[] },
): Record<TokenSymbol, Address> {
  const entries = tokenPlans.map((token) => {
    const address = deployToken(script, token);
    const used = plan.vaults.filter((vault) => vault.token === token.symbol);
    const discovered = plan.registers && token.symbol === "USDC" ? DISCOVERED_FUNDS : 0n;
    const amount = used.reduce((sum, vault) => sum + vault.deposited + vault.accrued, discovered);
    fundAccounts(script, { token, address, amount, accounts });
    return [token.symbol, address] as const;
  });
  return Object.fromEntries(entries) as Record<TokenSymbol, Address>;
}

/** Deploys Morpho Blue with one market per token; the collateral is WETH (WBTC in WETH's market). */
function deployMarkets(script: ChainScript, tokens: Record<TokenSymbol, Address>): Morpho {
  const { morpho, oracle } = deployMorpho(script);
  const symbols: readonly TokenSymbol[] = ["USDC", "WETH", "WBTC", "USDT"];
  const markets = symbols.map((symbol) => {
    const collateralToken = symbol === "WETH" ? tokens.WBTC : tokens.WETH;
    return [
      symbol,
      createMarket(script, { morpho, oracle, loanToken: tokens[symbol], collateralToken }),
    ] as const;
  });
  return { morpho, markets: new Map(markets) };
}

type Tokens = Record<TokenSymbol, Address>;
type VaultInput = { vault: VaultPlan; tokens: Tokens; morpho: Morpho };

function deployVault(script: ChainScript, { vault, tokens, morpho }: VaultInput): PlacedVault {
  const { name, symbol, build } = vault;
  const { decimals } = tokenPlan(vault.token);
  const asset = tokens[vault.token];
  if (build.kind === "family") return familyOf(build).deploy(script, placingOf(vault, tokens));
  const row = { shareDecimals: shareDecimals(build, decimals) };
  if (build.kind !== "morpho")
    return { address: script.deploy(name, vaultDeployData(build, [asset, name, symbol])), row };
  const cap = build.room === undefined ? AMPLE_CAP : vault.deposited + vault.accrued + build.room;
  const market = marketOf(morpho, vault);
  return { address: deployMetaMorpho(script, { morpho: morpho.morpho, market, name, symbol, cap }), row };
}

function placingOf({ name, symbol, token, also = [] }: VaultPlan, tokens: Tokens): VaultTerms {
  const { decimals } = tokenPlan(token);
  const others = also.map((other) => ({
    address: tokens[other],
    decimals: tokenPlan(other).decimals,
    worth: worthOf(other, token),
  }));
  return { asset: tokens[token], assetSymbol: token, name, symbol, decimals, also: others };
}

/** Returns the value of a whole token in the asset's smallest unit, at the exchange's prices; rounded down. */
function worthOf(symbol: TokenSymbol, asset: TokenSymbol): bigint {
  const price = (one: TokenSymbol) => BigInt(termsOf(one as Asset).priceUsd);
  return (price(symbol) * 10n ** BigInt(tokenPlan(asset).decimals)) / price(asset);
}

function marketOf({ markets }: Morpho, vault: VaultPlan): Market {
  const market = markets.get(vault.token);
  if (market === undefined) throw new Error(`${vault.name}: no market for ${vault.token}`);
  return market;
}

/** Makes the vault's first deposit, then its yield: a donation, or for MetaMorpho a supply on its behalf. */
function giveHistory(
  script: ChainScript,
  { vault, tokens, morpho }: { vault: DeployedVault; tokens: Tokens; morpho: Morpho },
): void {
  const { address, plan } = vault;
  const asset = tokens[plan.token];
  const market = plan.build.kind === "morpho" ? marketOf(morpho, plan) : null;
  if (market !== null) openMetaMorpho(script, address, market);
  const approve = (spender: Address) => {
    const args = [spender, maxUint256] as const;
    const data = encodeFunctionData({ abi: approveAbi, functionName: "approve", args });
    script.send(`approve ${plan.name}`, { to: asset, data });
  };
  const terms = placingOf(plan, tokens);
  const family = plan.build.kind === "family" ? familyOf(plan.build) : null;
  const call = { terms, amount: plan.deposited, deployer: script.deployer };
  if (plan.deposited > 0n) {
    approve(address);
    const data = (family?.deposit ?? standardDeposit)(call);
    script.send(`deposit ${plan.name}`, { to: address, data });
  }
  if (plan.accrued > 0n && market !== null) {
    approve(morpho.morpho);
    accrue(script, { morpho: morpho.morpho, market, vault: address, amount: plan.accrued });
  } else if (plan.accrued > 0n) {
    const args = [address, plan.accrued] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
    script.send(`yield ${plan.name}`, { to: asset, data });
    if (family?.accrue) script.send(`accrue ${plan.name}`, { to: address, data: family.accrue(call) });
  }
  if (plan.scenario === "requests" && family?.takeRequests)
    script.send(`requests ${plan.name}`, { to: address, data: family.takeRequests(call) });
  if (plan.build.kind === "pausable") {
    const data = encodeFunctionData({ abi: pausableVaultAbi, functionName: "pause" });
    script.send(`pause ${plan.name}`, { to: address, data });
  }
}
