import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getAbiItem,
  type Hex,
  maxUint256,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import {
  diamondAbi,
  diamondCreationCode,
  erc20ProxyAbi,
  erc20ProxyCreationCode,
  exchangeAbi,
  exchangeCreationCode,
  executorAbi,
  executorCreationCode,
  feeForwarderAbi,
  feeForwarderCreationCode,
  receiverAcrossAbi,
  receiverAcrossCreationCode,
} from "#stand-ins/lifi";
import { stackTokenAbi, wrappedNativeAbi } from "#stand-ins/standard";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { assetTerms } from "../bridge/asset-terms.ts";
import type { ChainScript } from "./chain-script.ts";
import {
  type CircleContracts,
  deployMessaging,
  deployReceiverStargate,
  type Messaging,
  type StargateContracts,
} from "./messaging.ts";
import { type ExecutorVersion, type TokenSymbol, tokenPlans } from "./plan.ts";
import { publishedCode } from "./published-code.ts";
import { spokePoolDeployData, spokePoolProxyDeployData } from "./spoke-pool.ts";

/** Balance of the relayer and of the exchange in each token, in whole tokens. No test can exhaust it. */
const INVENTORY = 10n ** 12n;
const NATIVE_INVENTORY = 10n ** 24n;
const PRICE_UNIT = 10 ** 8;

/** Contracts of bridges, swaps and LI.FI on one chain. */
export interface BridgingContracts {
  spokePool: Address;
  multicallHandler: Address;
  diamond: Address;
  executor: Address;
  executorVersion: ExecutorVersion;
  erc20Proxy: Address;
  receiverAcross: Address;
  feeForwarder: Address;
  exchange: Address;
  stargate: StargateContracts;
  circle: CircleContracts;
  /** Impersonated account that fills deposits and, as the SpokePool's admin, pays refunds. */
  relayer: Address;
}

type Tokens = Record<TokenSymbol, Address>;

/**
 * Queues the deployment of the bridges, LI.FI's contracts and the exchange, with the balances and approvals that they
 * and the relayer need.
 */
export function deployBridging(
  script: ChainScript,
  { tokens, executorVersion }: { tokens: Tokens; executorVersion: ExecutorVersion },
): BridgingContracts {
  const spokePool = deploySpokePool(script, tokens);
  const multicallHandler = script.deploy("MulticallHandler", publishedCode("multicallHandler"));
  const messaging = deployMessaging(script, tokens);
  const lifi = deployLifi(script, { spokePool, executorVersion, messaging });
  const receiver = deployReceiverStargate(script, { executor: lifi.executor, messaging });
  const stargate = { ...messaging.stargate, receiver };
  const exchange = deployExchange(script, tokens);
  allowCalls(script, { ...lifi, exchange });
  stock(script, { tokens, spokePool, exchange });
  const bridges = { spokePool, multicallHandler, stargate, circle: messaging.circle };
  return { ...bridges, ...lifi, executorVersion, exchange, relayer: script.deployer };
}

function deploySpokePool(script: ChainScript, { WETH }: Tokens): Address {
  const implementation = script.deploy("SpokePool", spokePoolDeployData(WETH));
  return script.deploy("SpokePool's proxy", spokePoolProxyDeployData(implementation, script.deployer));
}

function deployLifi(
  script: ChainScript,
  {
    spokePool,
    executorVersion,
    messaging,
  }: { spokePool: Address; executorVersion: ExecutorVersion; messaging: Messaging },
) {
  const erc20Proxy = script.deploy(
    "ERC20Proxy",
    encodeDeployData({ abi: erc20ProxyAbi, bytecode: erc20ProxyCreationCode }),
  );
  const executorArgs = [erc20Proxy, executorVersion === "2.0.0"] as const;
  const executor = script.deploy(
    "Executor",
    encodeDeployData({ abi: executorAbi, bytecode: executorCreationCode, args: executorArgs }),
  );
  const receiverArgs = [executor, spokePool] as const;
  const receiverAcross = script.deploy(
    "ReceiverAcross",
    encodeDeployData({ abi: receiverAcrossAbi, bytecode: receiverAcrossCreationCode, args: receiverArgs }),
  );
  const args = [spokePool, messaging.tokenMessaging, messaging.circleProxy] as const;
  const diamond = script.deploy(
    "Diamond",
    encodeDeployData({ abi: diamondAbi, bytecode: diamondCreationCode, args }),
  );
  const feeForwarder = script.deploy("FeeForwarder", feeForwarderCreationCode);
  const functionName = "setAuthorizedCaller";
  const authorize = encodeFunctionData({ abi: erc20ProxyAbi, functionName, args: [executor, true] });
  script.send("authorize the Executor", { to: erc20Proxy, data: authorize });
  return { diamond, executor, erc20Proxy, receiverAcross, feeForwarder };
}

function deployExchange(script: ChainScript, tokens: Tokens): Address {
  const listings = assetTerms.map(({ symbol, priceUsd }) => ({
    token: tokens[symbol],
    decimals: tokenPlans.find((token) => token.symbol === symbol)?.decimals ?? 18,
    price: BigInt(priceUsd * PRICE_UNIT),
  }));
  const native = listings.filter(({ token }) => token === tokens.WETH);
  const args = [[...listings, ...native.map((weth) => ({ ...weth, token: zeroAddress }))]] as const;
  const data = encodeDeployData({ abi: exchangeAbi, bytecode: exchangeCreationCode, args });
  return script.deploy("Exchange", data);
}

function allowCalls(
  script: ChainScript,
  { diamond, exchange, feeForwarder }: { diamond: Address; exchange: Address; feeForwarder: Address },
): void {
  const forward = (name: "forwardERC20Fees" | "forwardNativeFees") =>
    toFunctionSelector(getAbiItem({ abi: feeForwarderAbi, name }));
  const allowed: readonly (readonly [Address, Hex])[] = [
    [exchange, toFunctionSelector(getAbiItem({ abi: exchangeAbi, name: "swap" }))],
    [feeForwarder, forward("forwardERC20Fees")],
    [feeForwarder, forward("forwardNativeFees")],
  ];
  for (const [target, selector] of allowed) {
    const args = [target, selector, true] as const;
    const functionName = "setContractSelectorWhitelist";
    const data = encodeFunctionData({ abi: diamondAbi, functionName, args });
    script.send("allow a call of the Diamond", { to: diamond, data });
  }
}

/** Mints tokens to the relayer and the exchange, and approves the SpokePool and the DepositRouter for the relayer. */
function stock(
  script: ChainScript,
  { tokens, spokePool, exchange }: { tokens: Tokens; spokePool: Address; exchange: Address },
): void {
  for (const { symbol, decimals, kind } of tokenPlans.filter(({ symbol }) => symbol !== "FEE")) {
    const to = tokens[symbol];
    for (const spender of [spokePool, depositRouterAddress]) {
      const args = [spender, maxUint256] as const;
      const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      script.send(`approve ${symbol} of the relayer`, { to, data: approve });
    }
    if (kind === "wrapped_native") continue;
    for (const owner of [script.deployer, exchange]) {
      const args = [owner, INVENTORY * 10n ** BigInt(decimals)] as const;
      const mint = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args });
      script.send(`mint ${symbol}`, { to, data: mint });
    }
  }
  const wrap = encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" });
  script.send("wrap", { to: tokens.WETH, value: 2n * NATIVE_INVENTORY, data: wrap });
  const args = [exchange, NATIVE_INVENTORY] as const;
  const half = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
  script.send("transfer WETH", { to: tokens.WETH, data: half });
  script.send("fund the exchange", { to: exchange, value: NATIVE_INVENTORY });
}
