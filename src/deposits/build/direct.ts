import type { Context } from "../../context.ts";
import { type AppError, failure } from "../../errors.ts";
import { allowedLoss, minimumShares } from "../../orders/slippage.ts";
import type { UserCall } from "../../orders/wallet-calls.ts";
import { decodeRouterError } from "../../router/codec.ts";
import { asyncDepositsOf } from "../../vaults/families.ts";
import type { AsyncDeposits } from "../../vaults/vault-adapter.ts";
import { type DepositFloors, encodeDepositCall, vaultCall, verifyDepositCall } from "./calldata.ts";
import type { DepositIntent } from "./order.ts";
import { explainDepositRevert, type Preflight, preflightDeposit } from "./preflight.ts";
import { mintEffect, requestEffect, type SimulatedDeposit, simulateDeposit } from "./simulate.ts";

/** How long a quote lives, by our clock. */
export const QUOTE_TTL_MS = 5 * 60_000;
/** How much longer the chain accepts the transaction: blocks and wallets take their time. Seconds. */
const DEADLINE_GRACE_S = 600;

/** A deposit on the vault's chain that was encoded, read back and seen to work. Amounts in smallest units. */
export interface DirectDeposit {
  intent: DepositIntent;
  checked: Preflight;
  deposit: UserCall;
  /** What reaches the vault: the amount, or what a token with a fee on transfers leaves of it. */
  depositAmount: bigint;
  floors: DepositFloors;
  /** By the simulation; for a request, whose shares come later, by the vault's preview. */
  expectedShares: bigint;
  simulated: Extract<SimulatedDeposit, { ok: true }>;
}

/**
 * Check → encode → verify → simulate. A token that takes a fee on transfers shows itself in the first
 * simulation (the Router names what arrived); the floors are then made for that amount.
 * Throws the refusals of `preflightDeposit`, `would_revert`, `simulation_unavailable`, `upstream_rejected`.
 */
export async function prepareDirect(ctx: Context, intent: DepositIntent): Promise<DirectDeposit> {
  const first = await attemptDirect(ctx, { intent, depositAmount: intent.amount });
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
  input: { intent: DepositIntent; depositAmount: bigint },
): Promise<DirectAttempt> {
  const { intent, depositAmount } = input;
  const checked = await preflightDeposit(ctx, { intent, amount: depositAmount });
  const promised = minimumShares(checked.previewShares, allowedLoss(intent.slippage, false));
  const async = checked.terms.async === true;
  const own = intent.entry.via === "user" ? vaultCall(intent, { minShares: promised, async }) : null;
  const enforced = own === null || (!own.async && own.minShares === "native");
  const floors: DepositFloors = {
    minIn: depositAmount,
    minShares: enforced ? promised : null,
    deadline: BigInt(checked.block.timestamp + QUOTE_TTL_MS / 1000 + DEADLINE_GRACE_S),
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
  // The Router has seen to that itself; where the user deposits directly nobody has.
  if (simulated.shares > 0n && simulated.shares < promised) {
    throw failure("price_unsafe", `${intent.vault.name} mints fewer shares than its own preview says`);
  }
  if (simulated.shares <= 0n)
    throw failure("zero_shares", `${intent.vault.name} would mint no shares for this amount`);
  return { ...made, intent, simulated, expectedShares: simulated.shares };
}

function requiredAsyncDeposits({ vault }: DepositIntent): AsyncDeposits {
  const requests = asyncDepositsOf(vault);
  if (requests === null) throw new TypeError(`${vault.adapter} encodes requests that it cannot follow`);
  return requests;
}

/** What reached the Router's clone, when the Router refused it as too little. */
function arrivedAmount(revert: `0x${string}`): bigint | null {
  const error = decodeRouterError(revert);
  const received = error?.name === "InputBelowMinimum" ? error.args[0] : null;
  return typeof received === "bigint" ? received : null;
}

function explainFailure(
  intent: DepositIntent,
  { depositAmount: amount, simulated, checked }: DirectAttempt,
): AppError {
  return explainDepositRevert(
    { intent, amount, terms: checked.terms },
    simulated.ok ? "0x" : simulated.revert,
  );
}
