import type { Address } from "viem";
import type { Context } from "../../context.ts";
import { AppError } from "../../errors.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { DepositClaimCall } from "../../vaults/vault-deposit-claim.ts";
import type { PendingExit } from "../../vaults/vault-exits.ts";
import { isRefusal } from "../choose-exit.ts";
import { asClaimable, requestCall } from "./request-calls.ts";
import { type RequestAction, simulateRequestCall } from "./simulate-request-action.ts";

/**
 * What a simulation shows of a claim or cancellation: the error of a build that refuses it, or null if none does or the
 * simulation failed; and what it brings, in the received token's smallest unit, null if unknown.
 */
export interface TriedRequestCall {
  refusal: AppError | null;
  received: bigint | null;
}

type Asking = { vault: Vault; user: Address; block: BlockTime };

/** Tries the claim or cancellation of a user's redemption request. Errors that are no AppErrors propagate. */
export function tryRequestCall(
  ctx: Context,
  of: Asking & { request: PendingExit; action: RequestAction },
): Promise<TriedRequestCall> {
  const { exits } = adapterOf(of.vault);
  return outcomeOf(async () => {
    if (exits === undefined) return null;
    const { received } = await simulateRequestCall(ctx, {
      ...of,
      call: requestCall({ ...of, exits }, of.action),
    });
    return received;
  });
}

/** Tries the claim for a user's deposit requests, as `tryRequestCall`. */
export function tryDepositClaim(
  ctx: Context,
  of: Asking & { call: DepositClaimCall },
): Promise<TriedRequestCall> {
  const request = asClaimable(of.vault, of.call);
  return outcomeOf(
    async () => (await simulateRequestCall(ctx, { ...of, request, action: "claim" })).received,
  );
}

async function outcomeOf(attempt: () => Promise<bigint | null>): Promise<TriedRequestCall> {
  try {
    return { refusal: null, received: await attempt() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { refusal: isRefusal(error) ? error : null, received: null };
  }
}
