import { type Address, type Hex, padHex } from "viem";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { SimulationRead, SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { type AppError, failure } from "../../errors.ts";
import { isNative } from "../../lib/address.ts";
import { deductParts, PARTS_PER_BILLION } from "../../lib/amount.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { formatUnixTime } from "../../lib/unix-time.ts";
import type { UserCall } from "../../orders/order-wallet-calls.ts";
import { toTransactionRequest } from "../../orders/order-wallet-calls.ts";
import { unreadReceipt } from "../../orders/prepare-order-claim.ts";
import { readSimulationSetting } from "../../orders/read-simulation-setting.ts";
import {
  balanceOfRead,
  GAS_FUNDS,
  INCLUSION_DELAY_S,
  increaseOf,
  receivedTokens,
  simulatedHead,
  TRANSFER_ROUNDING,
} from "../../orders/simulate-order-payment.ts";
import type { Warning } from "../../schemas/step-schema.ts";
import type { TransactionRequest } from "../../schemas/transaction-schema.ts";
import { adapterOf, explainExitRevert } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { ExitFollowUp, PendingExit } from "../../vaults/vault-exits.ts";
import type { ExplainedRevert } from "../../vaults/vault-reverts.ts";
import { waitingShares } from "../withdrawal-order.ts";
import { hidesShares, saysTooLittleHeld, sharesHidden } from "../withdrawal-refusals.ts";
import { simulateInLimits } from "./simulate-in-limits.ts";

/** An action on a redemption request, its claim or cancellation, or the claim of a deposit request's shares. */
export type RequestAction = "claim" | "cancel";

/** The user's call that claims or cancels a request. `block` is the one at which the request was read. */
export interface RequestCall {
  vault: Vault;
  user: Address;
  request: PendingExit;
  action: RequestAction;
  call: ExitFollowUp;
  block: BlockTime;
}

/** Results of simulating a claim or cancellation. */
export interface SimulatedRequestCall {
  /** The call that the user's wallet sends. It needs no approval. */
  own: UserCall;
  transaction: TransactionRequest;
  /** Token that the user receives: that of the payment, or the shares. */
  token: Address;
  /** Amount that the user received, in the token's smallest unit, or null if unknown. */
  received: bigint | null;
  gasUsed: bigint;
  blockNumber: number;
  warnings: Warning[];
}

/**
 * Part of the stated amount that a claim or cancellation may lack without a warning, in parts per billion: 0.5%, the
 * default slippage of a withdrawal in the vault's own token.
 */
const TOLERANCE = PARTS_PER_BILLION / 200n;

/**
 * Simulates a claim or cancellation as sent by the user. If it brings over 0.5% less than the vault states, it gets the
 * warning `pays_less`, but throws `price_unsafe` to cancel a request that has not expired, and an AppError if it brings
 * nothing; none of these if the shares never left or return by a later transaction. What cannot be read is the warning
 * `received_unknown`. Throws an AppError if the call is refused, takes other shares, or cannot be simulated, and
 * `simulation_unavailable` if the token alone hides what arrives.
 */
export async function simulateRequestCall(ctx: Context, of: RequestCall): Promise<SimulatedRequestCall> {
  const { vault, user, call, block } = of;
  const { chainId } = vault;
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("vault_not_found", `there is no vault ${vault.vaultId}`);
  const own = { ...call, value: 0n };
  const token = receivedToken(of);
  // Fees in a setting would hide what arrives in native currency.
  const setting = isNative(token) ? null : await readSimulationSetting(ctx, chainId);
  const { simulation, made, gasUsed } = await simulateInLimits(setting, (limits) =>
    runSimulation(client, {
      ...{ user, calls: [{ ...own, ...limits.own }], standsAlone: true },
      reads: [balanceOfRead(vault.shareToken, user), ...payoutReads(token, user)],
      overrides: [
        { address: user, balance: limits.setting?.funds ?? GAS_FUNDS },
        ...(isNative(token) ? [NATIVE_READER] : []),
      ],
      ...{ time: block.timestamp + INCLUSION_DELAY_S, setting: limits.setting },
    }),
  );
  if (made === null || !made.ok) throw revertOf(of, made?.returnData ?? "0x");
  requireOtherSharesKept(of, simulation);
  const received = receivedBy(of, simulation);
  if (received === null && hidesReceipt(token, simulation))
    throw failure("simulation_unavailable", `what ${vault.name} would pay or return could not be read`);
  return {
    ...{ own, token, received, gasUsed },
    transaction: toTransactionRequest(own, { chainId, gasUsed }),
    blockNumber: simulatedHead(simulation, block),
    warnings: judged(of, received),
  };
}

const paysAssets = ({ action, request }: RequestCall): boolean =>
  action === "claim" && request.pays === "assets";

const receivedToken = (of: RequestCall): Address => (paysAssets(of) ? of.request.token : of.vault.shareToken);

/** Returns the error for a claim or cancellation that reverts: that of the vault's reason, otherwise `would_revert`. */
function revertOf(of: RequestCall, revert: Hex): AppError {
  const { code, text } = explainExitRevert(of.vault, revert);
  // A claim takes nothing from the account unless its shares are still there, so that it is the vault that lacks assets.
  const isShort = code === null && paysAssets(of) && !of.request.inWallet && saysTooLittleHeld(text);
  return requestRefusal(of, { code: isShort ? "no_liquidity" : code, text });
}

/** Returns the error for a claim or cancellation that the vault refuses: `would_revert` unless `code` is one of theirs. */
export function requestRefusal(
  { vault, action, request }: Pick<RequestCall, "vault" | "action" | "request">,
  { code, text }: ExplainedRevert,
): AppError {
  const name = action === "claim" ? "claim" : "cancellation";
  switch (code) {
    case "exits_paused":
      return failure(code, `${vault.name} does not pay withdrawals now`);
    case "not_allowed":
      return failure(code, `${vault.name} does not allow this account to do so`);
    case "no_liquidity":
      return failure(code, `${vault.name} does not have this much liquidity now`, { available: null });
    case "cooldown":
      return failure(code, `${vault.name} does not pay this request yet`, {
        until: formatUnixTime(request.earliest),
      });
    case "price_unsafe":
      return failure(code, `${vault.name} would pay less for this request than it promises`, {
        subject: "vault",
      });
    case "withdrawal_state":
      return failure(code, `${vault.name} does not allow the ${name} of this request now`);
    case "below_minimum":
      return failure(code, `${vault.name} accepts the ${name} of larger amounts only`, { min_deposit: null });
    case "nothing_to_withdraw":
      return failure(code, `${vault.name} has nothing to pay for this request`);
    default:
      return failure("would_revert", `the ${name} would revert: ${text ?? "without a reason"}`, {
        revert: text,
      });
  }
}

/**
 * Throws `price_unsafe` if a claim of assets takes more shares from the wallet than the request has there, and
 * `simulation_unavailable` if the share token alone hides that. Does nothing if the simulation reads nothing, or the
 * vault does not state the request's shares.
 */
function requireOtherSharesKept(of: RequestCall, simulation: SimulationResult): void {
  const { request, vault } = of;
  if (paysAssets(of) && hidesShares(simulation)) throw sharesHidden(of);
  const rise = increaseOf(simulation, 0);
  const own = request.inWallet ? request.shares : 0n;
  if (!paysAssets(of) || rise === null || own === null || -rise <= own + TRANSFER_ROUNDING) return;
  throw failure("price_unsafe", `${vault.name} takes more of the account's shares than the request has`, {
    subject: "vault",
  });
}

/** A codeless account, to which a simulation gives code that returns the native balance of the account in `data`. */
const NATIVE_READER = {
  address: "0x9f3c5e0bd6a1784c2de95b40f8a7361c0b5d2e94",
  // Load the account, BALANCE, store it at 0, return 32 bytes.
  code: "0x6000353160005260206000f3",
} as const satisfies { address: Address; code: Hex };

/** Returns the reads of a user's balance of a token; two of the native currency, to see whether reads cost gas. */
function payoutReads(token: Address, user: Address): SimulationRead[] {
  if (!isNative(token)) return [balanceOfRead(token, user)];
  const native = { target: NATIVE_READER.address, data: padHex(user, { size: 32 }) };
  return [native, native];
}

/** Returns by how much the user's native balance rose, or null if unread, or if the node charged the user for gas. */
function nativeRise(simulation: SimulationResult): bigint | null {
  const [, first, second] = simulation.before;
  return first === second ? increaseOf(simulation, 1) : null;
}

function receivedBy(of: RequestCall, simulation: SimulationResult): bigint | null {
  const token = receivedToken(of);
  if (isNative(token)) return nativeRise(simulation);
  return receivedTokens(simulation, { token, receiver: of.user, read: 1 });
}

/**
 * Returns true if a simulation could not read the account's balance of a token, although it returned logs or the
 * balance of shares: the token may hide what arrives. A plain call shows none of them.
 */
function hidesReceipt(token: Address, { before, after, calls }: SimulationResult): boolean {
  const shown = [before[0] ?? null, after[0] ?? null, calls.at(-1)?.logs ?? null].some((one) => one !== null);
  return shown && !isNative(token);
}

/** Returns what the vault states that the call brings, in the received token's smallest unit, or null if unknown. */
function statedAmount(of: RequestCall): bigint | null {
  const { action, request } = of;
  if (action === "claim") return paysAssets(of) ? request.claimableAssets : request.claimableShares;
  return waitingShares(request);
}

/** Returns the warnings of a call that brings this much. Throws as `simulateRequestCall` documents. */
function judged(of: RequestCall, received: bigint | null): Warning[] {
  const { vault, action, request } = of;
  const returnsNothing = request.inWallet || adapterOf(vault).exits?.returnsLater?.(vault) === true;
  const later = action === "cancel" && returnsNothing;
  if (later && received !== null && received < 0n)
    throw failure("price_unsafe", `${vault.name} would take shares for the cancellation`, {
      subject: "vault",
    });
  if (later) return [];
  if (received === null) return [unreadReceipt(vault)];
  if (received <= 0n && action === "claim")
    throw failure("nothing_to_withdraw", `${vault.name} would pay nothing for this request now`);
  if (received <= 0n)
    throw failure("price_unsafe", `${vault.name} would return no shares to the account`, {
      subject: "vault",
    });
  const stated = statedAmount(of);
  if (stated === null || received + 1n >= deductParts(stated, TOLERANCE)) return [];
  const detail = `${vault.name} would pay ${received} of the ${stated} smallest units that it states for this request`;
  if (action === "cancel" && request.state !== "expired")
    throw failure("price_unsafe", `${vault.name} would return fewer shares than the request has`, {
      subject: "vault",
    });
  return [{ code: "pays_less", detail }];
}
