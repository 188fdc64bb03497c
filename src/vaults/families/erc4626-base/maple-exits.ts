import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import {
  createQuery,
  type Query,
  type ReadResult,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  type ExitSettlement,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  unknownPendingExit,
} from "../../vault-exits.ts";
import { addressParam, withWithdrawSeconds } from "../../vault-params.ts";
import type { Identification } from "./erc4626-derivation.ts";
import { erc4626ExitReads, erc4626ExitTermsOf } from "./erc4626-exits.ts";

/** ABI of a Maple pool and its two managers (pool manager and withdrawal manager). Source: maple-labs/pool-v2. */
export const mapleAbi = once(() =>
  parseAbi([
    "function convertToExitAssets(uint256 shares) view returns (uint256)",
    "function maxRedeem(address owner) view returns (uint256)",
    "function totalAssets() view returns (uint256)",
    "function unrealizedLosses() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function manager() view returns (address)",
    "function withdrawalManager() view returns (address)",
    "function lockedShares(address owner) view returns (uint256)",
    "function requestRedeem(uint256 shares, address owner) returns (uint256)",
    "function removeShares(uint256 shares, address owner) returns (uint256)",
    "function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)",
    "event RedemptionRequested(address indexed owner, uint256 shares, uint256 escrowedShares)",
    "event SharesRemoved(address indexed owner, uint256 shares)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

/**
 * Returns a query for a Maple pool's registry parameters: `params` with `exit` = `maple`, without `withdraw_seconds`,
 * and with the lowercase addresses of both managers if the pool manager names the withdrawal manager.
 */
export function identifyMaple(
  params: Readonly<Record<string, string>>,
  manager: Address,
): Query<Identification> {
  const found = read({ to: manager, abi: mapleAbi(), name: "withdrawalManager" });
  return createQuery({ found }, (results): Identification => {
    const requests = valueOrNull(results.found)?.toLowerCase();
    const managers =
      requests === undefined ? {} : { pool_manager: manager.toLowerCase(), withdrawal_manager: requests };
    return { ok: true, params: withWithdrawSeconds({ ...params, exit: "maple", ...managers }, null) };
  });
}

/**
 * Returns a query for the conditions of a redemption request in a Maple pool. The payment is priced later; the estimate
 * at the current price by `convertToExitAssets` deducts unrealised losses.
 */
export function mapleTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const exit = read({
    to: vault.entryPoint,
    abi: mapleAbi(),
    name: "convertToExitAssets",
    args: [request.shares],
  });
  return createQuery({ ...erc4626ExitReads(vault, request), exit }, ({ exit: price, ...results }) => ({
    ...erc4626ExitTermsOf(results),
    previewAssets: valueOrNull(price),
    previewRevert: price.ok ? null : price.revert,
    priced: "later" as const,
  }));
}

/**
 * Returns a query for a user's open request in a Maple pool with a cyclical withdrawal manager: empty if no shares are
 * locked, null if their number cannot be read. Its assets are estimated like `convertToExitAssets`, rounded down, and
 * null if unknown.
 */
export function mapleRequest(
  vault: Vault,
  { user }: { user: Address },
): Query<readonly PendingExit[] | null> {
  const on = { to: vault.entryPoint, abi: mapleAbi() } as const;
  const pool = {
    manager: read({ ...on, name: "manager" }),
    ready: read({ ...on, name: "maxRedeem", args: [user] }),
    total: read({ ...on, name: "totalAssets" }),
    losses: read({ ...on, name: "unrealizedLosses" }),
    supply: read({ ...on, name: "totalSupply" }),
  };
  const lockedIn = (requests: Address | null) => {
    const to = requests ?? vault.entryPoint;
    const locked = read({ to, abi: mapleAbi(), name: "lockedShares", args: [user] });
    return createQuery({ ...pool, locked }, (results) => mapleRequestOf(vault, results));
  };
  return {
    ...lockedIn(addressParam(vault, "withdrawal_manager")),
    next: (results) => {
      const manager = valueOrNull((results as ReadResults<typeof pool>).manager) ?? vault.entryPoint;
      // A pool manager never changes its withdrawal manager.
      if (sameAddress(manager, addressParam(vault, "pool_manager") ?? "")) return null;
      const found = read({ to: manager, abi: mapleAbi(), name: "withdrawalManager" });
      return readThen({ found }, (second) => lockedIn(valueOrNull(second.found)));
    },
  };
}

type MapleResults = Record<"ready" | "total" | "losses" | "supply" | "locked", ReadResult<bigint>>;

function mapleRequestOf(vault: Vault, results: MapleResults): readonly PendingExit[] | null {
  const shares = valueOrNull(results.locked);
  if (shares === null) return null;
  if (shares === 0n) return [];
  const ready = valueOrNull(results.ready) ?? 0n;
  const [total, losses] = [valueOrNull(results.total), valueOrNull(results.losses)];
  const supply = valueOrNull(results.supply) ?? 0n;
  const worth = (amount: bigint) =>
    total === null || losses === null || supply === 0n ? null : mulDivDown(amount, total - losses, supply);
  return [
    {
      ...unknownPendingExit,
      ...{ shares, assets: worth(shares), token: vault.asset.address, cancellable: true },
      state: ready > 0n ? "claimable" : "pending",
      claimableAssets: ready > 0n ? worth(ready) : 0n,
      claimableShares: ready,
    },
  ];
}

/** Returns the arguments of the event that makes a user's request, or null if a receipt's logs do not have it. */
export function findMapleRequest(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): { shares: bigint } | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  const found = parseEventLogs({ abi: mapleAbi(), eventName: "RedemptionRequested", logs: own }).find(
    ({ args }) => isAddressEqual(args.owner, user),
  );
  return found?.args ?? null;
}

/**
 * Finds in a receipt's logs how a user's request to a cyclical withdrawal manager, or a part of it, ended: paid, or
 * cancelled, which returns the shares. Null if the logs do not show its end.
 */
export function findMapleEnd(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitSettlement | null {
  const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
  for (const { eventName, args } of parseEventLogs({ abi: mapleAbi(), logs: own })) {
    if (!isAddressEqual(args.owner, user)) continue;
    if (eventName === "SharesRemoved") return { outcome: "cancelled", assets: 0n, shares: args.shares };
    if (eventName === "Withdraw") return { outcome: "paid", assets: args.assets, shares: args.shares };
  }
  return null;
}
