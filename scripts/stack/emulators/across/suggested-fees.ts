import { randomBytes } from "node:crypto";
import { formatUnits, zeroAddress } from "viem";
import type { BridgeToken } from "../../bridge/bridge-chains.ts";
import type { BridgeSource } from "../../bridge/bridge-source.ts";
import { type Limits, limitsOf, type RelayFees, relayFees } from "../../bridge/fees.ts";
import { fillTimesOf } from "../../bridge/fill-times.ts";
import { headOf } from "../../bridge/node-requests.ts";
import { AcrossRefusal, invalidParameter } from "./errors.ts";
import { type AcrossQuery, addressOf, amountOf, messageOf, type RouteEnds, readRoute } from "./query.ts";
import { simulateDelivery } from "./simulate.ts";

const ESTIMATED_FILL_SECONDS = 2;

/**
 * Returns the response of Across' `/suggested-fees`. Throws AcrossRefusal for invalid parameters, an amount beyond the
 * limits, and a message without a recipient contract or that reverts. Source: across-protocol/frontend,
 * api/suggested-fees.
 */
export async function suggestFees(
  { bridgeChains, modeOf }: Pick<BridgeSource, "bridgeChains" | "modeOf">,
  query: AcrossQuery,
): Promise<Record<string, unknown>> {
  const ends = readRoute(bridgeChains, query);
  const amount = amountOf(query, "amount");
  const { asset } = ends.input;
  const limits = limitsOf(asset);
  const fees = relayFees(asset, amount);
  const tooLow = amount < limits.minDeposit;
  if (query["skipAmountLimit"] !== "true") refuseAmount(ends.input, { amount, limits, tooLow });
  const message = messageOf(query);
  if (message !== "0x") {
    const recipient = addressOf(query, "recipient");
    await simulateDelivery(ends, { recipient, message, amount, outputAmount: fees.outputAmount });
  }
  const head = await headOf(ends.origin.url);
  const { quoteTimestamp, fillDeadline } = await fillTimesOf(ends, modeOf("across"));
  return {
    estimatedFillTimeSec: ESTIMATED_FILL_SECONDS,
    ...describeFees(fees),
    timestamp: `${quoteTimeOf(query, { head: head.timestamp, usual: quoteTimestamp })}`,
    isAmountTooLow: tooLow,
    quoteBlock: `${head.number}`,
    exclusiveRelayer: zeroAddress,
    exclusivityDeadline: 0,
    fillDeadline: `${fillDeadline}`,
    ...describeEnds(ends),
    limits: describeLimits(limits),
    outputAmount: fees.outputAmount.toString(),
    id: `local-${randomBytes(8).toString("hex")}`,
  };
}

function quoteTimeOf(query: AcrossQuery, { head, usual }: { head: number; usual: number }): number {
  const text = query["timestamp"];
  if (text === undefined) return usual;
  if (!/^\d{1,10}$/.test(text) || Number(text) > head)
    throw invalidParameter("timestamp", "Invalid quote timestamp");
  return Number(text);
}

function refuseAmount(
  { decimals, symbol }: BridgeToken,
  { amount, limits, tooLow }: { amount: bigint; limits: Limits; tooLow: boolean },
): void {
  if (tooLow)
    throw new AcrossRefusal("AMOUNT_TOO_LOW", { message: "Sent amount is too low relative to fees" });
  if (amount <= limits.maxDeposit) return;
  const most = `${formatUnits(limits.maxDeposit, decimals)} ${symbol}`;
  throw new AcrossRefusal("AMOUNT_TOO_HIGH", { message: `Amount exceeds max. deposit limit: ${most}` });
}

function describeFees(fees: RelayFees) {
  const part = (pct: bigint, total: bigint) => ({ pct: pct.toString(), total: total.toString() });
  return {
    capitalFeePct: fees.capitalPct.toString(),
    capitalFeeTotal: fees.capital.toString(),
    relayGasFeePct: fees.gasPct.toString(),
    relayGasFeeTotal: fees.gas.toString(),
    relayFeePct: fees.totalPct.toString(),
    relayFeeTotal: fees.total.toString(),
    lpFeePct: "0",
    totalRelayFee: part(fees.totalPct, fees.total),
    relayerCapitalFee: part(fees.capitalPct, fees.capital),
    relayerGasFee: part(fees.gasPct, fees.gas),
    lpFee: part(0n, 0n),
  };
}

function describeEnds({ origin, destination, input, output }: RouteEnds) {
  const token = ({ address, symbol, decimals, chainId }: BridgeToken) => ({
    address,
    symbol,
    decimals,
    chainId,
  });
  return {
    spokePoolAddress: origin.contracts.spokePool,
    destinationSpokePoolAddress: destination.contracts.spokePool,
    inputToken: token(input),
    outputToken: token(output),
  };
}

/** Formats the limits for a response, as decimal strings in smallest units. */
export function describeLimits({ minDeposit, maxDeposit, maxDepositInstant }: Limits) {
  return {
    minDeposit: minDeposit.toString(),
    maxDeposit: maxDeposit.toString(),
    maxDepositInstant: maxDepositInstant.toString(),
    maxDepositShortDelay: maxDeposit.toString(),
    recommendedDepositInstant: maxDepositInstant.toString(),
  };
}
