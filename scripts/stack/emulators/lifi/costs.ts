import { isNative } from "../../bridge/bridge-chains.ts";
import type { BridgePlan } from "./bridge-plan.ts";
import type { QuoteRequest } from "./quote-request.ts";
import type { RoutePlan } from "./route-plan.ts";
import { describeToken, usdValue } from "./wire-format.ts";

/** Gas price of quotes in wei, independent of the local chains. */
export const GAS_PRICE = 1_000_000_000n;
const GAS = { fee: 130_000n, swap: 220_000n, bridge: 190_000n, call: 350_000n } as const;
/** Gas limit as a percentage of the estimate. */
const HEADROOM = 130n;

/** Returns LI.FI's own fee; empty when the amount is too small. */
export function fixedFees({ request, fee }: RoutePlan): unknown[] {
  if (fee === 0n) return [];
  const amount = fee.toString();
  return [
    {
      name: "LIFI Fixed Fee",
      description: "Fixed LIFI fee, independent of any other fee",
      token: describeToken(request.from),
      amount,
      amountUSD: usdValue(request.from, fee),
      percentage: "0.0025",
      included: true,
      feeSplit: {
        lifiFee: amount,
        integratorFee: "0",
        recipients: [{ name: "lifi", type: "FIXED", fee: amount }],
      },
    },
  ];
}

/** Returns the fees that a bridge deducts or charges on top. */
export function bridgeFees(request: QuoteRequest, bridge: BridgePlan): unknown[] {
  const { input, fees, sentLeast, messageFee, tool } = bridge;
  const cost = (name: string, { description, amount }: { description: string; amount: bigint }) => ({
    name,
    description,
    token: describeToken(input),
    amount: amount.toString(),
    amountUSD: usdValue(input, amount),
    percentage: (Number(amount) / Number(sentLeast)).toFixed(6),
    included: true,
  });
  if (tool !== "across") {
    const kept = cost("Bridge fee", { description: "The fee taken by the bridge", amount: fees.capital });
    return messageFee === 0n ? [kept] : [kept, messageCost(request, messageFee)];
  }
  return [
    cost("Relayer fee", { description: "The fee taken by the relayer", amount: fees.capital }),
    cost("Relayer gas fee", { description: "The gas fee taken by the relayer", amount: fees.gas }),
  ];
}

/** The LayerZero message fee, paid in native money on top of the amount. */
function messageCost({ fromChain }: QuoteRequest, amount: bigint) {
  const native = fromChain.tokens.find(isNative);
  if (native === undefined) throw new Error(`chain ${fromChain.chainId} has no native token`);
  return {
    name: "LayerZero fee",
    description: "Fee for the message of the bridge",
    token: describeToken(native),
    amount: amount.toString(),
    amountUSD: usdValue(native, amount),
    percentage: "0",
    included: false,
  };
}

/** Estimates the gas of a plan's source transaction. */
export function gasOf({ request, fee, swap, bridge }: RoutePlan): bigint {
  const calls = bridge === null ? request.calls.reduce((sum, call) => sum + call.gasLimit, 0n) : 0n;
  return (fee > 0n ? GAS.fee : 0n) + (swap ? GAS.swap : 0n) + (bridge ? GAS.bridge : 0n) + calls + GAS.call;
}

/** Returns the gas limit of an estimate. */
export const limitOf = (gas: bigint): bigint => (gas * HEADROOM) / 100n;

/** Formats a transaction's gas for a response. */
export function gasCosts({ fromChain }: QuoteRequest, gas: bigint): unknown[] {
  const native = fromChain.tokens.find(isNative);
  if (native === undefined) throw new Error(`chain ${fromChain.chainId} has no native token`);
  const amount = gas * GAS_PRICE;
  return [
    {
      type: "SEND",
      price: GAS_PRICE.toString(),
      estimate: gas.toString(),
      limit: limitOf(gas).toString(),
      amount: amount.toString(),
      amountUSD: usdValue(native, amount),
      token: describeToken(native),
    },
  ];
}
