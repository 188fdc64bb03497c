import { formatUnits } from "viem";
import type { BridgeToken } from "../../bridge/bridge-chains.ts";
import { EXCHANGE_TOOL } from "./route-plan.ts";

const ICONS = "https://raw.githubusercontent.com/lifinance/types/main/src/assets/icons";

/** Formats a token for a response. */
export function describeToken(token: BridgeToken): Record<string, unknown> {
  const { address, chainId, symbol, decimals, name, priceUsd } = token;
  return {
    address,
    chainId,
    symbol,
    decimals,
    name,
    coinKey: symbol,
    logoURI: `${ICONS}/tokens/${symbol.toLowerCase()}.svg`,
    priceUSD: priceUsd.toFixed(4),
    tags: [priceUsd === 1 ? "stablecoin" : "major_asset"],
    verificationStatus: "verified",
    verificationStatusBreakdown: [{ provider: "hypernative", result: "verified", providerResult: "accept" }],
  };
}

/** Formats an amount's value in dollars with four decimals. */
export function usdValue({ decimals, priceUsd }: BridgeToken, amount: bigint): string {
  return (Number(formatUnits(amount, decimals)) * priceUsd).toFixed(4);
}

const tools: Readonly<Record<string, readonly [string, string]>> = {
  across: ["AcrossV4", `${ICONS}/bridges/across.svg`],
  stargateV2: ["StargateV2 (Fast mode)", `${ICONS}/bridges/stargate.svg`],
  stargateV2Bus: ["StargateV2 (Bus mode)", `${ICONS}/bridges/stargate.svg`],
  celercircle: ["Circle CCTP", `${ICONS}/bridges/circle.svg`],
  celercirclefast: ["Circle CCTP Fast", `${ICONS}/bridges/circle.svg`],
  polymerStandard: ["Polymer CCTP (Standard)", `${ICONS}/bridges/polymer.svg`],
  polymer: ["Polymer CCTP", `${ICONS}/bridges/polymer.svg`],
  [EXCHANGE_TOOL]: ["Local DEX", `${ICONS}/exchanges/localdex.svg`],
  feeCollection: ["Integrator Fee", `${ICONS}/protocols/feeCollection.svg`],
};

/** Formats a tool for a response. */
export function describeTool(key: string): { key: string; name: string; logoURI: string } {
  const [name, logoURI] = tools[key] ?? [key, ""];
  return { key, name, logoURI };
}
