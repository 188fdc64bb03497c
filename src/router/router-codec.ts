import {
  type Address,
  decodeErrorResult,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  isAddress,
  isHex,
  type Log,
  parseEventLogs,
  type RpcLog,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { sameAddress } from "../lib/address.ts";
import { once } from "../lib/once.ts";
import { depositRouterAbi } from "./deposit-router-artifact.ts";
import { depositRouterAddress } from "./router-address.ts";

/**
 * Sentinel for a patch's `token` (see `RouterPatch`): the patch then writes the executor's own address into the
 * calldata instead of a token balance. `SELF` in OrderTypes.sol.
 */
export const routerSelf: Address = "0x00000000000000000000000000000000000000ff";
/**
 * Sentinel for `tokenOut` in an order whose last step is a bridge: the output arrives on another chain, so the Router
 * cannot measure it. `BRIDGED` in OrderTypes.sol.
 */
export const routerBridgeOutput: Address = "0x00000000000000000000000000000000000000bb";

/**
 * One 32-byte word that the executor writes into a step's calldata: its balance of `token` (zero address: native) ×
 * `mul` / `div`, rounded down, or its own address for `routerSelf`. A `mul` or `div` of 0 means 1.
 */
export interface RouterPatch {
  /** Byte offset of the word in the calldata, selector included. */
  offset: bigint;
  token: Address;
  mul: bigint;
  div: bigint;
}

/**
 * One call of the Router's executor. Before it, the executor must hold `needAmount` of `needToken` (zero address:
 * native, besides the order's `nativeFee`), and approves its balance of `approveToken` (zero address: none) to
 * `spender`. A bridge, as the last step, must then take as much, and `needAmount` may not be 0. `value` is in wei; the
 * largest uint256 means all, and is refused in an order with a `nativeFee`.
 */
export interface RouterStep {
  target: Address;
  value: bigint;
  approveToken: Address;
  spender: Address;
  needToken: Address;
  needAmount: bigint;
  patches: readonly RouterPatch[];
  data: Hex;
}

/**
 * The parameters of a Router order: input, floors of the output, receiver and attribution. Amounts are in the smallest
 * unit of their token; the zero address stands for the native currency. See OrderTypes.sol.
 */
export interface RouterOrder {
  tokenIn: Address;
  /**
   * Exact input, or the largest uint256 for all that the payer holds and has allowed (of the native currency, all that
   * is sent less `nativeFee`).
   */
  amountIn: bigint;
  /** Minimum input that must reach the executor; the Router refuses zero. */
  minIn: bigint;
  /** Native currency in wei for bridge fees, in addition to the input. */
  nativeFee: bigint;
  tokenOut: Address;
  receiver: Address;
  /** Minimum output in total; the higher of the two floors counts. */
  minOut: bigint;
  /** Minimum output per unit of input that arrives, both in smallest units, times 10^27. */
  minOutPerIn: bigint;
  /** Last block timestamp at which the order may run, in seconds since the epoch. */
  deadline: bigint;
  /** True if what the last step pays the receiver is the output, not what the executor pays. Ignored for a bridge. */
  direct: boolean;
  refundTo: Address;
  /** Reference of the deposit or withdrawal: keccak256 of its tracking id. Only logged, like the partner fields. */
  ref: Hex;
  partnerId: Hex;
  partnerType: number;
}

/** The arguments of `DepositRouter.execute`. */
export interface RouterCall {
  order: RouterOrder;
  steps: readonly RouterStep[];
  /**
   * Further tokens, besides the input and the approved ones, whose remainder is sent to `refundTo`. `tokenOut` and the
   * native currency in it are ignored.
   */
  sweep: readonly Address[];
}

/**
 * Creates a Router step that only makes a call: it approves no token, requires no minimum balance, and does not change
 * the calldata.
 */
export function callOnlyStep(call: { target: Address; value: bigint; data: Hex }): RouterStep {
  return {
    ...call,
    approveToken: zeroAddress,
    spender: zeroAddress,
    needToken: zeroAddress,
    needAmount: 0n,
    patches: [],
  };
}

/**
 * Creates a Router step that lets a spender take the executor's whole balance of a token and writes that balance, times
 * `scale` (default 1), into the calldata at byte `offset`.
 */
export function spendingStep(call: {
  target: Address;
  spender: Address;
  token: Address;
  offset: bigint;
  scale?: bigint;
  data: Hex;
}): RouterStep {
  const { target, spender, token, offset, scale = 1n, data } = call;
  const patches = [{ offset, token, mul: scale, div: 1n }];
  return { ...callOnlyStep({ target, value: 0n, data }), approveToken: token, spender, patches };
}

/** Encodes the calldata of `DepositRouter.execute`. */
export function encodeRouterCall(call: RouterCall): Hex {
  return encodeFunctionData({
    abi: depositRouterAbi,
    functionName: "execute",
    args: [call.order, call.steps, call.sweep],
  });
}

/**
 * Decodes the calldata of `DepositRouter.execute`. Throws viem's decoding error if `data` is not calldata of the
 * Router, and an Error if it calls another of the Router's functions.
 */
export function decodeRouterCall(data: Hex): RouterCall {
  const { functionName, args } = decodeFunctionData({ abi: depositRouterAbi, data });
  if (functionName !== "execute") throw new Error(`the calldata is ${functionName}, not execute`);
  const [order, steps, sweep] = args;
  return { order, steps, sweep };
}

/** The Router's entry functions by selector. */
const entryFunctions = once(
  () =>
    new Map<string, EntryFunction>(
      depositRouterAbi.filter(isEntryFunction).map((item) => [toFunctionSelector(item), item]),
    ),
);

type RouterItem = (typeof depositRouterAbi)[number];
type EntryFunction = Extract<RouterItem, { type: "function"; name: `execute${string}` }>;

const isEntryFunction = (item: RouterItem): item is EntryFunction =>
  item.type === "function" && item.name.startsWith("execute");

/**
 * Converts calldata of any of the Router's entry functions to calldata of `execute`, so that signed and unsigned calls
 * of an order can be compared. Returns null for any other calldata.
 */
export function unsignedCalldata(data: Hex): Hex | null {
  // Most calldata is not the Router's, and decoding with the whole interface would hash every signature in it.
  const entry = entryFunctions().get(data.slice(0, 10).toLowerCase());
  if (entry === undefined) return null;
  try {
    const { args } = decodeFunctionData({ abi: [entry], data });
    const [order, steps, sweep] = args;
    return encodeRouterCall({ order, steps, sweep });
  } catch {
    return null;
  }
}

/** The Router's own errors, without `Error(string)` and `Panic(uint256)`, which any contract may revert with. */
const ownErrors = depositRouterAbi.filter((item) => item.type === "error");

/**
 * Decodes revert data that contains one of the Router's own errors. Returns null for any other data, including
 * `Error(string)` and `Panic(uint256)`, which any contract may revert with.
 */
export function decodeRouterError(data: Hex): { name: string; args: readonly unknown[] } | null {
  try {
    // viem adds `Error(string)` and `Panic(uint256)` to every ABI.
    const { errorName, args } = decodeErrorResult({ abi: ownErrors, data });
    if (!ownErrors.some((own) => own.name === errorName)) return null;
    return { name: errorName, args: args ?? [] };
  } catch {
    return null;
  }
}

/**
 * Returns the revert or return data of another contract that a Router error contains (`StepFailed`, `TokenFailed`,
 * `AuthorizationFailed`): its first 4,096 bytes, or `0x`. Null for any other data. No number in it can be trusted.
 */
export function foreignReason(data: Hex): Hex | null {
  const error = decodeRouterError(data);
  const reason = error === null ? null : WITH_REASON.has(error.name) ? error.args.at(-1) : null;
  return isHex(reason) ? reason : null;
}

/**
 * Returns the token whose own call or balance failed, if revert data is the Router's `TokenFailed`; the zero address
 * means a rejected native payment. Null for any other data.
 */
export function failedTokenOf(data: Hex): Address | null {
  const error = decodeRouterError(data);
  const [token] = error?.name === "TokenFailed" ? error.args : [];
  return typeof token === "string" && isAddress(token) ? token : null;
}

const WITH_REASON: ReadonlySet<string> = new Set(["StepFailed", "TokenFailed", "AuthorizationFailed"]);

/**
 * Returns the decoded `OrderExecuted` events that the Router emitted, in the order of `logs`. All other logs are
 * ignored.
 */
export function executedOrders(logs: readonly (Log | RpcLog)[]) {
  const own = logs.filter((log) => sameAddress(log.address, depositRouterAddress));
  return parseEventLogs({ abi: depositRouterAbi, eventName: "OrderExecuted", logs: own as Log[] });
}

/**
 * Returns the lists of topics, lowercase, with which `eth_getLogs` finds the Router's `OrderExecuted` events, of these
 * references if `refs` is given. `refs` must not be empty: nodes match any order for an empty list.
 */
export function executedOrderTopics(refs?: readonly Hex[]): string[][] {
  const [signature, ref] = encodeEventTopics({
    abi: depositRouterAbi,
    eventName: "OrderExecuted",
    ...(refs === undefined ? {} : { args: { ref: [...refs] } }),
  });
  const lists = [signature, ref].flatMap((topic) => (topic === undefined || topic === null ? [] : [topic]));
  return lists.map((topic) => (typeof topic === "string" ? [topic] : topic).map((one) => one.toLowerCase()));
}
