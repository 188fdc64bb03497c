import { type Address, encodeFunctionData, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { ExitFollowUp, ExitTerms, ExitTermsInput, PendingExit, VaultExits } from "../../vault-exits.ts";
import { addressParam } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { erc7540Exits, type UnshownRequests } from "../erc7540/erc7540-exits.ts";
import { cancelCall, cancellations, pendingCancellation } from "../erc7540/erc7887-cancellations.ts";

const centrifugeAbi = once(() =>
  parseAbi([
    "function isPermissioned(address controller) view returns (bool)",
    "function maxWithdraw(address controller) view returns (uint256)",
    "function asyncRedeemManager() view returns (address)",
    "function investments(address vault, address investor) view returns (uint128 maxMint, uint128 maxWithdraw)",
    "function withdraw(uint256 assets, address receiver, address controller) returns (uint256 shares)",
  ]),
);
const on = (vault: Vault) => ({ to: vault.entryPoint, abi: centrifugeAbi() }) as const;

/**
 * Returns a query for why a request would be refused: the owner is not a member (`not_allowed`), or a cancellation is
 * pending, which blocks new requests (`request_pending`). A view that fails counts as no reason.
 */
function views(vault: Vault, { owner }: ExitTermsInput): Query<Partial<ExitTerms>> {
  const member = createQuery(
    { permitted: read({ ...on(vault), name: "isPermissioned", args: [owner] }) },
    ({ permitted }) => valueOrNull(permitted),
  );
  const parts = queryAll({ member, cancelling: pendingCancellation(vault, { user: owner }) });
  return mapQuery(parts, ({ member: permitted, cancelling }): Partial<ExitTerms> => {
    if (permitted === false) return { refusal: "not_allowed" };
    return { refusal: cancelling === true ? "request_pending" : null };
  });
}

/**
 * Returns a query for a user's cancellations and for what the vault's manager owes an account to which the vault shows
 * nothing because it may not transfer shares, such as a frozen one. The result is null if one of them cannot be read.
 */
function ownRequests(vault: Vault, of: { user: Address }): Query<UnshownRequests | null> {
  const args = [vault.entryPoint, of.user] as const;
  const recordAt = (to: Address) => ({
    record: read({ to, abi: centrifugeAbi(), name: "investments", args }),
  });
  const owed = ({ record }: ReadResults<ReturnType<typeof recordAt>>) => valueOrNull(record)?.[1] ?? null;
  const stored = addressParam(vault, "redeem_manager");
  const first = {
    payable: read({ ...on(vault), name: "maxWithdraw", args: [of.user] }),
    manager: read({ ...on(vault), name: "asyncRedeemManager" }),
    ...recordAt(stored ?? vault.entryPoint),
  };
  const barred = readThen(first, ({ payable, manager, record }): Query<bigint | null> => {
    if (valueOrNull(payable)) return createQuery({}, () => 0n);
    if (!manager.ok) return createQuery({}, () => null);
    // With the manager of the registry entry, its record is there already.
    if (sameAddress(manager.value, stored ?? "")) return createQuery({}, () => owed({ record }));
    return createQuery(recordAt(manager.value), owed);
  });
  const parts = queryAll({ barred, own: cancellations(vault, of) });
  return mapQuery(parts, (seen) =>
    seen.barred === null || seen.own === null ? null : { ...seen.own, barred: seen.barred },
  );
}

function claim(
  vault: Vault,
  { user, request }: { user: Address; request: PendingExit },
): ExitFollowUp | null {
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
 * Withdrawals from Centrifuge vaults: a request, which may be fulfilled in parts, then a claim. A cancellation takes
 * effect later, and its shares must be claimed back. Sources: centrifuge/protocol, EIP-7540, EIP-7887.
 */
export const centrifugeExits: VaultExits = {
  returnsLater: () => true,
  ...erc7540Exits({
    views,
    requests: ownRequests,
    claim,
    cancel: cancelCall,
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
        // The escrow of the pool, which pays a claim only once it holds the assets.
        "error InsufficientBalance(address asset, uint256 tokenId, uint256 value, uint256 balance)":
          "no_liquidity",
      },
    }),
  }),
};
