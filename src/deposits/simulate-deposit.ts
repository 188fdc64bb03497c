import type { Hex } from "viem";
import type { Context } from "../context.ts";
import type { ExpectedEffect } from "../orders/order-expected-effect.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { simulatePayment } from "../orders/simulate-order-payment.ts";
import { approvedSpender, type DepositIntent } from "./deposit-intent.ts";
import type { Preflight } from "./deposit-preflight.ts";

/**
 * The result of simulating a deposit with its preceding approvals. If it fails, `revert` is the revert data of the call
 * that `failedCall` names.
 */
export type SimulatedDeposit =
  | {
      ok: true;
      /** What `ExpectedEffect.interpret` returns: shares in the share token's smallest unit; null for a request. */
      shares: bigint | null;
      /** Gas used by the deposit, without its approvals. */
      gasUsed: bigint;
      /** Block on which the simulation ran, or null if the node does not report it. */
      blockNumber: bigint | null;
      /** The calls to sign, in order: the approvals that are still needed, then the deposit. */
      calls: UserCall[];
    }
  | { ok: false; revert: Hex; failedCall: "approval" | "deposit" };

/**
 * Simulates a deposit and its approvals as sent by the user, like `simulatePayment`. A revert is returned, not thrown.
 * Errors of `simulatePayment` and of `effect` propagate.
 */
export async function simulateDeposit(
  ctx: Context,
  input: { intent: DepositIntent; checked: Preflight; deposit: UserCall; effect: ExpectedEffect },
): Promise<SimulatedDeposit> {
  const { intent, checked, deposit, effect } = input;
  const payment = {
    client: intent.client,
    payer: intent.user,
    token: intent.token.address,
    amount: intent.amount,
    spender: approvedSpender(intent),
    balance: checked.balance,
    allowance: checked.allowance,
    block: checked.block,
  };
  const made = await simulatePayment(ctx, { payment, call: deposit, reads: effect.reads });
  if (!made.ok) return made;
  const { simulation, gasUsed, calls } = made;
  return {
    ok: true,
    shares: effect.interpret(simulation),
    gasUsed,
    blockNumber: simulation.blockNumber,
    calls,
  };
}
