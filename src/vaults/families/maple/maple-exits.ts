import { type Address, encodeFunctionData, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { isNative } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { ExitFollowUp, ExitTerms, ExitTermsInput, PendingExit } from "../../vault-exits.ts";
import { addressParam, optionalChoiceParam, withWithdrawSeconds } from "../../vault-params.ts";
import { type Identification, ORDINARY_ACCOUNT } from "../erc4626-base/erc4626-derivation.ts";
import { erc4626ExitReads, erc4626ExitTermsOf } from "../erc4626-base/erc4626-exits.ts";
import { type MapleRequest, mapleQueueRead } from "./maple-requests.ts";

/**
 * ABI of a Maple pool, its pool manager and its withdrawal managers: `removeSharesById` is in the queue, cycles are in
 * the cyclical one. Sources: maple-labs/pool-v2, maple-labs/maple-js, maple-labs/withdrawal-manager-cyclical.
 */
export const mapleAbi = once(() =>
  parseAbi([
    "function convertToExitAssets(uint256 shares) view returns (uint256)",
    "function maxRedeem(address owner) view returns (uint256)",
    "function manager() view returns (address)",
    "function withdrawalManager() view returns (address)",
    "function isManualWithdrawal(address owner) view returns (bool)",
    "function getCurrentCycleId() view returns (uint256)",
    "function getWindowAtId(uint256 cycleId) view returns (uint256 start, uint256 end)",
    "function requestRedeem(uint256 shares, address owner) returns (uint256)",
    "function removeShares(uint256 shares, address owner) returns (uint256)",
    "function removeSharesById(uint256 requestId, uint256 shares) returns (uint256, uint256)",
    "function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

/**
 * Returns true if a Maple pool's withdrawal manager is a queue, by the registry parameter `withdrawal_type`; false if
 * it is missing or empty. Throws an Error for another value than `queue`.
 */
export const hasMapleQueue = (vault: Vault): boolean =>
  optionalChoiceParam(vault, { name: "withdrawal_type", choices: ["queue"] }) !== null;

/** Name of the variant for an owner who redeems what the queue has processed, instead of being paid by it. */
export const MAPLE_MANUAL = "manual";

const UNNAMED_MANAGER: Identification = {
  ok: false,
  reason: "its pool manager names no withdrawal manager, so its withdrawals cannot be followed",
};

/**
 * Returns a query for a Maple pool's registry parameters: `params` with `exit` = `maple`, without `withdraw_seconds`,
 * with the lowercase addresses of both managers and, for a queue, `withdrawal_type`. Fails if the pool manager names no
 * withdrawal manager, because payments by an unknown contract could not be credited to their receivers.
 */
export function identifyMaple(
  params: Readonly<Record<string, string>>,
  manager: Address,
): Query<Identification> {
  const found = read({ to: manager, abi: mapleAbi(), name: "withdrawalManager" });
  return readThen({ found }, (results): Query<Identification> => {
    const requests = valueOrNull(results.found);
    if (requests === null || isNative(requests)) return createQuery({}, () => UNNAMED_MANAGER);
    const managers = { pool_manager: manager.toLowerCase(), withdrawal_manager: requests.toLowerCase() };
    return createQuery({ newest: mapleQueueRead(requests, ORDINARY_ACCOUNT) }, ({ newest }) => {
      const found = { ...managers, ...(newest.ok && { withdrawal_type: "queue" }) };
      return { ok: true, params: withWithdrawSeconds({ ...params, exit: "maple", ...found }, null) };
    });
  });
}

/** Number of cycles from the current one to that in which a request to the cyclical withdrawal manager is paid. */
const CYCLES_AHEAD = 2n;

/**
 * Returns a query for the window in which a request that is made now can be claimed from a cyclical withdrawal manager;
 * empty if that cannot be read.
 */
function windowTerms(manager: Address): Query<Partial<ExitTerms>> {
  const on = { to: manager, abi: mapleAbi() } as const;
  return readThen(
    { cycle: read({ ...on, name: "getCurrentCycleId" }) },
    ({ cycle }): Query<Partial<ExitTerms>> => {
      if (!cycle.ok) return createQuery({}, () => ({}));
      const window = read({ ...on, name: "getWindowAtId", args: [cycle.value + CYCLES_AHEAD] });
      return createQuery({ window }, (results) =>
        results.window.ok
          ? { earliest: Number(results.window.value[0]), expiresAt: Number(results.window.value[1]) }
          : {},
      );
    },
  );
}

/**
 * Returns a query for the conditions of a redemption request in a Maple pool. The payment is priced later; the estimate
 * at the current price by `convertToExitAssets` deducts unrealised losses. While a request to a cyclical withdrawal
 * manager can be claimed, another one would lock its shares for later cycles too, so that is refused.
 */
export function mapleTerms(vault: Vault, request: ExitTermsInput): Query<ExitTerms> {
  const exit = read({
    to: vault.entryPoint,
    abi: mapleAbi(),
    name: "convertToExitAssets",
    args: [request.shares],
  });
  const manager = addressParam(vault, "withdrawal_manager") ?? vault.entryPoint;
  const manual = read({
    to: manager,
    abi: mapleAbi(),
    name: "isManualWithdrawal",
    args: [request.owner],
  });
  const ready = read({ to: vault.entryPoint, abi: mapleAbi(), name: "maxRedeem", args: [request.owner] });
  const reads = { ...erc4626ExitReads(vault, request), exit, manual, ready };
  const terms = createQuery(
    reads,
    ({ exit: price, manual: claims, ready: claimable, ...results }): ExitTerms => ({
      ...erc4626ExitTermsOf(results),
      previewAssets: valueOrNull(price),
      previewRevert: price.ok ? null : price.revert,
      priced: "later",
      refusal: !hasMapleQueue(vault) && (valueOrNull(claimable) ?? 0n) > 0n ? "request_pending" : null,
      variant: valueOrNull(claims) === true ? MAPLE_MANUAL : null,
    }),
  );
  if (hasMapleQueue(vault)) return terms;
  return mapQuery(queryAll({ terms, window: windowTerms(manager) }), (found) => ({
    ...found.terms,
    ...found.window,
  }));
}

/**
 * Returns the shares that the claim of a claimable request names. A cyclical manager, whose requests have a window, takes
 * no other number than all shares of the request, even where the pool pays for some of them only.
 */
export const mapleClaimedShares = ({ shares, claimableShares, expiresAt }: PendingExit): bigint =>
  (expiresAt === null ? claimableShares : shares) ?? 0n;

/** Encodes the cancellation of a request, at the queue where that takes it back by its id; null if it cannot be. */
export function mapleCancellation(
  { entryPoint }: Vault,
  { user, request }: { user: Address; request: MapleRequest },
): ExitFollowUp | null {
  const { queue, requestId, shares } = request;
  if (!request.cancellable || shares === null) return null;
  const abi = mapleAbi();
  if (queue === undefined)
    return {
      target: entryPoint,
      data: encodeFunctionData({ abi, functionName: "removeShares", args: [shares, user] }),
    };
  // The pool names no request: it takes from the newest ones of the owner.
  const args = [BigInt(requestId), shares] as const;
  return { target: queue, data: encodeFunctionData({ abi, functionName: "removeSharesById", args }) };
}
