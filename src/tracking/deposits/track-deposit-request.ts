import { getAddress, type Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { selectMadeTogether } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { sameAddress } from "../../lib/address.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { asyncDepositsOf } from "../../vaults/families/vault-families.ts";
import { findStoredVault } from "../../vaults/find-vault.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { AsyncDeposits, PendingDeposit, SubmittedRequest } from "../../vaults/vault-adapter.ts";
import { namesAccount } from "../../vaults/vault-log-arguments.ts";
import { readUncached } from "../../vaults/vault-state.ts";
import type { Transition } from "./deposit-transitions.ts";
import { MADE_FOR_OTHERS, ownRequestIn, provenBesides } from "./deposits-in-batch.ts";

/**
 * Reads the vault of a deposit or withdrawal from Postgres, whether its deposits are open or not. Throws
 * `vault_not_found`, also if its chain is no longer served or its row is invalid, and `store_unavailable`.
 */
export function findVaultOfDeposit(
  ctx: Context,
  row: Pick<DepositRow, "vaultChainId" | "vaultAddress">,
): Promise<Vault> {
  return findStoredVault(ctx, { chainId: row.vaultChainId, address: getAddress(row.vaultAddress) });
}

/** A user's deposit requests at an asynchronous vault, as the vault reports them at one block. */
export interface RequestState {
  vault: Vault;
  /** The family's functions for deposit requests. */
  requests: AsyncDeposits;
  /**
   * The total of the user's requests, whatever their ids; some vaults (ERC-7540) show only the last one. In a family
   * that reads requests only by id (Midas), that of this request alone, unknown while its id is unknown.
   */
  pending: PendingDeposit;
  block: BlockTime;
}

/**
 * Returns true if a deposit failed because its vault rejected the request or gave no shares for it; false for any other
 * deposit.
 */
export function isRejected({
  state,
  requestId,
  shares,
}: Pick<DepositRow, "requestId" | "shares"> & { state: string }): boolean {
  return state === "failed" && (requestId !== null || shares !== null);
}

/**
 * Reads the requests of a deposit's user (see `RequestState`). Null if the vault takes no deposit requests. Throws
 * `vault_not_found`, `chain_unsupported`, `store_unavailable` and errors of the RPC nodes.
 */
export async function readRequest(
  ctx: Context,
  row: Pick<DepositRow, "vaultChainId" | "vaultAddress" | "userAddress" | "requestId">,
): Promise<RequestState | null> {
  const { vaultChainId: chainId, requestId } = row;
  const vault = await findVaultOfDeposit(ctx, row);
  const requests = asyncDepositsOf(vault);
  if (requests === null) return null;
  const requestIds = requestId === null ? [] : [requestId];
  const described = requests.pending(vault, { user: getAddress(row.userAddress), requestIds });
  const { value: pending, block } = await readUncached(ctx, { chainId, query: described });
  return { vault, requests, pending, block };
}

/**
 * Returns true if the vault's views show nothing pending or claimable, false if something, null if they do not tell.
 * The amounts may be those of several requests of the user: false does not mean that a certain one is still open.
 */
export function isRequestGone({
  pendingAssets,
  claimableShares,
  claimableAssets,
}: PendingDeposit): boolean | null {
  const open = [pendingAssets, claimableShares, claimableAssets].some((amount) => (amount ?? 0n) > 0n);
  if (open) return false;
  return pendingAssets === null || claimableShares === null ? null : true;
}

/** Maximum number of a vault's logs about one account that are searched for requests. */
const MAX_LOGS = 100;

/** Finds the requests that a deposit's user made at an asynchronous vault in a receipt, in log order. Pure. */
export function requestsIn(
  { logs }: Receipt,
  { vault, row }: { vault: Vault; row: Pick<DepositRow, "userAddress"> },
): SubmittedRequest[] {
  const user = getAddress(row.userAddress);
  const own = logs.filter(
    (log) => sameAddress(log.address, vault.entryPoint) && namesAccount(log, { account: user }),
  );
  // One event tells a request.
  return own
    .slice(0, MAX_LOGS)
    .flatMap((log) => asyncDepositsOf(vault)?.findRequest(vault, { user, logs: [log] }) ?? []);
}

/**
 * Returns the transition of a deposit whose transaction made a request at an asynchronous vault: of several in one batch
 * one for its amount that no other deposit has, or `MADE_FOR_OTHERS`. Empty if the receipt shows no request of the user.
 * Throws `vault_not_found`, `store_unavailable`.
 */
export async function requestTransitions(
  ctx: Context,
  at: { row: DepositRow; hash: Hex; receipt: Receipt; confirmed: boolean },
): Promise<Transition[]> {
  const { row, hash, receipt, confirmed } = at;
  const vault = await findVaultOfDeposit(ctx, row);
  const found = requestsIn(receipt, { vault, row });
  if (found.length === 0) return [];
  const others = await selectMadeTogether(ctx.db, { row, hash });
  const request = ownRequestIn(row, { found, asset: vault.asset.address, receipt, others });
  // Shares that arrive with it are those of earlier requests.
  if (request === null) return [MADE_FOR_OTHERS];
  const change = {
    substatus: null,
    depositTxHash: hash,
    requestId: request.requestId,
    receivedAmount: request.assets?.toString() ?? null,
  };
  const event = { kind: "chain", shows: "vault_requested", confirmed } as const;
  return [provenBesides(others, { event, change, write: "on_change" })];
}
