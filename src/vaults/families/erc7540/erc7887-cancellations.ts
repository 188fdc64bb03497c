import { type Address, encodeFunctionData, parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { ExitFollowUp, PendingExit } from "../../vault-exits.ts";

const cancellationAbi = once(() =>
  parseAbi([
    "function supportsInterface(bytes4) view returns (bool)",
    "function pendingCancelRedeemRequest(uint256 requestId, address controller) view returns (bool)",
    "function claimableCancelRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
    "function cancelRedeemRequest(uint256 requestId, address controller)",
    "function claimCancelRedeemRequest(uint256 requestId, address receiver, address controller) returns (uint256)",
  ]),
);
/** ERC-165 identifier of cancellations of redemption requests. Source: EIP-7887. */
const CANCEL_REDEEM = "0xe76cffc7";
/** Request id that all requests of a controller share. */
const REQUEST_ID = 0n;
/**
 * Request id under which the shares of a cancelled request are listed when the pending request no longer contains them,
 * until the user claims them back. The vault itself has no id for them.
 */
export const RETURNED_SHARES = "cancelled";

/** State of the cancellations of a user's redemption requests, which the view functions of ERC-7540 do not return. */
export interface OwnRequests {
  /** True if the user may be able to cancel a pending request now. */
  cancellable: boolean;
  /**
   * True if a cancellation is pending. Absent if none can be pending, for example because cancellations take effect
   * immediately.
   */
  cancelling?: boolean;
  /**
   * Shares of cancelled requests that can be claimed back later and are not counted in the pending request, in the
   * share token's smallest unit.
   */
  returning: bigint;
  /**
   * Shares of cancelled requests that can be claimed back now, in the share token's smallest unit; 0 in families whose
   * cancellation returns the shares immediately.
   */
  returned: bigint;
}

const on = (vault: Vault) => ({ to: vault.entryPoint, abi: cancellationAbi() }) as const;

/**
 * Returns a query for whether a vault has the cancellations of EIP-7887 according to ERC-165; false if that cannot be
 * read. A view alone proves nothing, because a contract may answer calls to functions that it does not have.
 */
export const hasCancellations = (vault: Vault): Query<boolean> =>
  createQuery(
    { supported: read({ ...on(vault), name: "supportsInterface", args: [CANCEL_REDEEM] }) },
    ({ supported }) => valueOrNull(supported) === true,
  );

/**
 * Returns a query for whether a cancellation of the user's redemption requests is pending, which blocks new requests.
 * Null if it cannot be read.
 */
export const pendingCancellation = (vault: Vault, { user }: { user: Address }): Query<boolean | null> =>
  createQuery(
    { cancelling: read({ ...on(vault), name: "pendingCancelRedeemRequest", args: [REQUEST_ID, user] }) },
    ({ cancelling }) => valueOrNull(cancelling),
  );

/**
 * Returns a query for the cancellations of a user's redemption requests: whether one is pending, and the shares that
 * can be claimed back. The result is null if either cannot be read.
 */
export function cancellations(vault: Vault, { user }: { user: Address }): Query<OwnRequests | null> {
  return createQuery(
    {
      cancelling: read({ ...on(vault), name: "pendingCancelRedeemRequest", args: [REQUEST_ID, user] }),
      returned: read({ ...on(vault), name: "claimableCancelRedeemRequest", args: [REQUEST_ID, user] }),
    },
    ({ cancelling, returned }): OwnRequests | null => {
      if (!cancelling.ok || !returned.ok) return null;
      const own = { cancellable: !cancelling.value, cancelling: cancelling.value, returned: returned.value };
      // The pending request keeps the shares until the vault has answered, so they are counted there.
      return { ...own, returning: 0n };
    },
  );
}

/** State of requests that cannot be cancelled and have not been. */
export const NOTHING_CANCELLED: OwnRequests = { cancellable: false, returning: 0n, returned: 0n };

/** Encodes the cancellation of a user's redemption requests. It takes effect when the vault processes it. */
export const cancelCall = (vault: Vault, { user }: { user: Address }): ExitFollowUp => ({
  target: vault.entryPoint,
  data: encodeFunctionData({
    abi: cancellationAbi(),
    functionName: "cancelRedeemRequest",
    args: [REQUEST_ID, user],
  }),
});

/** Encodes the claim of the shares that cancellations returned. Null if none are known to be claimable. */
export function returnedSharesClaim(
  vault: Vault,
  { user, request }: { user: Address; request: PendingExit },
): ExitFollowUp | null {
  if ((request.claimableShares ?? 0n) === 0n) return null;
  const args = [REQUEST_ID, user, user] as const;
  const data = encodeFunctionData({ abi: cancellationAbi(), functionName: "claimCancelRedeemRequest", args });
  return { target: vault.entryPoint, data };
}
