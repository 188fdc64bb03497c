import type { AppError } from "../errors.ts";
import type { PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import type { SimulatedPayment } from "../orders/simulate-order-payment.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import type { NoRouteReason } from "../providers/provider-failures.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Token } from "../vaults/vault.ts";
import type { Exit } from "./exit-calldata.ts";
import type { ExitFacts } from "./exit-preflight.ts";
import type { PreparedExit, SimulatedExit } from "./prepare-exit.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/** The swap or bridge of the vault's payment into the requested token. */
export interface ExitTransfer {
  /** The provider's transaction with its expected and guaranteed output. */
  route: VerifiedTransfer;
  /** The requested token. */
  token: Token;
  /** Reasons why other routes failed. */
  reasons: readonly NoRouteReason[];
  warnings: readonly Warning[];
}

/** A prepared withdrawal in which one Router transaction redeems the shares and swaps or bridges the payment. */
export interface RoutedExit extends ExitTransfer {
  exit: Exit;
  facts: ExitFacts;
  call: UserCall;
  /** Expected payment of the vault, in the smallest unit of the paid token; `minAssets` is the minimum. */
  assets: bigint;
  minAssets: bigint;
  /** Expected amount of the requested token on arrival, in its smallest unit; `toAmountMin` is the minimum. */
  toAmount: bigint;
  toAmountMin: bigint;
  /** Simulation of the transaction and its approvals, as `simulatePayment` returns it. */
  source: Extract<SimulatedPayment, { ok: true }>;
  simulated: SimulatedExit;
}

/**
 * A prepared withdrawal. `direct`: without a swap or bridge; `routed`: one transaction also swaps or bridges;
 * `two_step`: a second one does, and `transfer` is null if it cannot be quoted yet.
 */
export type PreparedWithdrawal = {
  order: WithdrawalOrder;
  /**
   * The signature payload by which the Router takes the shares. Absent for an approval or a direct call of the vault.
   */
  authorization?: PlannedAuthorization;
  /** Why the vault does not pay instantly, so that `auto` has chosen the mode of this withdrawal. Absent otherwise. */
  insteadOf?: AppError;
} & (
  | { kind: "direct"; exit: PreparedExit }
  | { kind: "routed"; exit: RoutedExit }
  | { kind: "two_step"; exit: PreparedExit; transfer: ExitTransfer | null }
);

/** Returns the swap or bridge of a withdrawal. Null if there is none or it cannot be quoted yet. */
export function transferOf(prepared: PreparedWithdrawal): ExitTransfer | null {
  if (prepared.kind === "direct") return null;
  return prepared.kind === "routed" ? prepared.exit : prepared.transfer;
}
