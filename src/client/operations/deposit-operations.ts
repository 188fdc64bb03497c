import type { CausewayClient } from "../causeway-client.ts";
import { CausewayError } from "../causeway-client-error.ts";
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
  buildDeposit,
  type Deposit,
  type DepositInput,
  getDeposit,
  getPositions,
  getVault,
  type Step,
} from "./read-operations.ts";

/** A deposit to execute. `userAddress` defaults to the wallet's account, `idempotencyKey` to a random key. */
export type ExecuteDepositInput = Omit<DepositInput, "userAddress"> &
  ExecutionOptions & { userAddress?: `0x${string}`; idempotencyKey?: string };

/**
 * Builds a deposit and executes its steps until none is left. Returns it in its last state, which may be a failed one,
 * such as `refunded`. Throws CausewayError, for example `no_route`, `insufficient_balance` or `user_rejected`; errors
 * of a wallet function propagate.
 */
export async function executeDeposit(client: CausewayClient, input: ExecuteDepositInput): Promise<Deposit> {
  const { wallet, onProgress, signal, batch, storage, idempotencyKey, sendAgain, ...rest } = input;
  const options = { wallet, onProgress, signal, batch, storage, sendAgain };
  const userAddress = await addressIn(wallet, { chainId: input.fromChainId, expected: input.userAddress });
  const key = idempotencyKey ?? crypto.randomUUID();
  const built = await buildDeposit(client, { ...rest, userAddress, idempotencyKey: key, signal });
  requireBalance(built, userAddress);
  // The response to a repeated key may be that of a deposit which was sent in the meantime.
  if (idempotencyKey !== undefined)
    return continueDeposit(client, { trackingId: built.trackingId, ...options });
  return executeAlone({ trackingId: built.trackingId, signal }, () =>
    walk(client, { userAddress, first: built, options }),
  );
}

/**
 * Continues a deposit from its tracking id alone, for example after the page was reloaded, like `executeDeposit`.
 * Throws CausewayError, for example `in_progress`; errors of a wallet function propagate.
 */
export async function continueDeposit(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<Deposit> {
  return executeAlone({ trackingId, signal: options.signal }, async () => {
    const first = await getDeposit(client, { trackingId, signal: options.signal });
    return walk(client, { userAddress: first.userAddress, first, options });
  });
}

function walk(
  client: CausewayClient,
  of: { userAddress: string; first: OrderReading; options: ExecutionOptions },
): Promise<Deposit> {
  const { userAddress, first, options } = of;
  const { signal } = options;
  const read = () => getDeposit(client, { trackingId: first.trackingId, signal });
  return walkSteps(trackedOrder(client, { kind: "deposits", userAddress, first, read, options }), options);
}

/**
 * A move to execute: shares of one vault are redeemed, and the proceeds are deposited into another vault, on the same
 * chain or another.
 */
export type ExecuteMoveInput = Omit<ExecuteDepositInput, "fromChainId" | "fromToken" | "fromAmount"> & {
  /** Id of the vault whose shares are redeemed. */
  fromVaultId: string;
  /** Shares to move, in the share token's smallest unit. */
  shares: bigint;
};

/**
 * Moves shares of a vault into another vault and executes all steps like `executeDeposit`. Returns the deposit, which
 * is paid with the shares. Throws CausewayError: `vault_not_found`, and the errors of `executeDeposit`.
 */
export async function executeMove(client: CausewayClient, input: ExecuteMoveInput): Promise<Deposit> {
  const { fromVaultId, shares, ...rest } = input;
  const { chainId, shareToken } = await getVault(client, { vaultId: fromVaultId, signal: input.signal });
  return executeDeposit(client, {
    ...rest,
    fromChainId: chainId,
    fromToken: shareToken,
    fromAmount: shares,
  });
}

/**
 * Cancels a deposit's signed order before it is submitted, by a transaction (for ERC-3009 after a signature). Returns
 * when that is in a block. Throws CausewayError, for example `deposit_state`; errors of a wallet function propagate.
 */
export async function cancelDeposit(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<void> {
  const { userAddress } = await getDeposit(client, { trackingId, signal: options.signal });
  await cancelSignedOrder(client, { kind: "deposits", trackingId, userAddress, options });
}

/**
 * Claims the shares of a user's settled deposit requests at a vault, built with Causeway or not, and returns when the
 * claim is in a block. Throws CausewayError, for example `nothing_to_withdraw`; errors of a wallet function propagate.
 */
export async function claimDeposit(
  client: CausewayClient,
  input: { vaultId: string; userAddress?: `0x${string}` } & ExecutionOptions,
): Promise<void> {
  const { vaultId, userAddress: expected, ...options } = input;
  const plainId = plainVaultId(vaultId);
  const chainId = chainIdOf(plainId);
  const userAddress = await addressIn(options.wallet, { chainId, expected });
  const { pending } = await getPositions(client, { userAddress, chainId, signal: options.signal });
  const found = pending.find((one) => one.vaultId === plainId);
  if (found === undefined || found.next === null) {
    const { code, detail } = found?.nextRefusal ?? NOTHING_SETTLED;
    throw new CausewayError(code as CausewayError["code"], detail);
  }
  const step: Step = {
    ...{
      stepId: "claim",
      kind: "transaction",
      purpose: "claim",
      title: "Claim the shares",
      state: "required",
    },
    ...{ chainId, token: null, amount: null, spender: null, typedData: null, txHash: null },
    transactionRequest: found.next.transactionRequest,
  };
  await walkBuiltSteps({ userAddress, first: { trackingId: "", steps: [step] } }, options);
}

const NOTHING_SETTLED = { code: "nothing_to_withdraw", detail: "the vault has settled no deposit request" };

/**
 * Polls a deposit until none of its steps is required or waiting, calls `onChange` at first and when `updatedAt`, its
 * state or that of a step has changed, and returns the last result. Temporary failures of the API are retried without
 * limit. Throws CausewayError, for example `deposit_not_found` or `aborted`.
 */
export function watchDeposit(
  client: CausewayClient,
  watch: { trackingId: string; onChange?: (deposit: Deposit) => void } & ActionOptions,
): Promise<Deposit> {
  const { trackingId, onChange, signal } = watch;
  return watchOrder({ read: () => getDeposit(client, { trackingId, signal }), onChange, signal });
}
