import type { Address } from "viem";
import { type AppError, failure } from "../../errors.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { formatUnixTime } from "../../lib/unix-time.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { DepositClaimCall } from "../../vaults/vault-deposit-claim.ts";
import {
  type ExitFollowUp,
  type PendingExit,
  unknownPendingExit,
  type VaultExits,
} from "../../vaults/vault-exits.ts";
import { mayCancel } from "../withdrawal-order.ts";
import { type RequestAction, requestRefusal } from "./simulate-request-action.ts";

/** A user's redemption request, as the vault showed it at `block`. */
export interface SeenRequest {
  vault: Vault;
  exits: VaultExits;
  user: Address;
  request: PendingExit;
  block: BlockTime;
}

/** Returns the request whose claim brings what a user's settled or cancelled deposit requests bring. */
export const asClaimable = (vault: Vault, claim: DepositClaimCall): PendingExit => ({
  ...{ ...unknownPendingExit, token: vault.asset.address },
  pays: claim.paysBack === true ? "assets" : "shares",
});

/** Encodes the claim or cancellation of a request. Throws an AppError if the request's state rules it out. */
export const requestCall = (asked: SeenRequest, action: RequestAction): ExitFollowUp =>
  action === "claim" ? claimCall(asked) : cancelCall(asked);

function claimCall(asked: SeenRequest): ExitFollowUp {
  const { vault, exits, user, request } = asked;
  if (request.state !== "claimable") throw notClaimable(asked);
  const call = exits.claim?.(vault, { user, request }) ?? null;
  if (call === null) throw failure("mode_unsupported", `${vault.name} pays this request without a claim`);
  return call;
}

/** Returns the error for the claim of a request that is not claimable. */
export function notClaimable(of: Pick<SeenRequest, "vault" | "request" | "block">): AppError {
  const { vault, request, block } = of;
  const { earliest, state } = request;
  if (state === "pending" && earliest !== null && earliest > block.timestamp) {
    const until = formatUnixTime(earliest);
    const when =
      until === null ? "does not pay this request yet" : `pays this request at ${until} at the earliest`;
    return failure("cooldown", `${vault.name} ${when}`, { until });
  }
  if (state === "pending" && request.refusal !== undefined)
    return requestRefusal({ vault, request, action: "claim" }, { code: request.refusal, text: null });
  if (state === "pending")
    return failure("request_pending", `${vault.name} has not settled this request yet`);
  const why =
    state === "rejected"
      ? "rejected this request"
      : "no longer pays this request, because its claim window has ended";
  return failure("nothing_to_withdraw", `${vault.name} ${why}`);
}

function cancelCall({ vault, exits, user, request }: SeenRequest): ExitFollowUp {
  const never = failure("mode_unsupported", `${vault.name} does not allow requests to be cancelled`);
  if (!mayCancel(vault)) throw never;
  if (!request.cancellable)
    throw failure("withdrawal_state", `${vault.name} does not allow this request to be cancelled now`);
  const call = exits.cancel?.(vault, { user, request }) ?? null;
  if (call === null) throw never;
  return call;
}
