import type { CausewayClient } from "../causeway-client.ts";
import { addressIn } from "../client-wallet-steps.ts";
import { chainIdOf, plainVaultId } from "../client-wire-format.ts";
import {
  cancelSignedOrder,
  trackedOrder,
  walkBuiltSteps,
  walkSteps,
  watchOrder,
} from "../execution/execute-steps.ts";
import { executeAlone, requireBalance } from "../execution/execution-guards.ts";
import type { ExecutionOptions, OrderReading } from "../execution/execution-options.ts";
import {
  type ActionOptions,
  ask,
  buildWithdrawal,
  getWithdrawal,
  type Withdrawal,
  type WithdrawalInput,
} from "./read-operations.ts";

/**
 * A redemption request at a vault: one of kind `redeem` in the `requests` that `getPositions` and `getActions` return.
 */
export interface RequestOfVault {
  vaultId: string;
  requestId: string;
}

/** A withdrawal to execute. `userAddress` defaults to the wallet's account, `idempotencyKey` to a random key. */
export type ExecuteWithdrawalInput = Omit<WithdrawalInput, "userAddress"> &
  ExecutionOptions & { userAddress?: `0x${string}`; idempotencyKey?: string };

/**
 * Builds a withdrawal and executes its steps like `executeDeposit`, the claim of a request included. Returns it in its
 * last state, which may be a failed one. Throws CausewayError; errors of a wallet function propagate.
 */
export async function executeWithdrawal(
  client: CausewayClient,
  input: ExecuteWithdrawalInput,
): Promise<Withdrawal> {
  const { wallet, onProgress, signal, batch, storage, idempotencyKey, sendAgain, ...rest } = input;
  const chainId = chainIdOf(plainVaultId(input.vaultId));
  const userAddress = await addressIn(wallet, { chainId, expected: input.userAddress });
  const key = idempotencyKey ?? crypto.randomUUID();
  const first = await buildWithdrawal(client, { ...rest, userAddress, idempotencyKey: key, signal });
  requireBalance(first, userAddress);
  const options = { wallet, onProgress, signal, batch, storage, sendAgain };
  // The response to a repeated key may be that of a withdrawal which was sent in the meantime.
  if (idempotencyKey !== undefined)
    return continueWithdrawal(client, { trackingId: first.trackingId, ...options });
  return executeAlone({ trackingId: first.trackingId, signal }, () =>
    walk(client, { userAddress, first, options }),
  );
}

/**
 * Continues a withdrawal from its tracking id alone, like `continueDeposit`. Throws CausewayError, for example
 * `withdrawal_not_found`, `wrong_account` or `in_progress`; errors of a wallet function propagate.
 */
export async function continueWithdrawal(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<Withdrawal> {
  return executeAlone({ trackingId, signal: options.signal }, async () => {
    const first = await getWithdrawal(client, { trackingId, signal: options.signal });
    return walk(client, { userAddress: first.userAddress, first, options });
  });
}

function walk(
  client: CausewayClient,
  of: { userAddress: string; first: OrderReading; options: ExecutionOptions },
): Promise<Withdrawal> {
  const { userAddress, first, options } = of;
  const { signal } = options;
  const read = () => getWithdrawal(client, { trackingId: first.trackingId, signal });
  return walkSteps(trackedOrder(client, { kind: "withdrawals", userAddress, first, read, options }), options);
}

/**
 * Cancels a withdrawal's signed order before it is submitted, like `cancelDeposit`. Throws CausewayError,
 * for example `withdrawal_state`; errors of a wallet function propagate.
 */
export async function cancelSignedWithdrawal(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<void> {
  const { userAddress } = await getWithdrawal(client, { trackingId, signal: options.signal });
  await cancelSignedOrder(client, { kind: "withdrawals", trackingId, userAddress, options });
}

/**
 * Polls a withdrawal until none of its steps is required or waiting, like `watchDeposit`, and returns the last result.
 * Throws CausewayError, for example `aborted`.
 */
export function watchWithdrawal(
  client: CausewayClient,
  watch: { trackingId: string; onChange?: (withdrawal: Withdrawal) => void } & ActionOptions,
): Promise<Withdrawal> {
  const { trackingId, onChange, signal } = watch;
  return watchOrder({ read: () => getWithdrawal(client, { trackingId, signal }), onChange, signal });
}

/** A redemption request to claim or cancel, and the wallet to use. `userAddress` defaults to the wallet's account. */
export type RequestExecution = RequestOfVault & ExecutionOptions & { userAddress?: `0x${string}` };

/**
 * Claims a settled redemption request, which need not have been built with Causeway, and returns when the claim is in a
 * block. If it is not claimable but shares of the user's deposit requests are, claims those instead. Throws
 * CausewayError, for example `request_pending`; errors of a wallet function propagate. Source:
 * `POST /v1/withdraw/claim`.
 */
export const claimRequest = (client: CausewayClient, input: RequestExecution): Promise<void> =>
  actOnRequest(client, { action: "claim", input });

/**
 * Cancels a redemption request, built with Causeway or not, and returns when the transaction is in a block. Some vaults
 * return the shares later, by a claim. Throws CausewayError; errors of a wallet function propagate. Source:
 * `POST /v1/withdraw/cancel`.
 */
export const cancelRequest = (client: CausewayClient, input: RequestExecution): Promise<void> =>
  actOnRequest(client, { action: "cancel", input });

async function actOnRequest(
  client: CausewayClient,
  { action, input }: { action: "claim" | "cancel"; input: RequestExecution },
): Promise<void> {
  const { vaultId, requestId, userAddress: expected, ...options } = input;
  const chainId = chainIdOf(plainVaultId(vaultId));
  const userAddress = await addressIn(options.wallet, { chainId, expected });
  const body = { vaultId, userAddress, requestId };
  const request = { method: "POST", path: `/v1/withdraw/${action}`, body, signal: options.signal } as const;
  const { steps } = await ask<"withdrawals.claim">(client, request);
  await walkBuiltSteps({ userAddress, first: { trackingId: "", steps } }, options);
}
