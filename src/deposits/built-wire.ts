import type { BuildEstimate, BuiltDeposit } from "../schemas/quote.ts";
import type { Approval } from "../schemas/transaction.ts";
import { toSendable, toTransactionRequest, toWalletCall } from "./direct-wire.ts";
import { type MovedDeposit, paidNatively } from "./moved.ts";
import type { Order } from "./order.ts";
import type { PreparedDeposit } from "./prepare.ts";
import type { DirectDeposit } from "./prepare-direct.ts";
import { headOf, type Payment } from "./simulate-payment.ts";

/** Writes a prepared deposit as building answers it. */
export function writeBuilt(prepared: PreparedDeposit, expiresAt: Date): BuiltDeposit {
  const { order } = prepared;
  return {
    ...(prepared.kind === "direct" ? writeDirect(prepared.direct) : writeMoved(prepared.moved, order)),
    tracking: {
      from_chain_id: order.from.chainId,
      to_chain_id: order.vault.chainId,
      bridge: prepared.kind === "direct" ? null : prepared.moved.move.bridge,
      router_explorer: null,
    },
    tracking_id: order.trackingId,
    estimate: toEstimate(prepared),
    expires_at: expiresAt.toISOString(),
  };
}

type OwnPart = Omit<BuiltDeposit, "tracking" | "tracking_id" | "estimate" | "expires_at">;

function writeDirect(direct: DirectDeposit): OwnPart {
  const { intent, simulated, checked } = direct;
  const { balance, allowance } = checked;
  const funds = { token: intent.token.address, amount: intent.amount, balance, allowance };
  return {
    ...toSendable(direct),
    two_step: false,
    deposit_tx: null,
    simulation: {
      ...toLeg(direct),
      ...toSufficiency(funds),
      shares: simulated.shares?.toString() ?? null,
      destination: null,
    },
  };
}

function writeMoved(moved: MovedDeposit, order: Order): OwnPart {
  const { move, payment, source, end } = moved;
  const { to, data, value } = move.transaction;
  const { chainId } = order.from;
  const call = { target: to, data, value };
  const second = end.kind === "second" ? toSendable(end.deposit) : null;
  return {
    transaction_request: toTransactionRequest(call, { chainId, gasUsed: source.gasUsed }),
    approval: toPaymentApproval(payment),
    calls: source.calls.map((one) => toWalletCall(one, chainId)),
    two_step: second !== null,
    deposit_tx:
      second === null ? null : { transaction_request: second.transaction_request, approval: second.approval },
    simulation: {
      block_number: headOf(source.simulation, payment.block),
      gas_used: source.gasUsed.toString(),
      shares: end.kind === "call" && end.delivery === null ? end.shares.toString() : null,
      ...toSufficiency(payment),
      destination: toDestination(moved),
    },
  };
}

/** What arrives, what of it goes into the vault, and the shares for it. Two steps deposit what is guaranteed. */
export function toEstimate(prepared: PreparedDeposit): BuildEstimate {
  if (prepared.kind === "direct") {
    const { depositAmount, floors, expectedShares } = prepared.direct;
    return {
      to_amount: depositAmount.toString(),
      to_amount_min: floors.minIn.toString(),
      deposit_amount: depositAmount.toString(),
      estimated_shares: expectedShares.toString(),
      min_shares: floors.minShares?.toString() ?? null,
    };
  }
  const { move, end } = prepared.moved;
  const amounts = { to_amount: move.toAmount.toString(), to_amount_min: move.toAmountMin.toString() };
  if (end.kind === "call") {
    return {
      ...amounts,
      deposit_amount: move.toAmount.toString(),
      estimated_shares: end.shares.toString(),
      min_shares: end.floors.minShares.toString(),
    };
  }
  return { ...toEstimate({ ...prepared, kind: "direct", direct: end.deposit }), ...amounts };
}

/** The approval a plain wallet sends before a provider's transaction; null for native. */
export function toPaymentApproval(payment: Payment): Approval | null {
  if (paidNatively(payment)) return null;
  const { token, spender, amount } = payment;
  return { token_address: token, spender_address: spender, amount: amount.toString() };
}

function toDestination({ end }: MovedDeposit): BuiltDeposit["simulation"]["destination"] {
  if (end.kind === "second") {
    return { ...toLeg(end.deposit), shares: end.deposit.simulated.shares?.toString() ?? null };
  }
  if (end.delivery === null) return null;
  const { blockNumber, gasUsed, shares } = end.delivery;
  return { block_number: blockNumber, gas_used: gasUsed.toString(), shares: shares.toString() };
}

function toLeg({ simulated, checked }: DirectDeposit) {
  return { block_number: headOf(simulated, checked.block), gas_used: simulated.gasUsed.toString() };
}

type Means = Pick<Payment, "token" | "amount" | "balance" | "allowance">;

/** Whether the user really has the money, and the spender the right to it. */
function toSufficiency({ token, amount, balance, allowance }: Means) {
  return {
    balance_sufficient: balance !== null && balance >= amount,
    allowance_sufficient: paidNatively({ token }) || (allowance !== null && allowance >= amount),
  };
}
