import {
  type Abi,
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  type Log,
  numberToHex,
  size,
  sliceHex,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import type { ChainDefinition } from "../../../src/chains/chain-definitions.ts";
import { erc4626Abi } from "../../../src/vaults/families/erc4626-base/erc4626-adapter.ts";
import { completeClient } from "../chains/complete-client.ts";
import { type Contracts, contractsClient, type FakeClient, head } from "../chains/multicall.ts";
import { testChain } from "../chains/rpc-node.ts";
import { USDC } from "./fixtures.ts";

const ONE = 10n ** 18n;
const COMMON = [...erc4626Abi(), ...erc20Abi.filter((item) => item.type === "function")] as const;
/** Results of the fixture vault's and token's view functions: a share is worth 1.25 USDC. */
const HONEST: Readonly<Record<string, unknown>> = {
  asset: USDC,
  convertToAssets: 1_250_000n,
  maxDeposit: 2n ** 256n - 1n,
  balanceOf: 10n ** 12n,
  allowance: 10n ** 12n,
  paused: false,
};

/** A simulated call, without the reads around it. */
export interface SentCall {
  from: Address;
  to: Address;
  data: Hex;
  value: Hex;
  /** Gas limit; absent for the node's default. */
  gas?: Hex;
}

/** Effects of the last call of a simulation. */
export interface SimulatedEffects {
  /** Increases of balances by `<token>:<account>` in lowercase. All other balances are unchanged. */
  rises?: Readonly<Record<string, bigint>>;
  /**
   * Shares of open redemption requests before and after the call, as ERC-7540's views return them; 0 if absent, and
   * null if the view answers nothing.
   */
  open?: { before: bigint | null; after: bigint | null };
  returned?: Hex;
  /** Part of what the calls approve that is spent; all of it if absent. */
  spends?: bigint;
  /** True if the reads around the call fail. */
  unread?: boolean;
  /** Token whose balances cannot be read. */
  hides?: Address;
  /** What each call costs its sender in gas, in wei; nothing if absent. */
  charges?: bigint;
  /** What contracts emit; without it, the node returns no logs. */
  logs?: readonly Log[];
  gasUsed?: bigint;
  /** Revert data, if the call reverts. */
  revert?: Hex;
}

export interface SimulatedChain {
  client: FakeClient;
  /** Calls of each simulation, in order. */
  sent: SentCall[][];
}

const SELECTORS: ReadonlySet<string> = new Set(COMMON.map((item) => toFunctionSelector(item)));
const selectorOf = (item: Abi[number]): string[] =>
  item.type === "function" ? [toFunctionSelector(item)] : [];
const BALANCE_OF = "0x70a08231";
const ALLOWANCE = toFunctionSelector("allowance(address,address)");
const APPROVE = toFunctionSelector("approve(address,uint256)");
const PENDING = toFunctionSelector("pendingRedeemRequest(uint256,address)");
const CLAIMABLE = toFunctionSelector("claimableRedeemRequest(uint256,address)");
/** Reads of a native balance name the account alone, without a function. */
const isNativeRead = ({ data }: SentCall): boolean => size(data) === 32;
const isRead = (call: SentCall): boolean =>
  isNativeRead(call) ||
  [BALANCE_OF, ALLOWANCE, PENDING, CLAIMABLE].some((selector) => call.data.startsWith(selector));
const BEFORE = 10n ** 30n;

/** Creates a chain client whose contracts return `answers`, and whose simulations have the given effects. */
export function simulatedChain(world: {
  effects?: (call: SentCall) => SimulatedEffects;
  /** Results of view functions by name. A function gets the contract's address and the first argument. */
  answers?: Readonly<Record<string, unknown>>;
  definition?: ChainDefinition;
  /** ABI of further functions in `answers`. */
  functions?: Abi;
}): SimulatedChain {
  const answers = { ...HONEST, ...world.answers };
  const own = world.functions ?? [];
  const abi = [...COMMON, ...own];
  const selectors = new Set([...SELECTORS, ...own.flatMap(selectorOf)]);
  const contracts: Contracts = ({ to, data }) => {
    if (!selectors.has(data.slice(0, 10))) return { ok: false, data: "0x" };
    const { functionName, args } = decodeFunctionData({ abi, data });
    const [amount] = args ?? [];
    const known = functionName === "previewDeposit" ? sharesFor(amount as bigint) : answers[functionName];
    const stated = answers[functionName] ?? known;
    const result = typeof stated === "function" ? stated(to, amount) : stated;
    if (result === undefined) return { ok: false, data: "0x" };
    return { ok: true, data: encodeFunctionResult({ abi, functionName, result } as never) };
  };
  const definition = world.definition ?? testChain;
  const block = { ...head, chainId: definition.chainId };
  const reading = contractsClient(contracts, { definition, block });
  const sent: SentCall[][] = [];
  const client = completeClient({
    ...reading,
    async request(method: string, params: readonly unknown[]) {
      if (method !== "eth_simulateV1") return reading.request(method, params);
      const [{ blockStateCalls }] = params as [{ blockStateCalls: [{ calls: SentCall[] }] }];
      const [{ calls }] = blockStateCalls;
      const own = calls.filter((call) => !isRead(call));
      sent.push(own);
      const last = own.at(-1);
      const effects = last === undefined ? {} : (world.effects?.(last) ?? {});
      const lastAt = last === undefined ? -1 : calls.lastIndexOf(last);
      return [
        {
          number: "0x10",
          timestamp: "0x10",
          calls: calls.map((call, at) => answerOf(call, { at, lastAt, effects, approved: approvedBy(own) })),
        },
      ];
    },
  });
  return { client, sent };
}

/** Returns the shares for an amount of assets: 0.8 shares (18 decimals) per USDC (6 decimals). */
export const sharesFor = (assets: bigint): bigint => (assets * ONE * 8n) / 10_000_000n;

export const balanceKey = (token: Address, account: Address): string =>
  `${token.toLowerCase()}:${account.toLowerCase()}`;

/** Returns what the last approval among these calls allows, or 0. */
function approvedBy(calls: readonly SentCall[]): bigint {
  const last = calls.findLast(({ data }) => data.startsWith(APPROVE));
  return last === undefined ? 0n : BigInt(`0x${last.data.slice(-64)}`);
}

function answerOf(
  call: SentCall,
  of: { at: number; lastAt: number; effects: SimulatedEffects; approved: bigint },
) {
  const { at, lastAt, effects, approved } = of;
  const answer = { status: "0x1", returnData: "0x" as Hex, gasUsed: "0x5208" as Hex };
  if (effects.unread === true && isRead(call)) return answer;
  if (isNativeRead(call)) {
    const paid = at < lastAt ? 0n : (effects.rises?.[balanceKey(zeroAddress, sliceHex(call.data, 12))] ?? 0n);
    const charged = BigInt(at) * (effects.charges ?? 0n);
    return { ...answer, returnData: numberToHex(BEFORE + paid - charged, { size: 32 }) };
  }
  if (call.data.startsWith(BALANCE_OF)) {
    if (call.to.toLowerCase() === effects.hides?.toLowerCase()) return answer;
    const account: Address = `0x${call.data.slice(-40)}`;
    const rise = at < lastAt ? 0n : (effects.rises?.[balanceKey(call.to, account)] ?? 0n);
    return { ...answer, returnData: numberToHex(BEFORE + rise, { size: 32 }) };
  }
  if (call.data.startsWith(ALLOWANCE)) {
    const spent = effects.spends ?? approved;
    const left = at < lastAt || spent > approved ? 0n : approved - spent;
    return { ...answer, returnData: numberToHex(left, { size: 32 }) };
  }
  if (isRead(call)) {
    const shares = call.data.startsWith(PENDING) ? effects.open?.[at < lastAt ? "before" : "after"] : 0n;
    if (shares === null) return answer;
    return { ...answer, returnData: numberToHex(shares ?? 0n, { size: 32 }) };
  }
  if (at !== lastAt) return answer;
  if (effects.revert !== undefined) return { ...answer, status: "0x0", returnData: effects.revert };
  const gasUsed = numberToHex(effects.gasUsed ?? 200_000n);
  const emitted = effects.logs?.map(({ address, topics, data }) => ({
    address,
    topics,
    data,
    logIndex: "0x0",
  }));
  const logs = emitted === undefined ? {} : { logs: emitted };
  return { ...answer, ...logs, gasUsed, returnData: effects.returned ?? "0x" };
}
