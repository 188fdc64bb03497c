import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import type { ChainScript } from "./chain-script.ts";
import { publishedCode } from "./published-code.ts";

/**
 * A Morpho Blue market's parameters; `lltv`, the maximum loan-to-value, is in parts of 10^18. Source: Morpho Blue,
 * `MarketParams`.
 */
export interface Market {
  loanToken: Address;
  collateralToken: Address;
  oracle: Address;
  irm: Address;
  lltv: bigint;
}

const marketTuple =
  "(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv) market" as const;
const morphoAbi = parseAbi([
  "function enableIrm(address irm)",
  "function enableLltv(uint256 lltv)",
  `function createMarket(${marketTuple})`,
  `function supply(${marketTuple}, uint256 assets, uint256 shares, address onBehalf, bytes data)`,
]);
const metaMorphoAbi = parseAbi([
  `function submitCap(${marketTuple}, uint256 newSupplyCap)`,
  `function acceptCap(${marketTuple})`,
  "function setSupplyQueue(bytes32[] newSupplyQueue)",
]);
const LLTV = 800_000_000_000_000_000n;
/** MetaMorpho's shortest timelock in seconds; a new cap waits that long. */
export const TIMELOCK = 86_400;

/**
 * Queues the deployment of Morpho Blue, for markets without an interest model and with 80 % loan-to-value, and of their
 * oracle.
 */
export function deployMorpho(script: ChainScript): { morpho: Address; oracle: Address } {
  const owner = encodeAbiParameters(parseAbiParameters("address"), [script.deployer]);
  const morpho = script.deploy("Morpho Blue", concatHex([publishedCode("morpho"), owner]));
  const oracle = script.deploy("oracle", publishedCode("oracle"));
  const irm = encodeFunctionData({ abi: morphoAbi, functionName: "enableIrm", args: [zeroAddress] });
  const lltv = encodeFunctionData({ abi: morphoAbi, functionName: "enableLltv", args: [LLTV] });
  script.send("enableIrm", { to: morpho, data: irm });
  script.send("enableLltv", { to: morpho, data: lltv });
  return { morpho, oracle };
}

/** Queues the creation of a market of a loan token and its collateral. */
export function createMarket(
  script: ChainScript,
  setup: { morpho: Address; oracle: Address; loanToken: Address; collateralToken: Address },
): Market {
  const { morpho, oracle, loanToken, collateralToken } = setup;
  const market: Market = { loanToken, collateralToken, oracle, irm: zeroAddress, lltv: LLTV };
  const data = encodeFunctionData({ abi: morphoAbi, functionName: "createMarket", args: [market] });
  script.send("createMarket", { to: morpho, data });
  return market;
}

/**
 * Queues the deployment of a MetaMorpho vault and the submission of its cap, in the asset's smallest unit, which takes
 * effect after the timelock. Returns the vault's address.
 */
export function deployMetaMorpho(
  script: ChainScript,
  vault: { morpho: Address; market: Market; name: string; symbol: string; cap: bigint },
): Address {
  const { morpho, market, name, symbol, cap } = vault;
  const parameters = parseAbiParameters("address, address, uint256, address, string, string");
  const args = encodeAbiParameters(parameters, [
    script.deployer,
    morpho,
    BigInt(TIMELOCK),
    market.loanToken,
    name,
    symbol,
  ]);
  const address = script.deploy(name, concatHex([publishedCode("metaMorpho"), args]));
  const data = encodeFunctionData({ abi: metaMorphoAbi, functionName: "submitCap", args: [market, cap] });
  script.send(`submitCap ${name}`, { to: address, data });
  return address;
}

/** Queues the acceptance of a vault's cap, which opens it for deposits. It reverts before the timelock has passed. */
export function openMetaMorpho(script: ChainScript, vault: Address, market: Market): void {
  const id = keccak256(
    encodeAbiParameters(parseAbiParameters("address, address, address, address, uint256"), [
      market.loanToken,
      market.collateralToken,
      market.oracle,
      market.irm,
      market.lltv,
    ]),
  );
  const accept = encodeFunctionData({ abi: metaMorphoAbi, functionName: "acceptCap", args: [market] });
  const queue = encodeFunctionData({ abi: metaMorphoAbi, functionName: "setSupplyQueue", args: [[id]] });
  script.send("acceptCap", { to: vault, data: accept });
  script.send("setSupplyQueue", { to: vault, data: queue });
}

/**
 * Queues yield for a MetaMorpho vault: its position in the market grows by `amount`, its share supply does not. Morpho
 * must be allowed to take the amount from the deployer.
 */
export function accrue(
  script: ChainScript,
  input: { morpho: Address; market: Market; vault: Address; amount: bigint },
): void {
  const { morpho, market, vault, amount } = input;
  const args = [market, amount, 0n, vault, "0x"] as const;
  script.send("accrue", {
    to: morpho,
    data: encodeFunctionData({ abi: morphoAbi, functionName: "supply", args }),
  });
}
