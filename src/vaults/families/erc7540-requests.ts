import { encodeFunctionData, isAddressEqual, parseAbi, parseEventLogs } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { AsyncDeposits, PendingDeposit } from "../adapter.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function pendingDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function maxMint(address controller) view returns (uint256)",
    "function deposit(uint256 assets, address receiver, address controller) returns (uint256 shares)",
    "event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)",
  ]),
);
/** Stands for all requests of a controller, or for the last one. */
const ANY_REQUEST = 0n;

/**
 * Requests that the user makes and claims in person: controller, owner and receiver are one, so that nobody is
 * ever asked for an operator's rights. Source: EIP-7540.
 */
export const erc7540Requests: AsyncDeposits = {
  pending(vault, { user }) {
    const on = { to: vault.entryPoint, abi: requestsAbi() } as const;
    const args = [ANY_REQUEST, user] as const;
    return describe(
      {
        pending: read({ ...on, name: "pendingDepositRequest", args }),
        claimable: read({ ...on, name: "claimableDepositRequest", args }),
        shares: read({ ...on, name: "maxMint", args: [user] }),
      },
      ({ pending, claimable, shares }): PendingDeposit => {
        const assets = valueOrNull(claimable);
        const mintable = valueOrNull(shares);
        // A paused vault names no shares, though they are there.
        const known = assets === 0n || (mintable !== null && mintable > 0n);
        return {
          pendingAssets: valueOrNull(pending),
          claimableShares: assets === 0n ? 0n : known && assets !== null ? mintable : null,
          claimableAssets: assets,
        };
      },
    );
  },
  claim(vault, { user, pending }) {
    const assets = pending.claimableAssets;
    if (assets === null || assets === 0n) return null;
    const args = [assets, user, user] as const;
    return {
      target: vault.entryPoint,
      data: encodeFunctionData({ abi: requestsAbi(), functionName: "deposit", args }),
    };
  },
  requestIn(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const requests = parseEventLogs({ abi: requestsAbi(), eventName: "DepositRequest", logs: own });
    const found = requests.find(({ args }) => isAddressEqual(args.controller, user));
    if (found === undefined) return null;
    return { requestId: found.args.requestId.toString(), assets: found.args.assets };
  },
};
