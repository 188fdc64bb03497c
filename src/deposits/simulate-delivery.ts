import type { Address } from "viem";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import type { Destination } from "./destination.ts";
import { mintEffect } from "./effect.ts";
import { explainRevert } from "./explain-revert.ts";
import { headOf, simulatePayment } from "./simulate-payment.ts";

/** What the deposit at the end of a transfer did when it was simulated. */
export interface Delivery {
  /** Smallest unit of the share token. */
  shares: bigint;
  gasUsed: bigint;
  blockNumber: number;
}

/** Executors keep allowances of earlier calls; one unit stands for them, so that tokens like USDT are reset first. */
const SOME_ALLOWANCE = 1n;

/**
 * Makes the destination call as the bridge's executor would, holding `amount` of what arrives. Throws what the
 * vault refuses it with, `no_route` when it needs more gas than the bridge gives, `simulation_unavailable`.
 */
export async function simulateDelivery(
  ctx: Context,
  input: { destination: Destination; executor: Address; amount: bigint },
): Promise<Delivery> {
  const { destination, executor, amount } = input;
  const { intent, checked, call } = destination;
  const payment = {
    client: intent.client,
    payer: executor,
    token: intent.token.address,
    amount,
    spender: call.target,
    balance: null,
    allowance: SOME_ALLOWANCE,
    block: checked.block,
  };
  const effect = mintEffect(intent);
  const made = await simulatePayment(ctx, {
    payment,
    call: { target: call.target, value: 0n, data: call.data },
    reads: effect.reads,
  });
  if (!made.ok) throw explainRevert({ intent, amount: intent.amount, terms: checked.terms }, made.revert);
  if (made.gasUsed > call.gasLimit) {
    const detail = "the deposit needs more gas than the bridge gives it";
    throw failure("no_route", detail, { reasons: [{ code: "destination_call_failed", detail }] });
  }
  const shares = effect.judge(made.simulation) ?? 0n;
  return { shares, gasUsed: made.gasUsed, blockNumber: headOf(made.simulation, checked.block) };
}
