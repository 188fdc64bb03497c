import { type Address, encodeDeployData, encodeFunctionData, zeroAddress } from "viem";
import {
  circleBridgeProxyAbi,
  circleBridgeProxyCreationCode,
  circleTransmitterAbi,
  circleTransmitterCreationCode,
  layerZeroEndpointCreationCode,
  receiverStargateAbi,
  receiverStargateCreationCode,
  stargatePoolAbi,
  stargatePoolCreationCode,
  tokenMessagingAbi,
  tokenMessagingCreationCode,
} from "#stand-ins/lifi";
import { stackTokenAbi } from "#stand-ins/standard";
import type { ChainScript } from "./chain-script.ts";
import type { TokenSymbol } from "./plan.ts";

/** A Stargate pool. `token` is the zero address for the native currency. */
export interface PoolPlan {
  assetId: number;
  pool: Address;
  token: Address;
  decimals: number;
}

/** Stargate's contracts on one chain. */
export interface StargateContracts {
  endpoint: Address;
  messaging: Address;
  pools: readonly PoolPlan[];
  /** LI.FI's receiver of deliveries that carry a call. */
  receiver: Address;
}

/** CCTP's contracts on one chain. */
export interface CircleContracts {
  transmitter: Address;
  usdc: Address;
}

/** Bridge contracts that LI.FI's facets call. */
export interface Messaging {
  tokenMessaging: Address;
  circleProxy: Address;
  stargate: Omit<StargateContracts, "receiver">;
  circle: CircleContracts;
}

/** Liquidity of each pool in smallest units. No test can exhaust it. */
const POOL = { token: 10n ** 15n, native: 10n ** 23n } as const;

/** Queues the deployment of Stargate's pools with their liquidity, and of CCTP with Celer's proxy. */
export function deployMessaging(script: ChainScript, tokens: Record<TokenSymbol, Address>): Messaging {
  const endpoint = script.deploy("LayerZero's endpoint", layerZeroEndpointCreationCode);
  const tokenMessaging = script.deploy("TokenMessaging", tokenMessagingCreationCode);
  const assets = [
    { assetId: 1, token: tokens.USDC, decimals: 6 },
    { assetId: 2, token: tokens.USDT, decimals: 6 },
    { assetId: 13, token: zeroAddress, decimals: 18 },
  ];
  const pools = assets.map((asset) => ({
    ...asset,
    pool: deployPool(script, { ...asset, endpoint, tokenMessaging }),
  }));
  for (const { pool, assetId } of pools) {
    const data = encodeFunctionData({
      abi: tokenMessagingAbi,
      functionName: "setAssetId",
      args: [pool, assetId],
    });
    script.send("register a pool", { to: tokenMessaging, data });
  }
  const circle = deployCircle(script, tokens.USDC);
  return {
    tokenMessaging,
    circleProxy: circle.proxy,
    stargate: { endpoint, messaging: tokenMessaging, pools },
    circle: circle.contracts,
  };
}

function deployPool(
  script: ChainScript,
  placed: { token: Address; decimals: number; endpoint: Address; tokenMessaging: Address },
): Address {
  const { token, decimals, endpoint, tokenMessaging } = placed;
  const args = [token, BigInt(decimals), endpoint, tokenMessaging] as const;
  const data = encodeDeployData({ abi: stargatePoolAbi, bytecode: stargatePoolCreationCode, args });
  const pool = script.deploy("StargatePool", data);
  if (token === zeroAddress) script.send("fill a pool", { to: pool, value: POOL.native });
  else {
    const mint = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [pool, POOL.token] });
    script.send("fill a pool", { to: token, data: mint });
  }
  return pool;
}

function deployCircle(script: ChainScript, usdc: Address) {
  const transmitter = script.deploy(
    "CircleTransmitter",
    encodeDeployData({ abi: circleTransmitterAbi, bytecode: circleTransmitterCreationCode, args: [usdc] }),
  );
  const proxy = script.deploy(
    "CircleBridgeProxy",
    encodeDeployData({
      abi: circleBridgeProxyAbi,
      bytecode: circleBridgeProxyCreationCode,
      args: [transmitter],
    }),
  );
  return { proxy, contracts: { transmitter, usdc } };
}

/** Queues the deployment of LI.FI's receiver of Stargate deliveries that carry a call; returns its address. */
export function deployReceiverStargate(
  script: ChainScript,
  { executor, messaging }: { executor: Address; messaging: Messaging },
): Address {
  const args = [executor, messaging.tokenMessaging, messaging.stargate.endpoint] as const;
  const bytecode = receiverStargateCreationCode;
  return script.deploy("ReceiverStargate", encodeDeployData({ abi: receiverStargateAbi, bytecode, args }));
}
