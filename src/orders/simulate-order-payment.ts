import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  type StateOverride,
  size,
} from "viem";
import * as z from "zod";
import type { ChainClient } from "../chains/chain-client.ts";
import { simulatedLogs } from "../chains/chain-transaction.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { SimulationCall, SimulationRead, SimulationResult } from "../chains/simulator/simulation.ts";
import type { SimulationSetting } from "../chains/simulator/simulation-setting.ts";
import {
  type BalanceLayout,
  balanceOverride,
  findBalanceLayout,
} from "../chains/simulator/token-balance-storage.ts";
import type { Context } from "../context.ts";
import { failure, failureFrom } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import { MAX_UINT256 } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { DAY_MS } from "../lib/durations.ts";
import { once } from "../lib/once.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import { paidTo } from "../vaults/vault-exits.ts";
import { explainTransferRevert } from "./order-router-transfer.ts";
import { encodeApprovals, type UserCall } from "./order-wallet-calls.ts";

/**
 * The payment that a call takes from its payer, with the payer's balance and the spender's allowance, all in the
 * token's smallest unit.
 */
export interface TokenPayment {
  client: ChainClient;
  payer: Address;
  /** The paid token. The zero address stands for the native currency. */
  token: Address;
  amount: bigint;
  /** Allowance that the call needs, if that is less than the amount; absent otherwise. */
  approved?: bigint;
  spender: Address;
  /** The payer's balance and the spender's allowance (unused for native currency), each null if unknown. */
  balance: bigint | null;
  allowance: bigint | null;
  /** The submitter's balance of the native currency, in wei; null or absent if it was not read. */
  nativeBalance?: bigint | null;
  /** Block of the reads before the payment; simulations take their time from it. */
  block: BlockTime;
  /** What the simulation shows to contracts that look for signs of one; null or absent for the nodes' defaults. */
  setting?: SimulationSetting | null;
}

/**
 * The result of simulating a call with its preceding approvals. If it fails, `revert` is the revert data (`0x` if there
 * are none) and `gasUsed` the gas of the call named by `failedCall`, where `deposit` means the call itself.
 */
export type SimulatedPayment =
  | {
      ok: true;
      simulation: SimulationResult;
      /** Gas used by the call, without its approvals. */
      gasUsed: bigint;
      /** The calls to sign, in order: the approvals that are still needed, then the call. */
      calls: UserCall[];
    }
  | { ok: false; revert: Hex; failedCall: "approval" | "deposit"; gasUsed: bigint };

/** A call to simulate, with a gas limit if it is not that of the setting or the node's default. */
type SimulatedUserCall = UserCall & Pick<SimulationCall, "gas">;

/**
 * Seconds added to the head block's timestamp in a simulation: about the time until the call is included in a block.
 */
export const INCLUSION_DELAY_S = 30;
/**
 * Native balance that a simulated payer receives for gas, in wei: 1,000 units of the currency, in addition to a native
 * payment, unless a setting states other `funds`.
 */
export const GAS_FUNDS = 10n ** 21n;

/**
 * Simulates a call and its approvals at the latest block. State overrides give the payer gas and, if needed, the
 * amount. A revert is returned, not thrown. Throws `simulation_unavailable`, `upstream_timeout`,
 * `upstream_unavailable`.
 */
export async function simulatePayment(
  ctx: Context,
  input: { payment: TokenPayment; call: SimulatedUserCall; reads: readonly SimulationRead[] },
): Promise<SimulatedPayment> {
  const { payment } = input;
  const overrides = await paymentOverrides(ctx, payment);
  const standing = payment.allowance ?? 0n;
  const partial = standing > 0n && standing < neededBy(payment);
  const attempt = (reset: boolean): Promise<SimulatedPayment> =>
    runWithApprovals({ ...input, overrides, before: approvalCalls(payment, { reset }) });
  const first = await attempt(partial);
  if (first.ok || first.failedCall === "deposit") return first;
  // A few tokens revert on an approval of zero, so a failed reset is tried again without it. Others revert on a change
  // of an allowance, which may have been granted after it was read, so a failed approval is tried again with a reset.
  const second = await attempt(!partial);
  return second.ok || partial ? second : first;
}

/**
 * Returns the number of the block on which a simulation ran, but at least that of `read`, the block at which the state
 * was read, because nodes number simulated blocks differently.
 */
export function simulatedHead(
  { blockNumber }: Pick<SimulationResult, "blockNumber">,
  read: BlockTime,
): number {
  return Math.max(Number(blockNumber ?? 0n), read.number);
}

const neededBy = ({ approved, amount }: TokenPayment): bigint => approved ?? amount;

function approvalCalls(payment: TokenPayment, { reset }: { reset: boolean }): UserCall[] {
  const { token, spender, allowance } = payment;
  const amount = neededBy(payment);
  if (isNative(token) || (allowance ?? 0n) >= amount) return [];
  return encodeApprovals({ token, spender, amount, reset });
}

async function runWithApprovals(plan: {
  payment: TokenPayment;
  call: SimulatedUserCall;
  reads: readonly SimulationRead[];
  before: UserCall[];
  overrides: StateOverride;
}): Promise<SimulatedPayment> {
  const { payment, overrides, reads } = plan;
  const calls = [...plan.before, plan.call];
  const standsAlone = calls.length === 1 && isFunded(payment);
  const time = payment.block.timestamp + INCLUSION_DELAY_S;
  const { payer: user, setting = null } = payment;
  const input = { user, calls, reads, overrides, time, standsAlone, setting };
  const simulation = await runSimulation(payment.client, input);
  const last = simulation.calls.at(-1);
  if (simulation.failedAt !== null || last === undefined) {
    const failedCall = simulation.failedAt === calls.length - 1 ? "deposit" : "approval";
    return { ok: false, revert: last?.returnData ?? "0x", failedCall, gasUsed: last?.gasUsed ?? 0n };
  }
  return { ok: true, simulation, gasUsed: last.gasUsed, calls };
}

const isFunded = ({ balance, amount }: TokenPayment): boolean => balance !== null && balance >= amount;

/**
 * Returns the state overrides that let an account make a payment: native currency for gas and a native payment, and,
 * unless the account is known to hold it, the token amount plus a setting's surplus. Throws `simulation_unavailable` if
 * the token's balances cannot be set; AppErrors of the chain client propagate.
 */
export async function paymentOverrides(ctx: Context, payment: TokenPayment): Promise<StateOverride> {
  const { payer, token, amount } = payment;
  const money = (isNative(token) ? amount : 0n) + (payment.setting?.funds ?? GAS_FUNDS);
  // Nodes reject a balance override above 2^256 - 1.
  const gas = { address: payer, balance: money < MAX_UINT256 ? money : MAX_UINT256 };
  if (isNative(token) || isFunded(payment)) return [gas];
  const layout = await balanceLayout(ctx, payment).catch((error: unknown) => {
    if (error instanceof RpcError || error instanceof UnknownLayoutError) return null;
    throw error;
  });
  if (layout === null) {
    throw failure(
      "simulation_unavailable",
      "the account does not hold the amount, and this token's balances cannot be set in a simulation",
    );
  }
  const surplus = (amount * (payment.setting?.surplus ?? 0n)) / 1_000n;
  return [gas, balanceOverride({ token, account: payer, amount: amount + surplus }, layout)];
}

const layoutSchema = once((): z.ZodType<BalanceLayout> => {
  const scale = z.object({ stored: z.bigint(), returned: z.bigint() }).optional();
  return z.union([
    z.object({ order: z.enum(["solidity", "vyper"]), base: z.bigint(), scale }),
    z.object({ order: z.literal("solady"), scale }),
  ]);
});

/** The layout of a token's balances was read and is none of the known ones. */
class UnknownLayoutError extends Error {}

/**
 * Returns true if simulations can set a token's balances (always for the native currency), false if their storage
 * layout was read and is unknown. Throws RpcError if a node could not read it; other errors of the chain client
 * propagate.
 */
export async function canSetBalances(
  ctx: Context,
  of: Pick<TokenPayment, "client" | "token">,
): Promise<boolean> {
  if (isNative(of.token)) return true;
  try {
    await balanceLayout(ctx, of);
    return true;
  } catch (error) {
    if (error instanceof UnknownLayoutError) return false;
    throw error;
  }
}

/**
 * Finds the storage layout of a token's balances, cached for a day. Throws UnknownLayoutError if the layout was read
 * and is unknown; errors of the chain client propagate, RpcErrors of the nodes among them.
 */
async function balanceLayout(
  ctx: Context,
  { client, token }: Pick<TokenPayment, "client" | "token">,
): Promise<BalanceLayout> {
  const { value } = await ctx.cache.cached({
    key: `layout:${client.definition.chainId}:${token.toLowerCase()}`,
    schema: layoutSchema(),
    freshMs: DAY_MS,
    staleMs: DAY_MS,
    keepMs: DAY_MS,
    // A failed read is not cached, because a node may be at fault, nor an unknown layout, because tokens are upgraded.
    load: async () => {
      const layout = await findBalanceLayout(client, token);
      if (layout === null) throw new UnknownLayoutError("no known balance layout");
      return layout;
    },
  });
  return value;
}

/** The successful simulation of a provider's transaction. */
export interface SimulatedProviderTransaction {
  source: Extract<SimulatedPayment, { ok: true }>;
  /**
   * Increase of the watched token balance, in the token's smallest unit. Null if no balance was watched or the node
   * could not read it.
   */
  gained: bigint | null;
}

/**
 * Simulates a provider's transaction and its approvals as sent by the payer. Throws the error of `explainTransferRevert`
 * if it reverts, `upstream_rejected` if it takes more of the token than the order allows or less than is newly approved,
 * and errors of `simulatePayment`.
 */
export async function simulateProviderTransaction(
  ctx: Context,
  input: { payment: TokenPayment; route: VerifiedTransfer; watch: SimulationRead | null },
): Promise<SimulatedProviderTransaction> {
  const { payment, route, watch } = input;
  const { to, value, data } = route.transaction;
  const native = isNativePayment(payment);
  const own = native ? [] : [balanceOfRead(payment.token, payment.payer)];
  const reads = [...own, ...(watch === null ? [] : [watch]), ...(native ? [] : [allowanceRead(payment)])];
  const made = await simulatePayment(ctx, { payment, call: { target: to, value, data }, reads });
  if (!made.ok) throw explainTransferRevert(route, made.revert);
  const spent = own.length === 0 ? null : increaseOf(made.simulation, 0);
  if (spent !== null && -spent > payment.amount) {
    throw failureFrom(
      "upstream_rejected",
      "the provider's transaction takes more of the token than the order allows",
      new Error(`${-spent} of ${payment.amount}`),
    );
  }
  const left = native || made.calls.length === 1 ? null : lastAmountIn(made.simulation);
  if (left !== null && left > 0n) {
    throw failureFrom(
      "upstream_rejected",
      "the provider's transaction takes less of the token than the user approves",
      new Error(`${left} of ${payment.amount} would stay approved`),
    );
  }
  const gained = watch === null ? null : increaseOf(made.simulation, own.length);
  return { source: made, gained };
}

/**
 * Returns the read of an account's token balance for a simulation, or null for the native currency, which has no
 * `balanceOf`.
 */
export function watchedBalance(token: `0x${string}`, account: `0x${string}`): SimulationRead | null {
  return isNative(token) ? null : balanceOfRead(token, account);
}

/**
 * Returns by how much a value rose in a simulation (negative if it fell): the difference of what read number `index`
 * returned after and before the calls. Null if either read failed.
 */
export function increaseOf(simulation: SimulationResult, index: number): bigint | null {
  const [before, after] = [simulation.before[index], simulation.after[index]];
  if (typeof before !== "string" || typeof after !== "string") return null;
  return hexToBigInt(after) - hexToBigInt(before);
}

/** Number of smallest units by which a rebasing token's `Transfer` events may be below the balance that arrives. */
export const TRANSFER_ROUNDING = 2n;

/**
 * Returns how much of an ERC-20 token an account received in a simulation, whose read number `read` is the account's
 * balance: the rise of the balance, or the sum of the first call's `Transfer` events if that is lower by more than two
 * units, because a token may report balances falsely. Null if a read failed. Throws a ZodError if the node's logs are
 * malformed.
 */
export function receivedTokens(
  simulation: SimulationResult,
  { read, ...of }: { token: Address; receiver: Address; read: number },
): bigint | null {
  const rise = increaseOf(simulation, read);
  const logs = simulation.calls[0]?.logs ?? null;
  if (rise === null || logs === null) return rise;
  const shown = paidTo(simulatedLogs(logs), of).reduce((sum, amount) => sum + amount, 0n);
  return shown + TRANSFER_ROUNDING < rise ? shown : rise;
}

/** Returns the read of a payer's allowance for the spender of a payment, which is not in the native currency. */
export function allowanceRead({
  token,
  payer,
  spender,
}: Pick<TokenPayment, "token" | "payer" | "spender">): SimulationRead {
  const args = [payer, spender] as const;
  return {
    target: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args }),
  };
}

/** Returns the amount that the last read of a simulation returned after the calls, or null if it could not be read. */
export function lastAmountIn({ after }: Pick<SimulationResult, "after">): bigint | null {
  const answer = after.at(-1);
  return typeof answer === "string" && size(answer) === 32 ? hexToBigInt(answer) : null;
}

/** Returns the read of an account's token balance, to be made before and after a simulation. */
export function balanceOfRead(token: Address, account: Address): SimulationRead {
  return {
    target: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] }),
  };
}

/** Returns true if a payment is made in the chain's native currency. */
export const isNativePayment = ({ token }: Pick<TokenPayment, "token">): boolean => isNative(token);
