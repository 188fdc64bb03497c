import type { CausewayClient } from "./causeway-client.ts";
import { CausewayError } from "./causeway-error.ts";
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
  buildDeposit,
  type Deposit,
  type DepositInput,
  getDeposit,
  getPositions,
  getVault,
  type Step,
} from "./read-actions.ts";
import { addressIn } from "./wallet-steps.ts";

/** A deposit to execute. `userAddress` defaults to the wallet's account. */
export type ExecuteDepositInput = Omit<DepositInput, "userAddress"> &
  ExecutionOptions & { userAddress?: `0x${string}`; idempotencyKey?: string };

/**
 * Builds a deposit and executes all its steps: switches chains, sends approvals, signs, sends, and waits for bridges
 * and vaults until the deposit ends. Returns it in its last state, which may be `refunded`, `partial` or `failed`.
 * Throws CausewayError.
 */
export async function executeDeposit(client: CausewayClient, input: ExecuteDepositInput): Promise<Deposit> {
  const { wallet, onProgress, signal, batch, idempotencyKey = crypto.randomUUID(), ...rest } = input;
  const userAddress = await addressIn(wallet, { chainId: input.fromChainId, expected: input.userAddress });
  const built = await buildDeposit(client, { ...rest, userAddress, idempotencyKey, signal });
  const first = { ...built, steps: built.steps ?? [] };
  return walk(client, { userAddress, first, options: { wallet, onProgress, signal, batch } });
}

/**
 * Continues a deposit from its tracking id alone, for example after a reload of the page: fetches the remaining steps
 * and executes them like `executeDeposit`. Throws `deposit_not_found` and CausewayError.
 */
export async function continueDeposit(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<Deposit> {
  const first = await getDeposit(client, { trackingId, signal: options.signal });
  return walk(client, { userAddress: first.userAddress, first, options });
}

function walk(
  client: CausewayClient,
  of: { userAddress: string; first: OrderReading; options: ExecutionOptions },
): Promise<Deposit> {
  const { userAddress, first, options } = of;
  const { signal } = options;
  const read = () => getDeposit(client, { trackingId: first.trackingId, signal });
  return walkSteps(trackedOrder(client, { kind: "deposits", userAddress, first, read, signal }), options);
}

/**
 * A move to execute: shares of one vault are redeemed and deposited into another vault, on the same or another chain.
 */
export type ExecuteMoveInput = Omit<ExecuteDepositInput, "fromChainId" | "fromToken" | "fromAmount"> & {
  /** Id of the vault whose shares are redeemed. */
  fromVaultId: string;
  /** Shares to move, in the share token's smallest unit. */
  shares: bigint;
};

/**
 * Moves shares of a vault into another vault and executes all steps like `executeDeposit`. The result is a deposit that
 * is paid with shares. Throws `vault_not_found` and CausewayError.
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
 * Cancels a deposit's signed order before it is submitted. Sends a transaction, after a signature if the token requires
 * one. Throws `deposit_state` if there is nothing to cancel, and CausewayError.
 */
export async function cancelDeposit(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<void> {
  const { userAddress } = await getDeposit(client, { trackingId, signal: options.signal });
  await cancelSignedOrder(client, { kind: "deposits", trackingId, userAddress, options });
}

/**
 * Claims the shares of settled deposit requests at a vault, including requests made elsewhere. Throws the API's reason
 * if the claim would fail, `nothing_to_withdraw` if nothing is settled, and CausewayError. Source: `pending` of
 * `GET /v1/positions/{user_address}`.
 */
export async function claimDeposit(
  client: CausewayClient,
  input: { vaultId: string; userAddress?: `0x${string}` } & ExecutionOptions,
): Promise<void> {
  const { vaultId, userAddress: expected, ...options } = input;
  const chainId = Number(vaultId.split(":")[0]);
  const userAddress = await addressIn(options.wallet, { chainId, expected });
  const { pending } = await getPositions(client, { userAddress, chainId, signal: options.signal });
  const found = pending.find((one) => one.vaultId === vaultId.toLowerCase());
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
 * Polls a deposit until no step is left, and calls `onChange` with the first result and every changed one. Returns the
 * last result. Temporary API failures are retried. Throws `aborted` when the signal aborts.
 */
export function watchDeposit(
  client: CausewayClient,
  watch: { trackingId: string; onChange?: (deposit: Deposit) => void } & ActionOptions,
): Promise<Deposit> {
  const { trackingId, onChange, signal } = watch;
  return watchOrder({ read: () => getDeposit(client, { trackingId, signal }), onChange, signal });
}
