import type { PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import type { SimulatedPayment } from "../orders/simulate-payment.ts";
import type { UserCall } from "../orders/wallet-calls.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import type { NoRouteReason } from "../providers/provider-failures.ts";
import type { Warning } from "../schemas/quote-schema.ts";
import type { Token } from "../vaults/vault.ts";
import type { Exit } from "./exit-calldata.ts";
import type { ExitFacts } from "./exit-preflight.ts";
import type { PreparedExit, SimulatedExit } from "./single-exit.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/** The swap or bridge of a vault's payment, with its provider's figures. */
export interface ExitTransfer {
  route: VerifiedTransfer;
  /** Token that the user requested. */
  token: Token;
  /** Reasons why other routes failed. */
  reasons: readonly NoRouteReason[];
  warnings: readonly Warning[];
}

/** A withdrawal that redeems and swaps or bridges in one transaction of the Router. */
export interface RoutedExit extends ExitTransfer {
  exit: Exit;
  facts: ExitFacts;
  call: UserCall;
  /** Expected and minimum payment of the vault, in the smallest unit of the token that it pays. */
  assets: bigint;
  minAssets: bigint;
  /** Expected and minimum amount of the requested token on arrival. */
  toAmount: bigint;
  toAmountMin: bigint;
  source: Extract<SimulatedPayment, { ok: true }>;
  simulated: SimulatedExit;
}

/**
 * A withdrawal that is ready to be built. `direct`: the vault pays the requested token; `routed`: a swap or bridge
 * follows in the same transaction; `two_step`: the user sends it as a second transaction, null until it can be quoted.
 */
export type PreparedWithdrawal = {
  order: WithdrawalOrder;
  /** Signature that lets the Router take the shares; absent for an approval or a direct call to the vault. */
  authorization?: PlannedAuthorization;
} & (
  | { kind: "direct"; exit: PreparedExit }
  | { kind: "routed"; exit: RoutedExit }
  | { kind: "two_step"; exit: PreparedExit; transfer: ExitTransfer | null }
);

/** Returns the swap or bridge of a withdrawal, or null if there is none or it cannot be quoted yet. */
export function transferOf(prepared: PreparedWithdrawal): ExitTransfer | null {
  if (prepared.kind === "direct") return null;
  return prepared.kind === "routed" ? prepared.exit : prepared.transfer;
}
