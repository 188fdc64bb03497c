import type { CausewayClient } from "./causeway-client.ts";
import {
  cancelSignedOrder,
  type ExecutionOptions,
  type OrderReading,
  trackedOrder,
  walkBuiltSteps,
  walkSteps,
  watchOrder,
} from "./execute-steps.ts";
import {
  type ActionOptions,
  ask,
  buildWithdrawal,
  getWithdrawal,
  type Withdrawal,
  type WithdrawalInput,
} from "./read-actions.ts";
import { addressIn } from "./wallet-steps.ts";

/** A redemption request at a vault. `requestId` is the `request_id` that positions and actions return in `requests`. */
export interface RequestOfVault {
  vaultId: string;
  requestId: string;
}

/** A withdrawal to execute. `userAddress` defaults to the wallet's account. */
export type ExecuteWithdrawalInput = Omit<WithdrawalInput, "userAddress"> &
  ExecutionOptions & { userAddress?: `0x${string}` };

/**
 * Builds a withdrawal and executes all its steps like `executeDeposit`, including the claim of a request. Returns it in
 * its last state. Throws CausewayError.
 */
export async function executeWithdrawal(
  client: CausewayClient,
  input: ExecuteWithdrawalInput,
): Promise<Withdrawal> {
  const { wallet, onProgress, signal, batch, ...rest } = input;
  const chainId = Number(input.vaultId.split(":")[0]);
  const userAddress = await addressIn(wallet, { chainId, expected: input.userAddress });
  const first = await buildWithdrawal(client, { ...rest, userAddress, signal });
  return walk(client, { userAddress, first, options: { wallet, onProgress, signal, batch } });
}

/**
 * Continues a withdrawal from its tracking id alone, like `continueDeposit`. Throws `withdrawal_not_found` and
 * CausewayError.
 */
export async function continueWithdrawal(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<Withdrawal> {
  const first = await getWithdrawal(client, { trackingId, signal: options.signal });
  return walk(client, { userAddress: first.userAddress, first, options });
}

function walk(
  client: CausewayClient,
  of: { userAddress: string; first: OrderReading; options: ExecutionOptions },
): Promise<Withdrawal> {
  const { userAddress, first, options } = of;
  const { signal } = options;
  const read = () => getWithdrawal(client, { trackingId: first.trackingId, signal });
  return walkSteps(trackedOrder(client, { kind: "withdrawals", userAddress, first, read, signal }), options);
}

/**
 * Cancels a withdrawal's signed order before it is submitted, like `cancelDeposit`. Throws `withdrawal_state` if there
 * is nothing to cancel, and CausewayError.
 */
export async function cancelSignedWithdrawal(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<void> {
  const { userAddress } = await getWithdrawal(client, { trackingId, signal: options.signal });
  await cancelSignedOrder(client, { kind: "withdrawals", trackingId, userAddress, options });
}

/** Polls a withdrawal until no step is left, like `watchDeposit`. Returns the last result. */
export function watchWithdrawal(
  client: CausewayClient,
  watch: { trackingId: string; onChange?: (withdrawal: Withdrawal) => void } & ActionOptions,
): Promise<Withdrawal> {
  const { trackingId, onChange, signal } = watch;
  return watchOrder({ read: () => getWithdrawal(client, { trackingId, signal }), onChange, signal });
}

/** A request to claim or cancel, and the wallet that does so. `userAddress` defaults to the wallet's account. */
export type RequestExecution = RequestOfVault & ExecutionOptions & { userAddress?: `0x${string}` };

/**
 * Claims a settled request, including requests made elsewhere. Throws `nothing_to_withdraw` and CausewayError. Source:
 * `POST /v1/withdraw/claim`.
 */
export const claimRequest = (client: CausewayClient, input: RequestExecution): Promise<void> =>
  actOnRequest(client, { action: "claim", input });

/**
 * Cancels a request that the vault has not settled, including requests made elsewhere. Throws `mode_unsupported` if the
 * vault does not allow it, and CausewayError. Source: `POST /v1/withdraw/cancel`.
 */
export const cancelRequest = (client: CausewayClient, input: RequestExecution): Promise<void> =>
  actOnRequest(client, { action: "cancel", input });

async function actOnRequest(
  client: CausewayClient,
  { action, input }: { action: "claim" | "cancel"; input: RequestExecution },
): Promise<void> {
  const { vaultId, requestId, userAddress: expected, ...options } = input;
  const chainId = Number(vaultId.split(":")[0]);
  const userAddress = await addressIn(options.wallet, { chainId, expected });
  const body = { vaultId, userAddress, requestId };
  const request = { method: "POST", path: `/v1/withdraw/${action}`, body, signal: options.signal } as const;
  const { steps } = await ask<"withdrawals.claim">(client, request);
  await walkBuiltSteps({ userAddress, first: { trackingId: "", steps } }, options);
}
