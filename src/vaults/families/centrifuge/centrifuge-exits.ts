import { type Address, encodeFunctionData, parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { ExitFollowUp, ExitTerms, ExitTermsInput, PendingExit, VaultExits } from "../../vault-exits.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { erc7540Exits, type OwnRequests, RETURNED_SHARES } from "../erc7540/erc7540-exits.ts";

const centrifugeAbi = once(() =>
  parseAbi([
    "function isPermissioned(address controller) view returns (bool)",
    "function pendingCancelRedeemRequest(uint256 requestId, address controller) view returns (bool)",
    "function claimableCancelRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
    "function pendingRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
    "function withdraw(uint256 assets, address receiver, address controller) returns (uint256 shares)",
    "function cancelRedeemRequest(uint256 requestId, address controller)",
    "function claimCancelRedeemRequest(uint256 requestId, address receiver, address controller) returns (uint256)",
  ]),
);
/** Request id that all requests of a controller share. */
const REQUEST_ID = 0n;
const on = (vault: Vault) => ({ to: vault.entryPoint, abi: centrifugeAbi() }) as const;

/**
 * Returns a query for whether the owner is a member, and whether a cancellation is pending, which blocks new requests.
 */
function views(vault: Vault, { owner }: ExitTermsInput): Query<Partial<ExitTerms>> {
  return createQuery(
    {
      permitted: read({ ...on(vault), name: "isPermissioned", args: [owner] }),
      cancelling: read({ ...on(vault), name: "pendingCancelRedeemRequest", args: [REQUEST_ID, owner] }),
    },
    ({ permitted, cancelling }): Partial<ExitTerms> => {
      if (valueOrNull(permitted) === false) return { refusal: "not_allowed" };
      return { refusal: valueOrNull(cancelling) === true ? "request_pending" : null };
    },
  );
}

/**
 * Returns a query for a user's cancelled redemption requests: whether one is pending, and the shares that can be
 * claimed back.
 */
function cancellations(vault: Vault, { user }: { user: Address }): Query<OwnRequests> {
  return createQuery(
    {
      cancelling: read({ ...on(vault), name: "pendingCancelRedeemRequest", args: [REQUEST_ID, user] }),
      returned: read({ ...on(vault), name: "claimableCancelRedeemRequest", args: [REQUEST_ID, user] }),
    },
    ({ cancelling, returned }): OwnRequests => ({
      cancellable: valueOrNull(cancelling) === false,
      // The pending request keeps the shares until the hub has answered, so they are counted there.
      returning: 0n,
      returned: valueOrNull(returned) ?? 0n,
    }),
  );
}

function claim(
  vault: Vault,
  { user, request }: { user: Address; request: PendingExit },
): ExitFollowUp | null {
  if (request.requestId === RETURNED_SHARES) {
    const args = [REQUEST_ID, user, user] as const;
    const data = encodeFunctionData({ abi: centrifugeAbi(), functionName: "claimCancelRedeemRequest", args });
    return request.claimableShares === 0n ? null : { target: vault.entryPoint, data };
  }
  const assets = request.claimableAssets;
  if (assets === null || assets === 0n) return null;
  // A claim in shares leaves assets behind.
  const data = encodeFunctionData({
    abi: centrifugeAbi(),
    functionName: "withdraw",
    args: [assets, user, user],
  });
  return { target: vault.entryPoint, data };
}

/**
 * Withdrawals from Centrifuge vaults: a request, which Centrifuge's hub fulfils, possibly in parts, then a claim of the
 * assets. A cancellation takes effect later, and its shares must be claimed back. Sources: centrifuge/protocol,
 * EIP-7540, EIP-7887.
 */
export const centrifugeExits: VaultExits = {
  returnsLater: true,
  ...erc7540Exits({
    views,
    requests: cancellations,
    claim,
    cancel: (vault, { user }) => ({
      target: vault.entryPoint,
      data: encodeFunctionData({
        abi: centrifugeAbi(),
        functionName: "cancelRedeemRequest",
        args: [REQUEST_ID, user],
      }),
    }),
    explain: familyErrors({
      errors: {
        "error CancellationIsPending()": "request_pending",
        "error TransferNotAllowed()": "not_allowed",
        "error TransferBlocked()": "not_allowed",
        "error InvalidController()": "not_allowed",
        "error InvalidOwner()": "not_allowed",
        "error ExceedsMaxRedeem()": "withdrawal_state",
        "error ExceedsRedeemLimits()": "withdrawal_state",
        "error ZeroAmountNotAllowed()": "nothing_to_withdraw",
        "error NoPendingRequest()": "withdrawal_state",
      },
    }),
  }),
};
