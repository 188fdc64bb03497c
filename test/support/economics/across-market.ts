import { type Address, zeroAddress } from "viem";
import { resolveAcrossDeployments } from "../../../src/providers/across/across-deployments.ts";
import { NOW, RELAYER } from "../lifi/parts.ts";
import type { Lie } from "./lies.ts";
import type { Trade } from "./trades.ts";

const deployments = resolveAcrossDeployments([]);

/**
 * Emulated Across API for one trade with a provider that may lie. It first quotes an amount and then, for a message,
 * builds with its own figures.
 */
export class AcrossMarket {
  requests = 0;
  readonly #trade: Trade;
  readonly #lie: Lie;

  constructor(trade: Trade, lie: Lie) {
    this.#trade = trade;
    this.#lie = lie;
  }

  /** Returns the response of `suggested-fees`. Null for a trade that Across does not support. */
  answer(url: URL): unknown {
    this.requests += 1;
    const { from, to, across } = this.#trade;
    const { quoted, built, fillSeconds, exclusiveSeconds } = this.#lie;
    const [origin, destination] = [deployments.get(from.chainId), deployments.get(to.chainId)];
    if (!across || origin === undefined || destination === undefined) return null;
    const amount = BigInt(url.searchParams.get("amount") ?? 0);
    const bps = BigInt(this.requests === 1 ? quoted : built);
    const output = (amount * bps) / 10_000n;
    const fee = { pct: ((10_000n - bps) * 10n ** 14n).toString(), total: (amount - output).toString() };
    const token = (chainId: number, address: string | null, decimals: number) => ({
      chainId,
      address: address as Address,
      decimals,
      symbol: "TKN",
    });
    return {
      estimatedFillTimeSec: 3,
      timestamp: String(NOW - 60),
      isAmountTooLow: false,
      quoteBlock: "23070320",
      exclusiveRelayer: exclusiveSeconds > 0 ? RELAYER : zeroAddress,
      exclusivityDeadline: exclusiveSeconds,
      spokePoolAddress: origin.spokePool,
      destinationSpokePoolAddress: destination.spokePool,
      totalRelayFee: fee,
      lpFee: { pct: "0", total: "0" },
      limits: { minDeposit: "1", maxDeposit: (10n ** 30n).toString() },
      fillDeadline: String(NOW + fillSeconds),
      outputAmount: output.toString(),
      inputToken: token(from.chainId, url.searchParams.get("inputToken"), from.decimals),
      outputToken: token(to.chainId, url.searchParams.get("outputToken"), to.decimals),
      id: "id",
    };
  }
}
