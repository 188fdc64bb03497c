import type { Address, Hex } from "viem";
import { type Described, describeAll, mapDescribed } from "../chains/read.ts";
import type { OpenRequest } from "../db/queries/user-record.ts";
import type { AsyncDeposits, PendingDeposit } from "../vaults/adapter.ts";
import { requestsOf } from "../vaults/adapters.ts";
import type { Vault } from "../vaults/vault.ts";

/** What a user has asked a vault for, and the claim of what it has settled; null: there is none to be made. */
export interface PendingPosition extends PendingDeposit {
  vault: Vault;
  claim: { target: Address; data: Hex } | null;
}

/** An asynchronous vault, how it is asked, and the requests of the user that are known by number. */
interface Asked {
  vault: Vault;
  requests: AsyncDeposits;
  requestIds: readonly string[];
}

/** The vaults among some that take deposits as requests. */
export function asyncVaults(vaults: readonly Vault[]): Omit<Asked, "requestIds">[] {
  return vaults.flatMap((vault) => {
    const requests = requestsOf(vault);
    return requests === null ? [] : [{ vault, requests }];
  });
}

/** What a user has asked a chain's asynchronous vaults for; null where no vault of the chain takes requests. */
export function describePending(query: {
  user: Address;
  vaults: readonly Vault[];
  open: readonly OpenRequest[];
}): Described<PendingPosition[]> | null {
  const { user } = query;
  const asked = asyncVaults(query.vaults).map((one) => ({
    ...one,
    requestIds: idsOf(one.vault, query.open),
  }));
  if (asked.length === 0) return null;
  const parts: Record<string, Described<PendingDeposit>> = Object.fromEntries(
    asked.map(({ vault, requests, requestIds }) => [
      vault.vaultId,
      requests.pending(vault, { user, requestIds }),
    ]),
  );
  return mapDescribed(describeAll(parts), (value) =>
    asked.flatMap((one) => {
      const pending = value[one.vault.vaultId];
      return pending === undefined ? [] : toPending(user, { ...one, pending });
    }),
  );
}

function idsOf({ chainId, address }: Vault, open: readonly OpenRequest[]): string[] {
  const own = open.filter((one) => one.chainId === chainId && one.vaultAddress === address.toLowerCase());
  return own.map(({ requestId }) => requestId);
}

function toPending(user: Address, of: Asked & { pending: PendingDeposit }): PendingPosition[] {
  const { vault, pending, requests, requestIds } = of;
  const { pendingAssets, claimableShares, claimableAssets } = pending;
  const some = [pendingAssets, claimableShares, claimableAssets].some((amount) => (amount ?? 0n) > 0n);
  // What is not known of a request that is known to be there is told; what nobody knows of is not.
  if (!some && !(pendingAssets === null && requestIds.length > 0)) return [];
  return [{ ...pending, vault, claim: requests.claim(vault, { user, pending }) }];
}
