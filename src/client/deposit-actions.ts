import type { CausewayClient } from "./causeway-client.ts";
import {
  type ExecutionOptions,
  type OrderReading,
  pause,
  readPatiently,
  walkSteps,
} from "./execute-steps.ts";
import {
  type ActionOptions,
  buildDeposit,
  type Deposit,
  type DepositInput,
  getDeposit,
} from "./read-actions.ts";
import { accountOf, walletOn } from "./wallet-steps.ts";

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
  const account = await accountOf(await walletOn(wallet, input.fromChainId), input.userAddress ?? null);
  const userAddress = typeof account === "string" ? account : account.address;
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
  const read = () => getDeposit(client, { trackingId: first.trackingId, signal: options.signal });
  return walkSteps(client, { kind: "deposits", userAddress, first, read }, options);
}

/** A withdrawal to execute: all or some of the shares of a vault. */
export interface ExecuteWithdrawalInput extends ExecutionOptions {
  vaultId: string;
  /** Shares to withdraw in the share token's smallest unit, or `all`. */
  shares: bigint | "all";
  userAddress?: `0x${string}`;
  toChainId?: number;
  toToken?: `0x${string}`;
  slippage?: number;
  mode?: "auto" | "instant" | "request";
}

/** A withdrawal as the API follows it. */
export interface Withdrawal extends OrderReading {
  state: string;
  userAddress: `0x${string}`;
}

/**
 * Builds a withdrawal and walks through all its steps like `executeDeposit`, the claim of a request included. Returns it
 * in its last state. Throws CausewayError.
 */
export async function executeWithdrawal(
  client: CausewayClient,
  input: ExecuteWithdrawalInput,
): Promise<Withdrawal> {
  const { wallet, onProgress, signal, batch, ...rest } = input;
  const chainId = Number(input.vaultId.split(":")[0]);
  const account = await accountOf(await walletOn(wallet, chainId), input.userAddress ?? null);
  const userAddress = typeof account === "string" ? account : account.address;
  const body = { ...rest, userAddress };
  const request = { method: "POST", path: "/v1/withdraw/build", body, signal } as const;
  const first = (await client.request(request)) as OrderReading;
  return walkWithdrawal(client, {
    userAddress,
    first,
    options: { wallet, onProgress, signal, batch },
  });
}

/** Continues a withdrawal from its tracking id alone. Throws `withdrawal_not_found` and CausewayError. */
export async function continueWithdrawal(
  client: CausewayClient,
  { trackingId, ...options }: { trackingId: string } & ExecutionOptions,
): Promise<Withdrawal> {
  const path = `/v1/withdrawals/${trackingId}`;
  const first = (await client.request({ path, signal: options.signal })) as Withdrawal;
  return walkWithdrawal(client, { userAddress: first.userAddress, first, options });
}

function walkWithdrawal(
  client: CausewayClient,
  of: { userAddress: string; first: OrderReading; options: ExecutionOptions },
): Promise<Withdrawal> {
  const { userAddress, first, options } = of;
  const request = { path: `/v1/withdrawals/${first.trackingId}`, signal: options.signal };
  const read = async () => (await client.request(request)) as Withdrawal;
  return walkSteps(client, { kind: "withdrawals", userAddress, first, read }, options);
}

/**
 * Reads a deposit again and again and calls `onChange` with each reading that differs, until nothing is left to do or to
 * wait for, or the signal fires. Returns the last reading. A temporary failure of the API is tried again.
 */
export async function watchDeposit(
  client: CausewayClient,
  watch: { trackingId: string; onChange?: (deposit: Deposit) => void } & ActionOptions,
): Promise<Deposit> {
  const { trackingId, onChange, signal } = watch;
  let seen = "";
  for (;;) {
    const deposit = await readPatiently(() => getDeposit(client, { trackingId, signal }), signal);
    const { updatedAt, state, steps } = deposit;
    const version = [updatedAt, state, ...steps.map((step) => step.state)].join();
    if (version !== seen) onChange?.(deposit);
    seen = version;
    if (!steps.some((step) => step.state === "required" || step.state === "waiting")) return deposit;
    await pause(deposit.pollAfterMs, signal);
  }
}
