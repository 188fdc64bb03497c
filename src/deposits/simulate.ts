import type { Hex } from "viem";
import type { Context } from "../context.ts";
import type { CheckedDeposit } from "./check.ts";
import type { Effect } from "./effect.ts";
import type { UserCall } from "./encode.ts";
import { approvedSpender, type Intent } from "./intent.ts";
import { simulatePayment } from "./simulate-payment.ts";

/** What a deposit did when it was simulated from the user's address, after its approvals. */
export type SimulatedDeposit =
  | {
      ok: true;
      /** Rise of the user's share balance, smallest unit of the share token; null: a request, which gives none yet. */
      shares: bigint | null;
      /** Of the deposit transaction alone. */
      gasUsed: bigint;
      blockNumber: bigint | null;
      /** What is signed, in order: approvals still needed, then the deposit. */
      calls: UserCall[];
    }
  | { ok: false; revert: Hex; failedCall: "approval" | "deposit" };

/**
 * Runs approvals and deposit from the user's address on the head's state, the user given the money where it
 * lacks it. Throws `simulation_unavailable` when no node can, or the token keeps balances where nobody finds them.
 */
export async function simulateDeposit(
  ctx: Context,
  input: { intent: Intent; checked: CheckedDeposit; deposit: UserCall; effect: Effect },
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
  return { ok: true, shares: effect.judge(simulation), gasUsed, blockNumber: simulation.blockNumber, calls };
}
