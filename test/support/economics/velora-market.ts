import { type Address, pad, zeroAddress } from "viem";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { AUGUSTUS_METHOD } from "../../../src/providers/velora/velora-calldata.ts";
import { resolveVeloraDeployments } from "../../../src/providers/velora/velora-deployments.ts";
import { addressOf, USER } from "../lifi/parts.ts";
import { CAP_SURPLUS, fieldsData, honestFields } from "../velora/stage.ts";
import { honest, type Lie } from "./lies.ts";
import type { BuiltFigures } from "./lifi-market.ts";
import { fairOutput, type Trade } from "./trades.ts";

const BPS = 10_000n;
const part = (amount: bigint, bps: number): bigint => (amount * BigInt(bps)) / BPS;

/** Emulated Velora API for one trade on one chain, with a provider that may lie. */
export class VeloraMarket {
  built: BuiltFigures | null = null;
  readonly router: Address | null;
  readonly #trade: Trade;
  readonly #lie: Lie;

  constructor(trade: Trade, lie: Lie) {
    this.#trade = trade;
    this.#lie = lie;
    this.router = resolveVeloraDeployments([]).get(trade.from.chainId)?.router ?? null;
  }

  /** Returns the response to a request. Null where Velora would find no route. */
  answer(url: URL): unknown {
    const { from, to } = this.#trade;
    if (this.router === null || from.chainId !== to.chainId) return null;
    if (url.pathname.endsWith("/swap"))
      return this.#swap(this.router, BigInt(url.searchParams.get("slippage") ?? 0));
    return { priceRoute: this.#route(this.router, this.#lie.quoted) };
  }

  #route(router: Address, bps: number) {
    const { srcToken, destToken } = honestFields(this.#request());
    return {
      network: this.#trade.from.chainId,
      ...{ srcToken, destToken, srcAmount: this.#trade.amount.toString() },
      destAmount: part(fairOutput(this.#trade), bps).toString(),
      ...{ gasCost: "240000", contractAddress: router, contractMethod: AUGUSTUS_METHOD },
    };
  }

  #swap(router: Address, slippage: bigint): object {
    const { built, builtMin, enforced, takenFee, strangeFeeContract, hollow } = this.#lie;
    const amountOut = part(fairOutput(this.#trade), built);
    const own = (amountOut * (BPS - slippage)) / BPS;
    const toAmount = part(builtMin === honest.builtMin ? own : part(amountOut, builtMin), enforced);
    // Velora is asked for no fee: whoever takes one is a liar, for whom it is part of the output.
    const takes = strangeFeeContract || takenFee > honest.takenFee;
    const fee = takes
      ? { partner: addressOf("strange fee contract"), feeData: CAP_SURPLUS | BigInt(takenFee) }
      : {};
    // The router keeps what exceeds the quoted amount.
    const quotedAmount = hollow ? 1n : amountOut;
    const data = fieldsData(this.#request(), { toAmount, quotedAmount, metadata: pad("0x01"), ...fee });
    this.built = { expected: amountOut, least: toAmount };
    const { chainId, address } = this.#trade.from;
    const value = address === zeroAddress ? this.#trade.amount.toString() : "0";
    return { priceRoute: this.#route(router, built), txParams: { to: router, data, value, chainId } };
  }

  #request(): TransferRequest {
    const { from, to, amount } = this.#trade;
    return {
      ...{ fromChainId: from.chainId, toChainId: to.chainId, fromToken: from.address, toToken: to.address },
      ...{ amount, user: USER, slippage: 0n, call: null, bridges: null },
    };
  }
}
