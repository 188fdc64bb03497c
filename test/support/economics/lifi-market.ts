import { type Address, type Hex, zeroAddress } from "viem";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { answerOf, type Scenario } from "../lifi/answers.ts";
import { type BridgeTree, encodeCall, type SwapTree } from "../lifi/calls.ts";
import { addressOf, dexStep, feeStep, NATIVE, NOW, RELAYER, tokens, USER, word } from "../lifi/parts.ts";
import { across, celer, type Plan, polymer, RECEIVER_ACROSS, stargate } from "../lifi/scenarios/plan.ts";
import { execute, swap } from "../lifi/scenarios/swaps.ts";
import { honest, type Lie } from "./lies.ts";
import { fairOutput, type Trade } from "./trades.ts";

const ALL_BPS = 10_000n;
const part = (amount: bigint, bps: number): bigint => (amount * BigInt(bps)) / ALL_BPS;

/**
 * Figures of the last built transaction: the expected amount, the minimum that its calldata enforces, and the declared
 * fee.
 */
export interface BuiltFigures {
  expected: bigint;
  least: bigint;
}

/** Emulated LI.FI API for one trade with a provider that may lie. */
export class LifiMarket {
  readonly paths: string[] = [];
  built: BuiltFigures | null = null;
  /** Destination call of the last built transaction, or null. */
  call: Hex | null = null;
  /** Changes a response before its calldata is encoded. */
  reshape: (scenario: Scenario) => Scenario = (scenario) => scenario;
  readonly #trade: Trade;
  readonly #lie: Lie;

  constructor(trade: Trade, lie: Lie) {
    this.#trade = trade;
    this.#lie = lie;
  }

  /** Returns the response to a request. Null where LI.FI would find no route. */
  answer(url: URL, body: Record<string, unknown> | null): unknown {
    this.paths.push(url.pathname);
    if (url.pathname.endsWith("/advanced/routes")) return this.#routes(body ?? {});
    return this.#build(url, body);
  }

  #routes(body: Record<string, unknown>): unknown {
    const { quoted, quotedMin, supportsCall } = this.#lie;
    const options = body["options"] as { slippage: number; bridges?: { allow: string[] } };
    const allowed = options.bridges?.allow ?? ["fly"];
    const request = this.#request({ slippage: options.slippage, call: null });
    const toAmount = part(fairOutput(this.#trade), quoted);
    const steps = this.#trade.tools
      .filter((tool) => allowed.includes(tool) && (supportsCall || tool !== "across"))
      .map((tool) => {
        const toAmountMin = this.#minimum({ toAmount, tool, bps: quotedMin, own: honest.quotedMin, request });
        const scenario = this.#scenario({ ...request, toToken: this.#pricedToken(body) }, tool, {
          toAmount,
          toAmountMin,
        });
        return this.#withFees(answerOf(scenario), toAmount);
      });
    return { routes: steps.map((step) => ({ steps: [step] })) };
  }

  /**
   * Returns the token in which a route delivers. The service requests the native currency where Across would unwrap it.
   */
  #pricedToken(body: Record<string, unknown>): Address {
    return body["toTokenAddress"] === zeroAddress ? zeroAddress : this.#trade.to.address;
  }

  #build(url: URL, body: Record<string, unknown> | null): unknown {
    const { built, builtMin, enforced } = this.#lie;
    const [call] = (body?.["contractCalls"] ?? []) as Record<string, string>[];
    const slippage = Number(body?.["slippage"] ?? url.searchParams.get("slippage"));
    const asked =
      (body?.["allowBridges"] as string[] | undefined) ?? url.searchParams.get("allowBridges")?.split(",");
    const tool = this.#trade.tools.find((one) => asked?.includes(one) ?? true);
    if (tool === undefined) return null;
    const request = this.#request({
      slippage,
      call:
        call === undefined
          ? null
          : {
              target: call["toContractAddress"] as Address,
              data: call["toContractCallData"] as Address,
              minIn: BigInt(call["fromAmount"] ?? 0),
              gasLimit: BigInt(call["toContractGasLimit"] ?? 0),
            },
    });
    const toAmount = part(fairOutput(this.#trade), built);
    const toAmountMin = this.#minimum({ toAmount, tool, bps: builtMin, own: honest.builtMin, request });
    const figures = { toAmount, toAmountMin: part(toAmountMin, enforced) };
    const scenario = this.reshape(this.#scenario(request, tool, figures));
    this.call = request.call?.data ?? null;
    this.built = { expected: toAmount, least: part(toAmountMin, enforced) };
    const answer = this.#withFees(answerOf({ ...scenario, toAmount, toAmountMin }), toAmount);
    (answer["transactionRequest"] as Record<string, unknown>)["data"] = encodeCall(scenario.tree);
    return answer;
  }

  /** Returns the minimum amount of a quote. An honest one follows the requested slippage; that of Across is exact. */
  #minimum(of: {
    toAmount: bigint;
    tool: string;
    bps: number;
    own: number;
    request: TransferRequest;
  }): bigint {
    if (of.bps !== of.own) return part(of.toAmount, of.bps);
    if (of.tool === "across" && this.#trade.same) return of.toAmount;
    return (of.toAmount * (1_000_000_000n - of.request.slippage)) / 1_000_000_000n;
  }

  #request({ slippage, call }: { slippage: number; call: TransferRequest["call"] }): TransferRequest {
    const { from, to, amount } = this.#trade;
    return {
      fromChainId: from.chainId,
      toChainId: to.chainId,
      fromToken: from.address,
      toToken: to.address,
      amount,
      user: USER,
      slippage: BigInt(Math.round(slippage * 1e9)),
      call,
      bridges: null,
    };
  }

  #withFees(answer: Record<string, unknown>, toAmount: bigint): Record<string, unknown> {
    const { from, amount } = this.#trade;
    const token = { chainId: from.chainId, address: from.address, symbol: "TKN" };
    const declared = part(amount, this.#lie.declaredFee).toString();
    const estimate = answer["estimate"] as Record<string, unknown>;
    estimate["feeCosts"] = [{ name: "fee", token, amount: declared, included: true }];
    estimate["toAmountUSD"] = toAmount.toString();
    return answer;
  }

  #scenario(
    request: TransferRequest,
    tool: string,
    figures: { toAmount: bigint; toAmountMin: bigint },
  ): Scenario {
    const name = tool;
    if (request.fromChainId !== request.toChainId) return this.#bridge({ name, request, tool, ...figures });
    const swaps = this.#steps(request, request.toToken);
    const plan = { name, request, ...figures };
    if (request.call !== null) return execute(plan, swaps);
    const ends = [request.fromToken, request.toToken].map((token) => (token === NATIVE ? "Native" : "ERC20"));
    return swap(plan, { functionName: `swapTokensMultipleV3${ends.join("To")}`, swaps });
  }

  /** Returns the calls of a route: the fee, then the swap into `into` unless it is the paid token. */
  #steps(request: TransferRequest, into: Address): SwapTree[] {
    const { takenFee, strangeFeeContract } = this.#lie;
    const fee = part(request.amount, takenFee);
    const own = feeStep(request.fromToken, request.amount);
    if (typeof own.callData === "object")
      own.callData = { ...own.callData, distributions: [{ recipient: RELAYER, amount: fee }] };
    const strange = addressOf("strange fee contract");
    const first = strangeFeeContract ? { ...own, callTo: strange, approveTo: strange } : own;
    if (into === request.fromToken) return [first];
    const left = request.amount - fee;
    const step = dexStep({ sendingAssetId: request.fromToken, receivingAssetId: into, fromAmount: left });
    return [first, step];
  }

  #bridge(plan: Omit<Plan, "swaps" | "bridged">): Scenario {
    const { request, tool, toAmountMin, toAmount } = plan;
    const { same, from, to } = this.#trade;
    const unswapped = same || this.#lie.withoutSwap;
    const token = unswapped ? request.fromToken : tokens.usdc[1];
    const decimals = unswapped ? from.decimals : 6;
    const scale = decimals > to.decimals ? 10n ** BigInt(decimals - to.decimals) : 1n;
    const least = (toAmountMin * scale * 10_005n) / ALL_BPS + 20_000n;
    const swappedMin = this.#lie.hollow ? 1_000n : least;
    const min = unswapped ? request.amount - part(request.amount, this.#lie.takenFee) : swappedMin;
    const whole: Plan = {
      ...plan,
      swaps: this.#steps(request, token),
      bridged: { token, min },
      onTop: tool.startsWith("stargate") ? this.#lie.onTop : 0n,
    };
    if (tool === "stargateV2") {
      const to = request.call === null ? request.user : "0x1493e7B8d4DfADe0a178dAD9335470337A3a219A";
      return stargate(whole, { assetId: 1, dstEid: 30_110, minAmountLD: toAmountMin * scale, to });
    }
    if (tool === "celercircle") return celer(whole, { maxFee: 0n, minFinalityThreshold: 2_000 });
    if (tool === "polymerStandard") {
      const burned = min - 10_000n;
      const maxCCTPFee = burned > toAmountMin ? burned - toAmountMin : 0n;
      const polymerTokenFee = same && burned > toAmount ? min - toAmount : 10_000n;
      const rest = same ? toAmount - toAmountMin : maxCCTPFee;
      return polymer(whole, { polymerTokenFee, maxCCTPFee: rest, threshold: 2_000 });
    }
    const receivers = {
      to: request.call === null ? request.user : RECEIVER_ACROSS,
      ...(request.toToken === NATIVE ? { output: to.address } : {}),
    };
    return this.#timed(across(whole, receivers));
  }

  #timed(scenario: Scenario): Scenario {
    const { fillSeconds, exclusiveSeconds } = this.#lie;
    const { facet } = scenario.tree as BridgeTree;
    facet["fillDeadline"] = NOW + fillSeconds;
    facet["exclusivityParameter"] = exclusiveSeconds;
    if (exclusiveSeconds > 0) facet["exclusiveRelayer"] = word(RELAYER);
    return scenario;
  }
}
