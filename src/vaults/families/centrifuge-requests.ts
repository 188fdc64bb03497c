import { encodeFunctionData, parseAbi } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { AsyncDeposits, PendingDeposit } from "../adapter.ts";
import { erc7540Requests } from "./erc7540-requests.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function pendingDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function maxMint(address controller) view returns (uint256)",
    "function isPermissioned(address controller) view returns (bool)",
    "function mint(uint256 shares, address receiver, address controller) returns (uint256 assets)",
  ]),
);
/** All requests of a controller are one. */
const THE_REQUEST = 0n;

/**
 * Requests that the user makes and claims in person. The vault remembers shares; what they are in assets is rounded
 * down twice and leaves some of them behind when it is claimed, so they are claimed as shares. Of somebody who is
 * no member any more it says that nothing may be claimed, not that there is nothing. Source: centrifuge/protocol.
 */
export const centrifugeRequests: AsyncDeposits = {
  ...erc7540Requests,
  pending(vault, { user }) {
    const on = { to: vault.entryPoint, abi: requestsAbi() } as const;
    const args = [THE_REQUEST, user] as const;
    return describe(
      {
        pending: read({ ...on, name: "pendingDepositRequest", args }),
        claimable: read({ ...on, name: "claimableDepositRequest", args }),
        shares: read({ ...on, name: "maxMint", args: [user] }),
        permitted: read({ ...on, name: "isPermissioned", args: [user] }),
      },
      ({ pending, claimable, shares, permitted }): PendingDeposit => {
        const barred = valueOrNull(permitted) === false;
        return {
          pendingAssets: valueOrNull(pending),
          claimableShares: barred ? null : valueOrNull(shares),
          claimableAssets: barred ? null : valueOrNull(claimable),
        };
      },
    );
  },
  claim(vault, { user, pending }) {
    const shares = pending.claimableShares;
    if (shares === null || shares === 0n) return null;
    const args = [shares, user, user] as const;
    return {
      target: vault.entryPoint,
      data: encodeFunctionData({ abi: requestsAbi(), functionName: "mint", args }),
    };
  },
};
