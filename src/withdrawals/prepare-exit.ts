import { type Hex, hexToBigInt, type Log, size } from "viem";
import { simulatedLogs } from "../chains/chain-transaction.ts";
import type { SimulationResult } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import { larger, MAX_UINT256 } from "../lib/amount.ts";
import { exactFloor, orderDeadline } from "../orders/order-floors.ts";
import { allowedLoss } from "../orders/order-slippage.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import {
  balanceOfRead,
  increaseOf,
  simulatedHead,
  type TokenPayment,
  TRANSFER_ROUNDING,
} from "../orders/simulate-order-payment.ts";
import { type ExitRequestSeen, paidTo } from "../vaults/vault-exits.ts";
import { type Exit, encodeExit, enforcesMinimum, unwraps } from "./exit-calldata.ts";
import { type ExitFacts, type ExitWay, judgePaidRate } from "./exit-preflight.ts";
import { openRequestReads, requireOpenKept } from "./requests/keep-open-requests.ts";
import {
  type SimulatedExitCall,
  simulateWithdrawalPayment,
  simulationWarnings,
} from "./simulate-withdrawal-payment.ts";
import { type ExpectedWithdrawal, verifyWithdrawal } from "./verify-withdrawal.ts";
import { verifyApprovals } from "./verify-withdrawal-approvals.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";
import {
  explainFailedExit,
  findExcessiveFee,
  findExitRefusal,
  hidesShares,
  largestFee,
  paysLess,
  promisedLoss,
  requireRecorded,
  sharesHidden,
  toExitRefusal,
} from "./withdrawal-refusals.ts";

/** Results of simulating a withdrawal's first transaction. */
export interface SimulatedExit {
  /** The calls to sign, in order: the approvals that are still needed, then the redemption. */
  calls: UserCall[];
  /**
   * Allowance that the redemption needs, in the share token's smallest unit: the shares, or the part of them (possibly
   * zero) that the vault takes by allowance. Meaningless if the path has no spender.
   */
  approved: bigint;
  /** Gas used by the redemption, without its approvals. */
  gasUsed: bigint;
  /** Number of the block on which the simulation ran (see `simulatedHead`). */
  blockNumber: number;
  /**
   * Amount that the user received, in the received token's smallest unit. Null for a request or cooldown, for a bridge,
   * or if it could not be read.
   */
  received: bigint | null;
}

/**
 * A redemption, a request or the start of a cooldown that was encoded, verified and simulated. The minimum in `call`
 * may have been raised after the simulation, to what that paid less the allowed loss.
 */
export interface PreparedExit {
  exit: Exit;
  facts: ExitFacts;
  /** The call that the user's wallet sends after the approvals. */
  call: UserCall;
  /** Expected payment of the vault, in the smallest unit of the paid token, or null if unknown. */
  assets: bigint | null;
  /** Minimum payment that a contract enforces, in the smallest unit of the paid token, or null if none does. */
  minAssets: bigint | null;
  simulated: SimulatedExit;
}

/** A redemption path to try for an order, with the on-chain state from which it is encoded. */
export interface ExitAttempt {
  order: WithdrawalOrder;
  facts: ExitFacts;
  way: ExitWay;
}

/**
 * Checks, encodes, verifies and simulates a redemption or a request. Throws an AppError if it is refused or cannot be
 * checked, and `FailedExit` if the simulation reverts. Errors of the RPC nodes propagate.
 */
export async function prepareExit(ctx: Context, attempt: ExitAttempt): Promise<PreparedExit> {
  const { order, facts, way } = attempt;
  const { shares } = facts;
  const refusal = findExitRefusal({ order, way, shares, facts }) ?? findExcessiveFee(attempt);
  if (refusal !== null) throw refusal;
  const promised = promisedNow(attempt);
  const minAssets = leastPayment(attempt, promised);
  const warnings = await judgePaidRate(ctx, attempt);
  const deadline = orderDeadline(facts.block.timestamp);
  const exit: Exit = { order, way, shares, minAssets, warnings, deadline };
  const call = encodeExit(exit);
  verifyWithdrawal(toExpectedWithdrawal(attempt, minAssets), call);
  const held = [balanceOfRead(order.vault.shareToken, order.user)];
  const made = await simulateWithdrawalPayment(ctx, {
    payment: sharePayment(attempt),
    ...{ call, enforced: enforcesMinimum(exit) },
    reads: [...held, ...receivedReads(exit), ...openRequestReads(exit)],
  });
  if (!made.ok) throw new FailedExit(explainFailedExit({ order, way, shares }, made.revert), made.revert);
  verifyApprovals(made.calls, {
    token: order.vault.shareToken,
    spender: way.spender,
    amount: made.approved,
  });
  const { vault } = order;
  const warned = { ...exit, warnings: [...warnings, ...simulationWarnings(made, { ...way, vault })] };
  if (way.mode !== "instant") return toRequested({ exit: warned, facts, call, made });
  return toPaid({ exit: warned, facts, call, made, promised });
}

/**
 * Returns what a built redemption must contain, against which its calldata is verified. `least` is the minimum output,
 * in the output token's smallest unit.
 */
export function toExpectedWithdrawal({ order, facts, way }: ExitAttempt, least: bigint): ExpectedWithdrawal {
  const { shares: held, block } = facts;
  return { order, mode: way.mode, held, readAt: block.timestamp, least, pays: way.pays };
}

/**
 * Error for a redemption or request whose simulation reverted with this data. `explained` is the error for the API.
 */
export class FailedExit extends Error {
  readonly explained: AppError;
  readonly revert: Hex;

  constructor(explained: AppError, revert: Hex) {
    super(explained.message);
    this.name = "FailedExit";
    this.explained = explained;
    this.revert = revert;
  }
}

/** Returns the vault's preview of what it pays in this transaction. Null for a request, and if unknown. */
function promisedNow({ way }: ExitAttempt): bigint | null {
  const { previewAssets, paidNow } = way.terms;
  return way.mode === "instant" ? (paidNow ?? previewAssets) : null;
}

/**
 * Returns the least payment that is accepted, in the paid token's smallest unit: the preview (`promised`) less the
 * allowed loss. Without a preview, the value of the shares less what an exit fee may take.
 */
function leastPayment(attempt: ExitAttempt, promised: bigint | null): bigint {
  const { mode, terms } = attempt.way;
  if (promised !== null) return exactFloor(promised, promisedLoss(attempt)).minOut;
  const worth = mode === "instant" ? (terms.grossAssets ?? 0n) : 0n;
  return exactFloor(worth, largestFee(attempt.order)).minOut;
}

/**
 * Returns the shares that a withdrawal's transaction takes, as a payment with what the user holds or claims first, and
 * the spender's allowance. A call that needs no allowance counts as fully approved.
 */
export function sharePayment({ order, facts, way }: ExitAttempt): TokenPayment {
  const { client, user, vault } = order;
  const { spender } = way;
  return {
    client,
    payer: user,
    token: vault.shareToken,
    amount: facts.shares,
    spender: spender ?? vault.entryPoint,
    allowance: spender === null ? MAX_UINT256 : (facts.allowances.get(spender.toLowerCase()) ?? null),
    balance: heldBy({ facts, way }),
    nativeBalance: facts.nativeBalance,
    block: facts.block,
  };
}

function heldBy({ facts, way }: Pick<ExitAttempt, "facts" | "way">): bigint | null {
  const { heldShares } = way.terms;
  if (heldShares === null || (way.via === "router" && facts.balance === null)) return facts.balance;
  return facts.balance === null || heldShares > facts.balance ? heldShares : facts.balance;
}

function receivedReads(exit: Exit) {
  const { address } = exit.way.token;
  return isNative(address) || unwraps(exit) ? [] : [balanceOfRead(address, exit.order.user)];
}

type Made = { exit: Exit; facts: ExitFacts; call: UserCall; made: SimulatedExitCall };

/**
 * Returns what the user received in a simulation, in the token's smallest unit: the change of the balance in read
 * `index`, or, if that is unknown and `routed`, the Router's measured output. Null if unknown.
 */
export function receivedIn(
  simulation: SimulationResult,
  of: { index: number; routed: boolean },
): bigint | null {
  const rise = increaseOf(simulation, of.index);
  if (rise !== null) return rise;
  const returned = simulation.calls.at(-1)?.returnData ?? "0x";
  return of.routed && size(returned) === 32 ? hexToBigInt(returned) : null;
}

/**
 * Throws `price_unsafe` if a simulation shows that the call takes more of the user's shares than requested, and
 * `simulation_unavailable` if it shows other things but not the user's shares (see `hidesShares`).
 */
function requireSharesLeft({ exit, made }: Made): void {
  const { order, shares } = exit;
  const left = increaseOf(made.simulation, 0);
  if (hidesShares(made.simulation)) throw sharesHidden(order);
  if (left === null || left >= -shares) return;
  throw failure("price_unsafe", `${order.vault.name} takes more shares than it redeems`, {
    subject: "vault",
  });
}

/**
 * Throws `price_unsafe` if a simulated redemption takes more shares than requested, or if the token's transfers to the
 * user are below the minimum: a token may report balances falsely.
 */
function requireHonest(of: Made): void {
  requireSharesLeft(of);
  const { exit, made } = of;
  const { order, way, shares, minAssets } = exit;
  const logs = made.simulation.calls.at(-1)?.logs ?? null;
  const { address: token } = way.token;
  if (logs === null || isNative(token) || unwraps(exit)) return;
  const paid = paidTo(simulatedLogs(logs), { token, receiver: order.user });
  if (paid.reduce((sum, amount) => sum + amount, TRANSFER_ROUNDING) < minAssets)
    throw paysLess({ order, way, shares });
}

/**
 * Throws `no_liquidity` if the simulation shows that the vault queues a part of an instant payment as a request, and
 * `price_unsafe` if it pays less than the minimum for another reason, or keeps too much of the shares' value.
 */
function requirePaid(
  { exit, made }: Made,
  { received, promised }: Record<"received" | "promised", bigint | null>,
): void {
  const { order, way, shares } = exit;
  const isWhole = received !== null && promised !== null && received + TRANSFER_ROUNDING >= promised;
  const isShort = received !== null && received < exit.minAssets;
  if (!isWhole && ((isShort && order.exits.redeemQueues) || findNewRequest({ exit, made }) !== null))
    throw toExitRefusal({ order, way, shares }, "no_liquidity");
  const refusal = isShort ? paysLess({ order, way, shares }) : findExcessiveFee(exit, received);
  if (refusal !== null) throw refusal;
}

function toPaid(of: Made & { promised: bigint | null }): PreparedExit {
  const { exit, facts, made, promised } = of;
  const { order, way } = exit;
  const received = receivedIn(made.simulation, { index: 1, routed: way.via === "router" });
  if (received === null && way.via === "router")
    throw failure("simulation_unavailable", "the vault's payment could not be read in the simulation");
  requirePaid(of, { received, promised });
  requireHonest(of);
  // What the simulation saw is what the transaction will do, so that it may lose no more than any other.
  const seen = exactFloor(received ?? promised ?? 0n, allowedLoss(order.slippage, false)).minOut;
  // A floor must not depend on a view alone.
  const least = larger(exit.minAssets, seen) ?? seen;
  const raised = seen > exit.minAssets ? { ...exit, minAssets: seen } : exit;
  const call = raised === exit ? of.call : encodeExit(raised);
  verifyWithdrawal(toExpectedWithdrawal({ order, facts, way }, least), call);
  const { paidNow, previewAssets } = way.terms;
  return {
    ...{ exit: raised, facts, call },
    assets: paidNow === null ? (received ?? promised) : previewAssets,
    minAssets: enforcesMinimum(raised) ? raised.minAssets : null,
    simulated: { ...simulatedOf(of, call), received },
  };
}

function simulatedOf({ facts, made }: Made, call: UserCall): Omit<SimulatedExit, "received"> {
  const { approved, gasUsed, simulation } = made;
  const blockNumber = simulatedHead(simulation, facts.block);
  return { calls: [...made.calls.slice(0, -1), call], approved, gasUsed, blockNumber };
}

/**
 * Completes a simulated request. Throws `upstream_rejected` if the vault recorded no request, `price_unsafe` if it took
 * more shares than requested, and errors of the checks that it calls.
 */
function toRequested(of: Made): PreparedExit {
  const { exit, facts, made, call } = of;
  requireSharesLeft(of);
  const first = 1 + receivedReads(exit).length;
  const paid = first > 1 ? (increaseOf(made.simulation, 1) ?? 0n) : 0n;
  requireOpenKept(exit, { simulation: made.simulation, first, paid });
  if (!isRequestNoted(of))
    throw failure(
      "upstream_rejected",
      `${exit.order.vault.name} takes the shares without recording the request`,
    );
  return {
    ...{ exit, facts, call, assets: exit.way.terms.previewAssets },
    minAssets: enforcesMinimum(exit) ? exit.minAssets : null,
    simulated: { ...simulatedOf({ exit, facts, made, call }, call), received: null },
  };
}

/**
 * Returns true if the simulation shows the request, or an immediate payment in its place. Without logs of requests, the
 * balance must fall by the shares, less those that the call claims before, or, where shares stay, by at most a fee.
 * Throws `simulation_unavailable` if it could not be read, and the error of `requireRecorded`.
 */
function isRequestNoted({ exit, facts, made }: Made): boolean {
  const { order, shares, way } = exit;
  const logs = made.simulation.calls.at(-1)?.logs ?? null;
  const rise = increaseOf(made.simulation, 0);
  const claimed = facts.balance === null ? 0n : (heldBy({ facts, way }) ?? 0n) - facts.balance;
  const left = rise === -shares || rise === claimed - shares;
  if (logs === null || order.exits.findRequest === undefined) {
    if (rise === null)
      throw failure("simulation_unavailable", "the request could not be read in the simulation");
    if (order.exits.keepsShares !== true) return left;
    requireRecorded(exit, { requestId: null, shares: shares + rise });
    return true;
  }
  const request = findNewRequest({ exit, made });
  if (request !== null) requireRecorded(exit, request);
  return request !== null || (left && isPaidAtOnce({ order, way }, simulatedLogs(logs)));
}

/** Finds the user's request in the logs of a simulation. Null if there is none, or the node returned no logs. */
function findNewRequest({ exit: { order }, made }: Pick<Made, "exit" | "made">): ExitRequestSeen | null {
  const { exits, vault, user } = order;
  const logs = made.simulation.calls.at(-1)?.logs ?? null;
  return logs === null ? null : (exits.findRequest?.(vault, { user, logs: simulatedLogs(logs) }) ?? null);
}

/**
 * Returns true if the logs of a request show that the user received at least the vault's previewed payment less the
 * slippage (at most 0.5%), so nothing remains to be settled. False if the preview is unknown.
 */
export function isPaidAtOnce(
  { order, way }: Pick<ExitAttempt, "order" | "way">,
  logs: readonly Log[],
): boolean {
  const { previewAssets } = way.terms;
  if (previewAssets === null) return false;
  const paid = paidTo(logs, { token: way.token.address, receiver: order.user });
  const least = exactFloor(previewAssets, allowedLoss(order.slippage, false)).minOut;
  return paid.reduce((sum, amount) => sum + amount, 0n) >= least;
}
