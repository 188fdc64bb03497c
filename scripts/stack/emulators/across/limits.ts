import { type BridgeChains, isNative } from "../../bridge/bridge-chains.ts";
import { limitsOf, relayFees } from "../../bridge/fees.ts";
import { balanceOf } from "../../bridge/node-requests.ts";
import { type AcrossQuery, readRoute } from "./query.ts";
import { describeLimits } from "./suggested-fees.ts";

const NATIVE_GAS = 137_265n;

/**
 * Returns the response of Across' `/limits`: the deposit limits, the relayer's fees for the smallest deposit, gas costs
 * and the relayer's balance, with amounts as decimal strings in the smallest unit. Throws AcrossRefusal for an invalid
 * or disabled route; errors of the node propagate. Source: across-protocol/frontend, api/limits.
 */
export async function depositLimits(
  bridgeChains: BridgeChains,
  query: AcrossQuery,
): Promise<Record<string, unknown>> {
  const { destination, input, output } = readRoute(bridgeChains, query);
  const limits = limitsOf(input.asset);
  const { total, gas, capital, totalPct, gasPct, capitalPct } = relayFees(input.asset, limits.minDeposit);
  const owner = destination.contracts.relayer;
  const held = await balanceOf(destination.url, { token: output.address, owner });
  return {
    ...describeLimits(limits),
    relayerFeeDetails: {
      relayFeeTotal: total.toString(),
      relayFeePercent: totalPct.toString(),
      gasFeeTotal: gas.toString(),
      gasFeePercent: gasPct.toString(),
      capitalFeeTotal: capital.toString(),
      capitalFeePercent: capitalPct.toString(),
    },
    gasFeeDetails: {
      nativeGasCost: NATIVE_GAS.toString(),
      gasPrice: "1000000",
      tokenGasCost: gas.toString(),
    },
    reserves: { [owner]: held.toString() },
  };
}

/**
 * Returns the enabled routes between the chains and tokens of the query, or between all; the native currency is listed
 * beside its wrapped form.
 */
export function listAvailableRoutes(
  bridgeChains: BridgeChains,
  query: AcrossQuery,
): Record<string, unknown>[] {
  const chains = [...bridgeChains.values()];
  const pairs = chains.flatMap((origin) =>
    chains.filter((other) => other !== origin).map((destination) => ({ origin, destination })),
  );
  const routes = pairs.flatMap(({ origin, destination }) =>
    origin.tokens.map((token) => {
      const native = isNative(token);
      const from = native ? origin.wrappedNative : token.address;
      const same = destination.tokens.find(({ symbol }) => symbol === token.symbol);
      return {
        originChainId: origin.chainId,
        originToken: from,
        destinationChainId: destination.chainId,
        destinationToken: native ? destination.wrappedNative : (same?.address ?? from),
        originTokenSymbol: token.symbol,
        destinationTokenSymbol: token.symbol,
        isNative: native,
      };
    }),
  );
  const filters = ["originChainId", "destinationChainId", "originToken", "destinationToken"] as const;
  return routes.filter((route) =>
    filters.every((name) => {
      const wanted = query[name];
      return wanted === undefined || String(route[name]).toLowerCase() === wanted.toLowerCase();
    }),
  );
}
