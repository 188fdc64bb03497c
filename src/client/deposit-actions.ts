import type { CausewayClient } from "./causeway-client.ts";
import {
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
  getVault,
} from "./read-actions.ts";
import { addressIn } from "./wallet-steps.ts";

/** A deposit to execute. `userAddress` is by default the wallet's account. */
export type ExecuteDepositInput = Omit<DepositInput, "userAddress"> &
  ExecutionOptions & { userAddress?: `0x${string}`; idempotencyKey?: string };

/**
 * Builds a deposit and walks through all its steps: switches chains, gives approvals, signs, sends, and waits for bridges
 * and vaults until the deposit ends. Returns it in its last state, which may be `refunded`, `partial` or `failed`. Throws
 * CausewayError.
 */
export async function executeDeposit(client: CausewayClient, input: ExecuteDepositInput): Promise<Deposit> {
  const { wallet, onProgress, signal, batch, idempotencyKey = crypto.randomUUID(), ...rest } = input;
  const userAddress = await addressIn(wallet, { chainId: input.fromChainId, expected: input.userAddress });
  const built = await buildDeposit(client, { ...rest, userAddress, idempotencyKey, signal });
  const first = { ...built, steps: built.steps ?? [] };
  return walk(client, { userAddress, first, options: { wallet, onProgress, signal, batch } });
}

/**
 * Continues a deposit from its tracking id alone, for example after the page was loaded again: reads what is left, and
 * walks through it like `executeDeposit`. Throws `deposit_not_found` and CausewayError.
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

/** A move to execute: shares of one vault that go straight into another, which may be on another chain. */
export type ExecuteMoveInput = Omit<ExecuteDepositInput, "fromChainId" | "fromToken" | "fromAmount"> & {
  /** The vault to leave. */
  fromVaultId: string;
  /** Shares to move, in the share token's smallest unit. */
  shares: bigint;
};

/**
 * Moves shares of a vault into another vault, and walks through all steps like `executeDeposit`; the result is a deposit
 * that is paid with shares. Throws `vault_not_found` and CausewayError.
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
 * Makes the signed order of a deposit unusable, as long as nobody has sent it: by a transaction, and before it by a
 * signature where the token wants one. Throws `deposit_state` if there is nothing to cancel, and CausewayError.
 */
export async function cancelDeposit(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<void> {
  const { signal } = options;
  const { userAddress } = await getDeposit(client, { trackingId, signal });
  const path = `/v1/deposits/${trackingId}/cancel`;
  const submit = async (signature?: string) =>
    (await client.request({ method: "POST", path, body: { signature }, signal })) as OrderReading;
  await walkBuiltSteps({ userAddress, first: await submit(), submit }, options);
}

/**
 * Reads a deposit again and again and calls `onChange` with each reading that differs, until nothing is left to do or to
 * wait for, or the signal fires. Returns the last reading. A temporary failure of the API is tried again.
 */
export function watchDeposit(
  client: CausewayClient,
  watch: { trackingId: string; onChange?: (deposit: Deposit) => void } & ActionOptions,
): Promise<Deposit> {
  const { trackingId, onChange, signal } = watch;
  return watchOrder({ read: () => getDeposit(client, { trackingId, signal }), onChange, signal });
}
