import {
  decodeFunctionData,
  erc20Abi,
  getAbiItem,
  type Hex,
  isAddressEqual,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import type { RoutedDeposit } from "../../../src/deposits/prepared-deposit.ts";
import { sameAddress } from "../../../src/lib/address.ts";
import { decodeKyberSwap } from "../../../src/providers/kyber/kyber-calldata.ts";
import {
  AUGUSTUS_DUST,
  decodeAugustusSwap,
  partnerFeeBps,
} from "../../../src/providers/velora/velora-calldata.ts";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { decodeRouterCall } from "../../../src/router/router-codec.ts";
import { outcomeOf } from "../lifi/outcome.ts";
import { USER } from "../lifi/parts.ts";
import { HELD } from "../withdrawals/fixtures.ts";
import type { BuiltExit } from "./exit-world.ts";
import type { Lie } from "./lies.ts";
import { FEED_ERROR_BPS, fairOutput, NATIVE_USD, type Trade } from "./trades.ts";

const spokePool = parseAbi([
  "function deposit(bytes32 depositor, bytes32 recipient, bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message)",
]);
const SCALE = 10n ** 27n;
/**
 * Value of one share (18 decimals) in the asset's smallest unit (6 decimals): 1.25 assets. Source: simulated-chain.ts.
 */
const [SHARE_ASSETS, SHARE_UNIT] = [1_250_000n, 10n ** 18n];
/** Tolerance for rounding, in smallest units: one per contract. */
const ROUNDING = 3n;

/** Amounts that a transaction guarantees to the user on-chain, in the smallest unit of the requested token. */
interface Guarantee {
  /** Minimum that the bridge or swap delivers. */
  delivered: bigint;
  /** Minimum value of the minted shares, or null if the user makes the deposit. */
  deposited: bigint | null;
}

function guaranteeOf({ route, end }: RoutedDeposit): Guarantee {
  const order = end.kind === "one_step" ? routerOrderIn(route.transaction.data) : null;
  const deposited = order === null ? null : sharesValue(order);
  return { delivered: deliveryOf(route, order?.minIn ?? null), deposited };
}

/**
 * Returns the minimum delivery that a provider's calldata enforces, in the smallest unit of the requested token.
 * `minIn` is the minimum input of a destination call, or null without a call.
 */
function deliveryOf(
  { provider, transaction }: Pick<RoutedDeposit["route"], "provider" | "transaction">,
  minIn: bigint | null,
): bigint {
  const { to, data, value } = transaction;
  if (provider === "across") return decodeFunctionData({ abi: spokePool, data }).args[5];
  if (provider === "kyber") {
    if (sameAddress(to, depositRouterAddress)) return decodeRouterCall(data).order.minOut;
    const swap = decodeKyberSwap(data);
    if (swap === null) throw new Error("a swap that nobody can read");
    return swap.desc.minReturnAmount;
  }
  if (provider === "velora") {
    const swap = decodeAugustusSwap(data);
    if (swap === null) throw new Error("a swap that nobody can read");
    const kept = (swap.toAmount * partnerFeeBps(swap)) / 10_000n + AUGUSTUS_DUST;
    return swap.toAmount - kept;
  }
  return outcomeOf({ to, chainId: 0, value, data }, minIn).least;
}

interface RouterFloors {
  minIn: bigint;
  minOut: bigint;
  minOutPerIn: bigint;
}

function sharesValue({ minIn, minOut, minOutPerIn }: RouterFloors): bigint {
  const byUnit = (minIn * minOutPerIn + SCALE - 1n) / SCALE;
  const shares = byUnit > minOut ? byUnit : minOut;
  return (shares * SHARE_ASSETS) / SHARE_UNIT;
}

const ROUTER_SELECTOR = toFunctionSelector(getAbiItem({ abi: depositRouterAbi, name: "execute" })).slice(2);

/** Finds the Router call in a provider's calldata by its selector, and decodes it. */
function routerOrderIn(data: Hex): RouterFloors {
  for (let at = 2; at < data.length; at += 2) {
    const found = data.startsWith(ROUTER_SELECTOR, at) ? decodeAt(data, at) : null;
    if (found !== null) return found;
  }
  throw new Error("no Router call in the transaction");
}

function decodeAt(data: Hex, at: number): RouterFloors | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: depositRouterAbi, data: `0x${data.slice(at)}` });
    return functionName === "execute" ? args[0] : null;
  } catch {
    return null;
  }
}

/**
 * Returns the fee that a provider may charge, in basis points. Across: unlimited, because its fee is the whole
 * difference; KyberSwap and Velora: zero.
 */
function declaredFeeBps(provider: string, lie: Pick<Lie, "declaredFee"> | null): bigint {
  if (provider === "lifi") return BigInt(lie?.declaredFee ?? 0);
  return provider === "across" ? 10_000n : 0n;
}

/** Returns the minimum output after all allowed losses at the true prices, in the requested token's smallest unit. */
function leastAllowed(
  trade: Trade,
  lie: Pick<Lie, "declaredFee" | "onTop"> | null,
  route: Pick<RoutedDeposit["route"], "provider" | "nativeFee">,
): bigint {
  const onTop =
    (route.nativeFee * NATIVE_USD * 10n ** BigInt(trade.to.decimals)) / (trade.to.usd * 10n ** 18n);
  const fair = fairOutput(trade) + onTop;
  const dollars = (3n * 10n ** 18n * 10n ** BigInt(trade.to.decimals)) / trade.to.usd;
  const declaredBps = declaredFeeBps(route.provider, lie);
  const declared = (fair * declaredBps) / 10_000n + onTop;
  const most = (fair * 50n) / 10_000n + dollars;
  const fee = declared < most ? declared : most;
  const slippage = BigInt(Math.round(trade.slippage * 1e9)) + 3_000_000n;
  return fair - (fair * slippage) / 1_000_000_000n - fee;
}

/**
 * Returns a description of what is unfair about an accepted deposit, or null: it must guarantee the minimum after all
 * allowed losses.
 */
export function findUnfairness(trade: Trade, lie: Lie | null, built: RoutedDeposit): string | null {
  const least = leastAllowed(trade, lie, built.route);
  const { delivered, deposited } = guaranteeOf(built);
  if (delivered + ROUNDING < least) return `guarantees ${delivered} of ${least}`;
  if (deposited !== null && deposited + ROUNDING < least) return `mints for ${deposited} of ${least}`;
  const { ranking, route } = built;
  return falseFigure(
    trade,
    [...ranking.quotes, route].map(({ toAmount }) => toAmount),
  );
}

/**
 * Returns a description of what is unfair about an accepted withdrawal, or null: the minimum must be guaranteed, by the
 * provider's contract or by the Router, to the user, and no allowance may be left.
 */
export function findExitUnfairness(trade: Trade, lie: Lie | null, built: BuiltExit): string | null {
  const { provider, target, data, value, floor } = built;
  const native = trade.from.address === zeroAddress;
  const least = leastAllowed(trade, lie, { provider, nativeFee: native ? value - trade.amount : value });
  const enforced = deliveryOf({ provider, transaction: { to: target, data, value } }, null);
  const delivered = floor !== null && floor > enforced ? floor : enforced;
  if (delivered + ROUNDING < least) return `guarantees ${delivered} of ${least}`;
  return falseFigure(trade, [built.shown]) ?? findLeak(trade, built);
}

/** Returns a description of an account besides the user that gets something of an accepted withdrawal, or null. */
function findLeak({ amount }: Trade, { provider, target, data, value, calls }: BuiltExit): string | null {
  for (const call of calls.slice(0, -1)) {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: call.data as Hex });
    if (functionName !== "approve") return `calls ${functionName}`;
    const [spender, allowed] = args;
    const own = isAddressEqual(spender, depositRouterAddress) && allowed === HELD;
    if (!own && !(isAddressEqual(spender, target) && [0n, amount].includes(allowed)))
      return `allows ${spender} ${allowed}`;
  }
  const paid = receiversIn({ provider, target, data, value }).filter((one) => !sameAddress(one, USER));
  return paid.length === 0 ? null : `pays ${paid.join()}`;
}

/** Returns the accounts that a provider's calldata pays or refunds. */
function receiversIn(sent: Pick<BuiltExit, "provider" | "target" | "data" | "value">): string[] {
  const { provider, target, data, value } = sent;
  if (provider === "kyber" && sameAddress(target, depositRouterAddress)) {
    const { order } = decodeRouterCall(data);
    return [order.receiver, order.refundTo];
  }
  if (provider === "kyber") return [decodeKyberSwap(data)?.desc.dstReceiver ?? "nobody"];
  if (provider === "velora") return [decodeAugustusSwap(data)?.beneficiary ?? "nobody"];
  if (provider === "across") {
    const { args } = decodeFunctionData({ abi: spokePool, data });
    return [args[0], args[1]].map((word) => `0x${word.slice(-40)}`);
  }
  const { receiver, refundTo } = outcomeOf({ to: target, chainId: 0, value, data }, null);
  return [receiver, refundTo].filter((one) => one !== "").map((word) => `0x${word.slice(-40)}`);
}

/**
 * Returns a description of a misleading expected amount in the response, or null. Each must equal the fair amount, within
 * the allowed losses and the price feeds' errors.
 */
function falseFigure(trade: Trade, shown: readonly bigint[]): string | null {
  const fair = fairOutput(trade);
  const noise = BigInt(2 * FEED_ERROR_BPS);
  const most = fair + (fair * (300n + noise)) / 10_000n + 1n;
  const dollars = (3n * 10n ** 18n * 10n ** BigInt(trade.to.decimals)) / trade.to.usd;
  const band = trade.same ? 100n : 300n + noise + 50n;
  const least = fair - (fair * band) / 10_000n - dollars - 1n;
  const wrong = shown.find((figure) => figure > most || figure < least);
  return wrong === undefined ? null : `shows ${wrong}, fair is ${fair}`;
}
