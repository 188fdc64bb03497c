import type { Address, Hex } from "viem";
import { resolveKyberDeployments } from "../../../src/providers/kyber/kyber-deployments.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { answeredFields, encodeFields, honestFields } from "../kyber/stage.ts";
import { addressOf, USER } from "../lifi/parts.ts";
import { honest, type Lie } from "./lies.ts";
import type { BuiltFigures } from "./lifi-market.ts";
import { fairOutput, type Trade } from "./trades.ts";

const BPS = 10_000n;
/** Bits of KyberSwap's `flags` for a fee on the output in basis points. Source: MetaAggregationRouterV2.sol. */
const FEE_ON_OUTPUT_IN_BPS = 0xc0n;
const part = (amount: bigint, bps: number): bigint => (amount * BigInt(bps)) / BPS;

/** Emulated KyberSwap API for one trade on one chain, with a provider that may lie. */
export class KyberMarket {
  built: BuiltFigures | null = null;
  readonly router: Address | null;
  readonly #trade: Trade;
  readonly #lie: Lie;

  constructor(trade: Trade, lie: Lie) {
    this.#trade = trade;
    this.#lie = lie;
    this.router = resolveKyberDeployments([]).get(trade.from.chainId)?.router ?? null;
  }

  /** Returns the response to a request. Null where KyberSwap would find no route. */
  answer(url: URL, body: Record<string, unknown> | null): unknown {
    const { from, to } = this.#trade;
    if (this.router === null || from.chainId !== to.chainId) return null;
    const data = url.pathname.endsWith("/build") ? this.#build(body ?? {}) : this.#route();
    return { code: 0, message: "successfully", data: { ...data, routerAddress: this.router } };
  }

  #route(): object {
    const { srcToken, dstToken } = honestFields(this.#request());
    const amountOut = part(fairOutput(this.#trade), this.#lie.quoted).toString();
    const amountIn = this.#trade.amount.toString();
    return {
      routeSummary: { tokenIn: srcToken, amountIn, tokenOut: dstToken, amountOut, gas: "260000" },
    };
  }

  #build(body: Record<string, unknown>): object {
    const { built, builtMin, enforced, takenFee, strangeFeeContract } = this.#lie;
    const amountOut = part(fairOutput(this.#trade), built);
    const tolerance = BigInt(Number(body["slippageTolerance"]));
    const own = (amountOut * (BPS - tolerance)) / BPS;
    const least = part(builtMin === honest.builtMin ? own : part(amountOut, builtMin), enforced);
    // KyberSwap is asked for no fee: whoever takes one is a liar, for whom it is part of the output.
    const takes = strangeFeeContract || takenFee > honest.takenFee;
    const fees = takes
      ? {
          feeReceivers: [addressOf("strange fee contract")],
          feeAmounts: [BigInt(takenFee)],
          flags: 0x04n | FEE_ON_OUTPUT_IN_BPS,
        }
      : {};
    const data: Hex = encodeFields(answeredFields(this.#request(), { minReturnAmount: least, ...fees }));
    this.built = { expected: amountOut, least };
    const amounts = { amountIn: this.#trade.amount.toString(), amountOut: amountOut.toString() };
    return { ...amounts, gas: "260000", data };
  }

  #request(): TransferRequest {
    const { from, to, amount } = this.#trade;
    return {
      ...{ fromChainId: from.chainId, toChainId: to.chainId, fromToken: from.address, toToken: to.address },
      ...{ amount, user: USER, slippage: 0n, call: null, bridges: null },
    };
  }
}
