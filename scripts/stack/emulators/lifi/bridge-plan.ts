import { isAddressEqual, zeroAddress } from "viem";
import { type BridgeToken, isNative, tokenAt, tokenOfAsset } from "../../bridge/bridge-chains.ts";
import { limitsOf, PCT, type RelayFees, relayFees } from "../../bridge/fees.ts";
import type { PoolPlan } from "../../chains/messaging.ts";
import { NoQuote } from "./errors.ts";
import type { QuoteRequest } from "./quote-request.ts";

/** Bridge keys of `GET /tools`, in the order of preference of `/quote`. */
export const bridgeTools = [
  "across",
  "stargateV2",
  "stargateV2Bus",
  "celercircle",
  "celercirclefast",
  "polymerStandard",
  "polymer",
] as const;
/** Key of a bridge. */
export type BridgeTool = (typeof bridgeTools)[number];

const PPM = 1_000_000n;
/** Fees of Stargate's pools, of Celer's proxy and Circle's largest fee for fast transfers, in parts per million. */
const STARGATE_PPM = 600n;
const CELER_PPM = 500n;
const FAST_PPM = 130n;
/** Polymer's fixed fee in USDC's smallest unit; cheaper than Celer above 200 USDC. */
const POLYMER_FEE = 100_000n;
/** Wei per LayerZero message, as the stand-in for a pool charges. */
export const MESSAGE_FEE = 20_000_000_000_000n;

/** A bridge's part of a route. Amounts in smallest units. */
export interface BridgePlan {
  tool: BridgeTool;
  input: BridgeToken;
  output: BridgeToken;
  /** Bridged amount, expected and minimum; they differ after a swap. */
  sent: bigint;
  sentLeast: bigint;
  expected: bigint;
  least: bigint;
  /** Across: minimum output per bridged unit, in parts of 10^18. */
  multiplier: bigint;
  /** Fees that the bridge deducts. */
  fees: RelayFees;
  /** CCTP: the largest fee for fast transfers, and Polymer's fee, which is deducted first. */
  maxFee: bigint;
  polymerFee: bigint;
  /** Stargate: id of the asset. */
  assetId: number;
  /** Wei to pay on top of the amount. */
  messageFee: bigint;
}

/**
 * Returns the token that a bridge takes on the source chain. Throws {@link NoQuote} if the bridge cannot deliver the
 * requested token or make its calls.
 */
export function sourceBridgeToken(request: QuoteRequest, tool: BridgeTool): BridgeToken {
  const { from, fromChain, to, toChain, calls } = request;
  if (tool === "across") {
    const output = isNative(to) ? tokenOfAsset(toChain, to.asset) : to;
    // The pool unwraps for an account without code; calls are made with ERC-20 tokens only.
    const unwraps = calls.length === 0 && output.address === toChain.wrappedNative;
    if (unwraps !== isNative(to)) throw new NoQuote(tool, "NO_POSSIBLE_ROUTE");
    return from.asset === to.asset ? from : tokenOfAsset(fromChain, to.asset);
  }
  const mayCall = tool === "stargateV2" && !isNative(to);
  const { usdc } = toChain.contracts.circle;
  const minted = !tool.startsWith("stargate") && isAddressEqual(usdc, to.address);
  const pooled = tool.startsWith("stargate") && poolIn(request, "to") !== null;
  if ((calls.length > 0 && !mayCall) || (!minted && !pooled)) throw new NoQuote(tool, "NO_POSSIBLE_ROUTE");
  const address = minted ? fromChain.contracts.circle.usdc : (poolIn(request, "from")?.token ?? zeroAddress);
  const token = tokenAt(fromChain, address);
  if (token === null) throw new NoQuote(tool, "NO_POSSIBLE_ROUTE");
  return token;
}

function poolIn({ toChain, fromChain, to }: QuoteRequest, end: "from" | "to"): PoolPlan | null {
  const there = toChain.contracts.stargate.pools.find(({ token }) => isAddressEqual(token, to.address));
  if (end === "to" || there === undefined) return there ?? null;
  return fromChain.contracts.stargate.pools.find(({ assetId }) => assetId === there.assetId) ?? null;
}

/** Plans the bridging of an amount. Throws {@link NoQuote} if it is beyond the limits. */
export function planBridge(
  request: QuoteRequest,
  moved: { tool: BridgeTool; input: BridgeToken; sent: bigint; sentLeast: bigint },
): BridgePlan {
  const { tool, sent, sentLeast } = moved;
  const { asset } = request.to;
  const { minDeposit, maxDeposit } = limitsOf(asset);
  if (sentLeast < minDeposit) throw new NoQuote(tool, "AMOUNT_TOO_LOW");
  if (sent > maxDeposit) throw new NoQuote(tool, "AMOUNT_TOO_HIGH");
  const terms = { assetId: 0, messageFee: 0n, maxFee: 0n, polymerFee: 0n, multiplier: 0n };
  if (tool === "across") return { ...moved, ...terms, ...byAcross(request, moved) };
  if (tool.startsWith("polymer")) return { ...moved, ...terms, ...byPolymer(request, moved) };
  const delivered = tool.startsWith("stargate")
    ? byStargate(poolIn(request, "from")?.decimals ?? 6)
    : byCeler;
  const [expected, arrives] = [delivered(sent), delivered(sentLeast)];
  const maxFee = tool === "celercirclefast" ? (arrives * FAST_PPM) / PPM : 0n;
  const least = arrives - maxFee;
  const own = tool.startsWith("stargate")
    ? { assetId: poolIn(request, "to")?.assetId ?? 0, messageFee: MESSAGE_FEE }
    : { maxFee };
  const fees = { ...relayFees(asset, sentLeast), capital: sentLeast - least, gas: 0n };
  return { ...moved, ...terms, ...own, output: request.to, expected, least, fees };
}

function byAcross(request: QuoteRequest, { sent, sentLeast }: { sent: bigint; sentLeast: bigint }) {
  const { to, toChain } = request;
  const output = isNative(to) ? tokenOfAsset(toChain, to.asset) : to;
  const fees = relayFees(to.asset, sentLeast);
  const least = fees.outputAmount;
  // Rounded to nearest, as in captured quotes: about every second transfer arrives one unit short.
  const multiplier = (least * PCT + sentLeast / 2n) / sentLeast;
  const expected = sent === sentLeast ? least : (sent * multiplier) / PCT;
  return { output, fees, least, multiplier, expected };
}

/** The quoted output deducts half of the largest fee, which is the fee that the stand-in charges. */
function byPolymer(
  request: QuoteRequest,
  { tool, sent, sentLeast }: { tool: BridgeTool; sent: bigint; sentLeast: bigint },
) {
  if (sentLeast <= POLYMER_FEE) throw new NoQuote(tool, "AMOUNT_TOO_LOW");
  const polymerFee = POLYMER_FEE;
  const maxFee = tool === "polymer" ? ((sentLeast - polymerFee) * FAST_PPM) / PPM : 0n;
  const [expected, least] = [sent, sentLeast].map((amount) => amount - polymerFee - maxFee / 2n) as [
    bigint,
    bigint,
  ];
  const fees = { ...relayFees(request.to.asset, sentLeast), capital: sentLeast - least, gas: 0n };
  return { output: request.to, polymerFee, maxFee, expected, least, fees };
}

/** Returns the amount that a pool credits; LayerZero transfers have six decimals. */
const byStargate =
  (decimals: number) =>
  (amount: bigint): bigint => {
    const step = 10n ** BigInt(decimals - 6);
    const taken = amount - (amount % step);
    const credited = taken - (taken * STARGATE_PPM) / PPM;
    return credited - (credited % step);
  };

const byCeler = (amount: bigint): bigint => amount - (amount * CELER_PPM) / PPM;
