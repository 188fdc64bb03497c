import { isNative } from "../lib/address.ts";
import type { PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import {
  type LegFacts,
  type StepLeg,
  type StepPlan,
  toLeg,
  toLegSteps,
  toRequestStep,
} from "../orders/order-steps.ts";
import { toTransactionRequest } from "../orders/order-wallet-calls.ts";
import type { Step, TokenRef } from "../schemas/step-schema.ts";
import type { TransactionRequest } from "../schemas/transaction-schema.ts";
import { asyncDepositsOf } from "../vaults/families/vault-families.ts";
import { approvedSpender, paysNative } from "./deposit-intent.ts";
import type { DirectDeposit } from "./direct-deposit.ts";
import type { PreparedDeposit, RoutedDeposit } from "./prepared-deposit.ts";

/**
 * Returns the plan of the user's steps for a prepared deposit. `paid` is the token that the user pays with. A
 * transaction that waits for a signature, and the second step's, is null.
 */
export function planDepositSteps(prepared: PreparedDeposit, paid: TokenRef): StepPlan {
  if (prepared.kind === "direct") {
    const { direct, authorization } = prepared;
    const leg = sharesLeg(directLeg(direct, "source"), prepared);
    return { source: signedLeg(leg, authorization), destination: null, ...settling(direct) };
  }
  const { routed } = prepared;
  const { end } = routed;
  if (end.kind === "one_step")
    return { source: transferLeg(prepared, { paid, purpose: "deposit" }), destination: null, settles: false };
  // The second step has no transaction yet: it is built for the amount that arrives.
  const second = { ...directLeg(end.deposit, "destination"), transaction: null };
  return {
    source: sharesLeg(transferLeg(prepared, { paid, purpose: "transfer" }), prepared),
    destination: { ...second, amount: routed.route.toAmount.toString(), allowed: false, reset: false },
    ...settling(end.deposit),
  };
}

/**
 * Returns whether a deposit is an async request, for which the vault mints the shares later, and whether it then sends
 * them without a claim.
 */
function settling({ simulated, intent }: DirectDeposit): Pick<StepPlan, "settles" | "unclaimed"> {
  const settles = simulated.shares === null;
  const unclaimed = settles && asyncDepositsOf(intent.vault)?.sendsUnclaimed === true;
  return { settles, ...(unclaimed && { unclaimed }) };
}

/**
 * Returns the leg (a transaction and the approvals before it) in which the user deposits by calling the vault or the
 * Router. `slot` is `destination` for the second step of a two-step deposit.
 */
export function directLeg(direct: DirectDeposit, slot: StepLeg["slot"]): StepLeg {
  const { intent, simulated } = direct;
  const { address, symbol, decimals } = intent.token;
  return toLeg({
    slot,
    purpose: settling(direct).settles ? "request" : "deposit",
    chainId: intent.vault.chainId,
    token: { address, symbol, decimals },
    amount: intent.amount.toString(),
    spender: paysNative(intent) ? null : approvedSpender(intent),
    approvals: simulated.calls.length - 1,
    transaction: toTransactionRequest(direct.deposit, {
      chainId: intent.vault.chainId,
      gasUsed: simulated.gasUsed,
    }),
  });
}

/** Adds to a move's leg the name of the vault whose shares pay for it. Other legs are returned unchanged. */
const sharesLeg = (leg: StepLeg, { sharesOf }: PreparedDeposit): StepLeg =>
  sharesOf === undefined ? leg : { ...leg, shares_of: sharesOf };

/**
 * Adds a signature to a leg: the leg then needs no approval, and its transaction is known only after the signature.
 * Without a signature the leg is returned unchanged.
 */
const signedLeg = (leg: StepLeg, authorization: PlannedAuthorization | null): StepLeg =>
  authorization === null ? leg : { ...leg, spender: null, transaction: null, authorization };

function transferLeg(
  { order, routed }: { order: PreparedDeposit["order"]; routed: RoutedDeposit },
  { paid, purpose }: { paid: TokenRef; purpose: "deposit" | "transfer" },
): StepLeg {
  const { payment, source, route, authorization } = routed;
  const leg = toLeg({
    slot: "source",
    purpose,
    chainId: order.from.chainId,
    token: paid,
    amount: payment.amount.toString(),
    spender: isNative(payment.token) ? null : payment.spender,
    approvals: source.calls.length - 1,
    transaction: toTransactionRequest(
      { target: route.transaction.to, data: route.transaction.data, value: route.transaction.value },
      { chainId: order.from.chainId, gasUsed: source.gasUsed },
    ),
  });
  return signedLeg(leg, authorization);
}

const NOW: LegFacts = { state: "required", txHash: null, allowance: null, approvalsWait: false };

/**
 * Returns the steps of a deposit that the user has just signed, in order: the signature is done, the transaction
 * `signed` is required, and later steps are waiting.
 */
export const toSignedSteps = (plan: StepPlan, signed: TransactionRequest): Step[] =>
  toSteps(plan, { ...NOW, signed });

/**
 * Returns the steps of a deposit that was just built, in order. Those after the leg `source` are waiting, and so is a
 * transaction that needs a signature first.
 */
export const toBuiltSteps = (plan: StepPlan): Step[] => toSteps(plan, NOW);

function toSteps(plan: StepPlan, now: LegFacts): Step[] {
  const later: LegFacts = { ...NOW, state: "waiting", approvalsWait: true };
  const { source, destination } = plan;
  const claims = plan.settles && plan.unclaimed !== true;
  const chainId = (destination ?? source).chainId;
  return [
    ...toLegSteps(source, now),
    ...(destination === null ? [] : toLegSteps(destination, later)),
    ...(claims
      ? [
          toRequestStep({
            purpose: "claim",
            chainId,
            token: null,
            request: null,
            state: "waiting",
            txHash: null,
          }),
        ]
      : []),
  ];
}
