import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { mintEffect, requestEffect } from "../orders/order-expected-effect.ts";
import { exactFloor, orderDeadline } from "../orders/order-floors.ts";
import { allowedLoss, minimumShares } from "../orders/order-slippage.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { decodeRouterError } from "../router/router-codec.ts";
import { asyncDepositsOf } from "../vaults/families/vault-families.ts";
import type { AsyncDeposits } from "../vaults/vault-adapter.ts";
import { type DepositFloors, encodeDepositCall, vaultCall, verifyDepositCall } from "./deposit-calldata.ts";
import type { DepositIntent } from "./deposit-intent.ts";
import {
  explainDepositRevert,
  type Preflight,
  preflightDeposit,
  preflightOfRead,
  type ReadDeposit,
} from "./deposit-preflight.ts";
import { type SimulatedDeposit, simulateDeposit } from "./simulate-deposit.ts";

/**
 * An encoded, verified and simulated deposit by one transaction on the vault's chain. In a move, `intent.token` and
 * `intent.amount` are the other vault's shares, and `depositAmount` is in the deposited token.
 */
export interface DirectDeposit {
  intent: DepositIntent;
  /**
   * State read before the deposit was encoded: conditions, balances, allowance. Of a move, balance and allowance are
   * those of the shares that pay.
   */
  checked: Preflight;
  /** The call that the user's wallet sends: to the Router, or to the vault's entry point. */
  deposit: UserCall;
  /**
   * Expected amount of the vault's deposit call, in the deposited token's smallest unit: less than the user pays if the
   * Router receives less, as of a token that charges a fee on transfers. The vault may receive less than this amount.
   */
  depositAmount: bigint;
  floors: DepositFloors;
  /**
   * Shares minted in the simulation, in the share token's smallest unit. For an async request, whose shares are minted
   * later, the shares of the vault's preview.
   */
  expectedShares: bigint;
  simulated: Extract<SimulatedDeposit, { ok: true }>;
}

/**
 * Checks, encodes, verifies and simulates a direct deposit, also of a token that charges a fee on transfers. `known`:
 * what was read for it; absent: it is read. Throws an AppError if it is refused or its simulation reverts. Errors of the
 * RPC nodes propagate.
 */
export async function prepareDirect(
  ctx: Context,
  { known, ...intent }: DepositIntent & { known?: ReadDeposit | undefined },
): Promise<DirectDeposit> {
  const first = await attemptDirect(ctx, { intent, depositAmount: intent.amount, known });
  if (first.simulated.ok) return toDirectDeposit(intent, first);
  const arrived = arrivedAmount(first.simulated.revert);
  if (arrived === null || arrived === 0n || arrived >= intent.amount) throw explainFailure(intent, first);
  const second = await attemptDirect(ctx, { intent, depositAmount: arrived });
  if (second.simulated.ok) return toDirectDeposit(intent, second);
  throw explainFailure(intent, second);
}

type DirectAttempt = Omit<DirectDeposit, "intent" | "simulated" | "expectedShares"> & {
  simulated: SimulatedDeposit;
};

async function attemptDirect(
  ctx: Context,
  input: { intent: DepositIntent; depositAmount: bigint; known?: ReadDeposit | undefined },
): Promise<DirectAttempt> {
  const { intent, depositAmount, known } = input;
  const asked = { intent, amount: depositAmount };
  const checked = known === undefined ? await preflightDeposit(ctx, asked) : preflightOfRead(asked, known);
  const promised = minimumShares(checked.previewShares, allowedLoss(intent.slippage, false));
  const async = checked.terms.async === true;
  const own = intent.entry.via === "user" ? vaultCall(intent, { minShares: promised, async }) : null;
  const enforced = own === null || (!own.async && own.minShares === "native");
  const floors: DepositFloors = {
    minIn: depositAmount,
    minShares: enforced ? promised : null,
    deadline: orderDeadline(checked.block.timestamp),
    async,
  };
  const deposit = encodeDepositCall(intent, floors);
  verifyDepositCall(intent, { call: deposit, floors });
  const effect =
    own?.async === true ? requestEffect(intent, requiredAsyncDeposits(intent)) : mintEffect(intent);
  const simulated = await simulateDeposit(ctx, { intent, checked, deposit, effect });
  return { checked, deposit, depositAmount, floors, simulated };
}

function toDirectDeposit(intent: DepositIntent, made: DirectAttempt): DirectDeposit {
  const { simulated } = made;
  if (!simulated.ok) throw new TypeError("not a success");
  const { previewShares } = made.checked;
  if (simulated.shares === null) return { ...made, intent, simulated, expectedShares: previewShares };
  const promised = minimumShares(previewShares, allowedLoss(intent.slippage, false));
  // The Router enforces the minimum itself; a deposit that the user makes at the vault may have no such check.
  if (simulated.shares > 0n && simulated.shares < promised) {
    throw failure("price_unsafe", `${intent.vault.name} mints fewer shares than its preview promises`, {
      subject: "vault",
    });
  }
  if (simulated.shares <= 0n)
    throw failure("zero_shares", `${intent.vault.name} would mint no shares for this amount`);
  return { ...withFloorOf(intent, { ...made, simulated }), intent, expectedShares: simulated.shares };
}

type Succeeded = Extract<SimulatedDeposit, { ok: true }>;

/**
 * Raises the minimum shares of a deposit to its simulated shares less the slippage, if the minimum from the vault's
 * preview was lower. A preview that understates the shares thus does not weaken the minimum.
 */
function withFloorOf(
  intent: DepositIntent,
  { simulated, ...made }: DirectAttempt & { simulated: Succeeded },
) {
  const { floors } = made;
  const { minOut } = exactFloor(simulated.shares ?? 0n, allowedLoss(intent.slippage, false));
  if (floors.minShares === null || floors.minShares >= minOut) return { ...made, simulated };
  const raised = { ...floors, minShares: minOut };
  const deposit = encodeDepositCall(intent, raised);
  verifyDepositCall(intent, { call: deposit, floors: raised });
  const calls = [...simulated.calls.slice(0, -1), deposit];
  return { ...made, floors: raised, deposit, simulated: { ...simulated, calls } };
}

function requiredAsyncDeposits({ vault }: DepositIntent): AsyncDeposits {
  const requests = asyncDepositsOf(vault);
  if (requests === null) throw new TypeError(`${vault.adapter} encodes requests that it cannot follow`);
  return requests;
}

/**
 * Returns the amount that reached the Router if the Router reverted because it was below the minimum, or null for any
 * other revert.
 */
function arrivedAmount(revert: `0x${string}`): bigint | null {
  const error = decodeRouterError(revert);
  const received = error?.name === "InputBelowMinimum" ? error.args[0] : null;
  return typeof received === "bigint" ? received : null;
}

function explainFailure(
  intent: DepositIntent,
  { depositAmount: amount, simulated, checked }: DirectAttempt,
): AppError {
  const failed = simulated.ok ? ({ revert: "0x", failedCall: "deposit" } as const) : simulated;
  return explainDepositRevert({ intent, amount, terms: checked.terms }, failed);
}
