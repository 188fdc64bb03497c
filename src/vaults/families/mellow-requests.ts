import { encodeFunctionData, isAddressEqual, parseAbi, parseEventLogs } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { AsyncDeposits, PendingDeposit } from "../adapter.ts";

const queueAbi = once(() =>
  parseAbi([
    "function requestOf(address) view returns (uint256 timestamp, uint256 assets)",
    "function claimableOf(address) view returns (uint256)",
    "function claim(address account) returns (bool)",
    "event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp)",
  ]),
);

/**
 * The one request that an account may have with a queue. The next report settles it; then anybody may claim
 * the shares for the account. Source: mellow-finance/flexible-vaults.
 */
export const mellowRequests: AsyncDeposits = {
  pending(vault, { user }) {
    const on = { to: vault.entryPoint, abi: queueAbi(), args: [user] } as const;
    return describe(
      { request: read({ ...on, name: "requestOf" }), claimable: read({ ...on, name: "claimableOf" }) },
      ({ request, claimable }): PendingDeposit => {
        const shares = valueOrNull(claimable);
        const asked = request.ok ? request.value[1] : null;
        // The request stays on record until its shares are claimed.
        const settled = shares !== null && shares > 0n;
        return {
          pendingAssets: settled ? 0n : shares === null ? null : asked,
          claimableShares: shares,
          claimableAssets: null,
        };
      },
    );
  },
  claim(vault, { user, pending }) {
    if (pending.claimableShares === null || pending.claimableShares === 0n) return null;
    const data = encodeFunctionData({ abi: queueAbi(), functionName: "claim", args: [user] });
    return { target: vault.entryPoint, data };
  },
  requestIn(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const requests = parseEventLogs({ abi: queueAbi(), eventName: "DepositRequested", logs: own });
    const found = requests.find(({ args }) => isAddressEqual(args.account, user));
    return found === undefined ? null : { requestId: null, assets: found.args.assets };
  },
};
