import { mulDivDown, partsToFraction } from "../lib/amount.ts";
import { type GasFunds, isGasSufficient } from "../orders/order-gas-funds.ts";
import { isCovered } from "../orders/order-payer-funds.ts";
import { allowedLoss } from "../orders/order-slippage.ts";
import type { StepPlan } from "../orders/order-steps.ts";
import { toTransactionRequest, toWalletCall } from "../orders/order-wallet-calls.ts";
import { isNativePayment, simulatedHead, type TokenPayment } from "../orders/simulate-order-payment.ts";
import { formatUsdValue } from "../prices/price.ts";
import type { AuthorizationKind } from "../router/router-signature-messages.ts";
import type { BuildEstimate, BuiltDeposit } from "../schemas/quote-schema.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Approval, TransactionRequest, WalletCall } from "../schemas/transaction-schema.ts";
import { settlementOf } from "../vaults/vault-settlement.ts";
import { approvedSpender, type DepositIntent, type DepositOrder, paysNative } from "./deposit-intent.ts";
import { toBuiltSteps } from "./deposit-step-plan.ts";
import type { DirectDeposit } from "./direct-deposit.ts";
import type { PreparedDeposit, RoutedDeposit } from "./prepared-deposit.ts";

/**
 * What a wallet signs for a deposit: the approval and then the transaction, or, in one batch (EIP-5792), `calls`, which
 * contain the approvals that are still needed and the deposit.
 */
export interface SignableDeposit {
  transaction_request: TransactionRequest;
  /** Null if the payment is in the native currency. Set even if the current allowance is sufficient. */
  approval: Approval | null;
  calls: WalletCall[];
}

/** Converts a direct deposit to the transaction, approval and calls that the user's wallet signs. */
export function toSignableDeposit({ intent, deposit, simulated }: DirectDeposit): SignableDeposit {
  const { chainId } = intent.vault;
  return {
    transaction_request: toTransactionRequest(deposit, { chainId, gasUsed: simulated.gasUsed }),
    approval: toDepositApproval(intent),
    calls: simulated.calls.map((call) => toWalletCall(call, chainId)),
  };
}

/**
 * Returns the token approval that a wallet without batching sends before the deposit, for the whole amount, regardless
 * of the current allowance. Null for the native currency.
 */
export function toDepositApproval(intent: DepositIntent): Approval | null {
  if (paysNative(intent)) return null;
  return {
    token_address: intent.token.address,
    spender_address: approvedSpender(intent),
    amount: intent.amount.toString(),
  };
}

/**
 * Converts a prepared deposit to the API response of a build. If a signature pays, it does not yet contain the first
 * transaction, its approval and the calls. `paid` is in US dollars times 10^18; it and `gas` are null if unknown.
 * Throws `upstream_unavailable` if the balance is unknown.
 */
export function toWireBuilt(
  prepared: PreparedDeposit,
  made: { expiresAt: Date; plan: StepPlan; gas: GasFunds | null; paid: bigint | null },
): BuiltDeposit {
  const { order } = prepared;
  const { expiresAt, plan, gas, paid } = made;
  const part = prepared.kind === "direct" ? directPart(prepared.direct) : routedPart(prepared.routed, order);
  const { calls, transaction_request: transaction } = part;
  const kind = authorizationOf(prepared);
  const approvals = kind === null ? calls.length - 1 : 0;
  return {
    ...part,
    ...(kind === null ? {} : { transaction_request: null, approval: null, calls: [] }),
    authorize: kind ?? "approve",
    simulation: {
      ...part.simulation,
      gas_sufficient: isGasSufficient(gas, { transaction, approvals }),
    },
    tracking: {
      from_chain_id: order.from.chainId,
      to_chain_id: order.vault.chainId,
      bridge: prepared.kind === "direct" ? null : prepared.routed.route.bridge,
      router_explorer: null,
    },
    tracking_id: order.trackingId,
    estimate: {
      from_amount_usd: formatUsdValue(paid),
      ...toEstimate(prepared),
      slippage_applied: partsToFraction(allowedLoss(order.slippage, exchangesOnTheWay(prepared))),
    },
    settlement: { ...settlementOf(order.vault), deposit: plan.settles ? "request" : "instant" },
    steps: toBuiltSteps(plan),
    expires_at: expiresAt.toISOString(),
    warnings: toWarnings(prepared),
  };
}

type KindPart = Omit<
  BuiltDeposit,
  | ("tracking" | "tracking_id" | "estimate" | "settlement" | "steps" | "expires_at" | "warnings")
  | ("simulation" | "authorize" | "transaction_request")
> & {
  transaction_request: TransactionRequest;
  simulation: Omit<BuiltDeposit["simulation"], "gas_sufficient">;
};

/** Returns the kind of signature that pays for a deposit, or null if the deposit is paid by an approval. */
export const authorizationOf = (prepared: PreparedDeposit): AuthorizationKind | null => {
  const { authorization } = prepared.kind === "direct" ? prepared : prepared.routed;
  return authorization?.kind ?? null;
};

/** Returns true if the payment is swapped or bridged before it reaches the vault. */
const exchangesOnTheWay = (prepared: PreparedDeposit): boolean =>
  prepared.kind === "routed" || prepared.swaps === true;

/** Returns the warnings of a prepared deposit: those of its route or of a move's swap, and of the vault's own rate. */
export function toWarnings(prepared: PreparedDeposit): Warning[] {
  if (prepared.kind === "direct") return [...(prepared.warnings ?? []), ...prepared.direct.checked.warnings];
  const { warnings, end } = prepared.routed;
  const { checked } = end.kind === "one_step" ? end : end.deposit;
  return [...warnings, ...checked.warnings];
}

function directPart(direct: DirectDeposit): KindPart {
  const { intent, simulated, checked } = direct;
  const { balance, allowance } = checked;
  const funds = { token: intent.token.address, amount: intent.amount, balance, allowance };
  return {
    ...toSignableDeposit(direct),
    two_step: false,
    deposit_tx: null,
    simulation: {
      ...toLegSimulation(direct),
      ...toSufficiency(funds),
      shares: simulated.shares?.toString() ?? null,
      destination: null,
    },
  };
}

function routedPart(routed: RoutedDeposit, order: DepositOrder): KindPart {
  const { route, payment, source, end } = routed;
  const { to, data, value } = route.transaction;
  const { chainId } = order.from;
  const call = { target: to, data, value };
  const second = end.kind === "two_step" ? toSignableDeposit(end.deposit) : null;
  return {
    transaction_request: toTransactionRequest(call, { chainId, gasUsed: source.gasUsed }),
    approval: toPaymentApproval(payment),
    calls: source.calls.map((one) => toWalletCall(one, chainId)),
    two_step: second !== null,
    deposit_tx:
      second === null ? null : { transaction_request: second.transaction_request, approval: second.approval },
    simulation: {
      block_number: simulatedHead(source.simulation, payment.block),
      gas_used: source.gasUsed.toString(),
      shares: end.kind === "one_step" && end.delivery === null ? end.shares.toString() : null,
      ...toSufficiency(payment),
      destination: toDestinationSimulation(routed),
    },
  };
}

/**
 * Returns the expected and minimum amounts of a deposit as decimal strings in smallest units. `min_shares` is null if
 * no contract enforces a minimum.
 */
export function toEstimate(
  prepared: PreparedDeposit,
): Omit<BuildEstimate, "from_amount_usd" | "slippage_applied"> {
  if (prepared.kind === "direct") {
    const { depositAmount, floors, expectedShares } = prepared.direct;
    return {
      to_amount: depositAmount.toString(),
      to_amount_min: floors.minIn.toString(),
      deposit_amount: depositAmount.toString(),
      deposit_amount_min: floors.minIn.toString(),
      estimated_shares: expectedShares.toString(),
      min_shares: floors.minShares?.toString() ?? null,
    };
  }
  const { route, end } = prepared.routed;
  const amounts = { to_amount: route.toAmount.toString(), to_amount_min: route.toAmountMin.toString() };
  if (end.kind === "one_step") {
    return {
      ...amounts,
      deposit_amount: route.toAmount.toString(),
      deposit_amount_min: end.floors.minIn.toString(),
      estimated_shares: end.shares.toString(),
      min_shares: end.floors.minShares.toString(),
    };
  }
  // The second step was simulated with the guaranteed amount; it deposits whatever arrives. A token may charge a fee on
  // the transfer into the vault.
  const { intent, depositAmount, expectedShares, floors } = end.deposit;
  const scaled = (seen: bigint): string => mulDivDown(seen, route.toAmount, intent.amount).toString();
  return {
    ...amounts,
    deposit_amount: scaled(depositAmount),
    deposit_amount_min: floors.minIn.toString(),
    estimated_shares: scaled(expectedShares),
    min_shares: floors.minShares?.toString() ?? null,
  };
}

/**
 * Returns the token approval before the first transaction of a routed deposit, for the whole amount, regardless of the
 * current allowance. Null for the native currency.
 */
export function toPaymentApproval(payment: TokenPayment): Approval | null {
  if (isNativePayment(payment)) return null;
  const { token, spender, amount } = payment;
  return { token_address: token, spender_address: spender, amount: amount.toString() };
}

function toDestinationSimulation({ end }: RoutedDeposit): BuiltDeposit["simulation"]["destination"] {
  if (end.kind === "two_step") {
    return { ...toLegSimulation(end.deposit), shares: end.deposit.simulated.shares?.toString() ?? null };
  }
  if (end.delivery === null) return null;
  const { blockNumber, gasUsed, shares } = end.delivery;
  return { block_number: blockNumber, gas_used: gasUsed.toString(), shares: shares.toString() };
}

function toLegSimulation({ simulated, checked }: DirectDeposit) {
  return { block_number: simulatedHead(simulated, checked.block), gas_used: simulated.gasUsed.toString() };
}

type PayerFunds = Pick<TokenPayment, "token" | "amount" | "balance" | "allowance">;

/**
 * Returns whether the user's balance and the spender's allowance cover the amount. An unknown allowance counts as
 * insufficient. Throws `upstream_unavailable` if the balance is unknown.
 */
function toSufficiency({ token, amount, balance, allowance }: PayerFunds) {
  return {
    balance_sufficient: isCovered({ balance, amount }),
    allowance_sufficient: isNativePayment({ token }) || (allowance !== null && allowance >= amount),
  };
}
