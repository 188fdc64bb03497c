import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs, size } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type Read,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import {
  acceptedRequestId,
  contractOfRequest,
  contractsOf,
  idAtContract,
  requestContracts,
} from "../../accepted-contracts.ts";
import type { Token, Vault } from "../../vault.ts";
import {
  type ExitRequestSeen,
  type ExitSettlement,
  joinPending,
  type PendingExit,
  paidTo,
  unknownPendingExit,
} from "../../vault-exits.ts";
import { addressParam, tokensParam } from "../../vault-params.ts";
import type { RequestFlow } from "../../vault-request-flow.ts";
import { midasUnit } from "./midas-params.ts";
import { WAD } from "./midas-pricing.ts";
import { assetFeed } from "./midas-valuation.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function redeemRequests(uint256) view returns (address sender, address tokenOut, uint8 status, uint256 amountMToken, uint256 mTokenRate, uint256 tokenOutRate)",
  ]),
);
const eventsAbi = once(() =>
  parseAbi([
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    "event RedeemRequestWithCustomRecipient(uint256 indexed requestId, address indexed user, address indexed tokenOut, address recipient, uint256 amountMTokenIn, uint256 feeAmount)",
    "event ApproveRequest(uint256 indexed requestId, uint256 newMTokenRate)",
    "event SafeApproveRequest(uint256 indexed requestId, uint256 newMTokenRate)",
    "event RejectRequest(uint256 indexed requestId, address indexed user)",
  ]),
);
const feedAbi = once(() => parseAbi(["function getDataInBase18() view returns (uint256)"]));
const STATUS_PENDING = 0;
const STATUS_PROCESSED = 1;
const STATUS_REJECTED = 2;
const REQUEST_ID_PATTERN = /^\d{1,77}$/;

/**
 * Returns the vault's RedemptionVault, or null if the registry entry names none. Throws an Error if the parameter is
 * not an address.
 */
export const redemptionVault = (vault: Vault): Address | null =>
  addressParam(vault, requestContracts.redemptions.present);

/** Returns the vault's RedemptionVaults; see `contractsOf`. Throws an Error if a parameter is invalid. */
export const redemptionVaults = (vault: Vault): Address[] => contractsOf(vault, requestContracts.redemptions);

/** Returns the RedemptionVault that numbered a request, or null if the vault has none; see `acceptedRequestId`. */
const vaultOfRequest = (vault: Vault, requestId: string): Address | null =>
  contractOfRequest(redemptionVaults(vault), requestId);

/** Returns the id of a request by the number that a RedemptionVault gave it. */
export const redemptionRequestId = (vault: Vault, of: { contract: Address; number: bigint }): string =>
  acceptedRequestId(redemptionVaults(vault), { contract: of.contract, id: of.number.toString() });

/**
 * Returns the tokens that the RedemptionVault pays; the vault's asset comes first if it is one of them. Empty if the
 * registry entry lists none. Throws an Error if the entry's list is invalid.
 */
export function redemptionTokens(vault: Vault): Token[] {
  const listed = tokensParam(vault, "redeem_tokens");
  const [asset, others] = [
    listed.filter(({ address }) => sameAddress(address, vault.asset.address)),
    listed.filter(({ address }) => !sameAddress(address, vault.asset.address)),
  ];
  return [...asset, ...others];
}

type RedeemRequest = readonly [Address, Address, number, bigint, bigint, bigint];

/** Length of a request's six words in bytes. Later contracts insert one, after which the others have other meanings. */
const REQUEST_BYTES = 192;

/** Creates the read of a request by its id, which fails for a contract that returns another layout. */
function requestRead(to: Address, id: string): Read<RedeemRequest> {
  const args = [BigInt(idAtContract(id))] as const;
  const call = read({ to, abi: requestsAbi(), name: "redeemRequests", args });
  return {
    ...call,
    decode(data) {
      if (size(data) !== REQUEST_BYTES) throw new RangeError("the request has another layout");
      return call.decode(data);
    },
  };
}

/**
 * Returns the user's request if it is open or rejected, otherwise an empty list; null if it could not be read. `rates`
 * are the prices of the mToken and of the vault's asset with 18 decimals, or null if unknown.
 */
function pendingOf(
  vault: Vault,
  of: {
    user: Address;
    requestId: string;
    result: ReadResult<RedeemRequest>;
    rates: { mToken: bigint | null; asset: bigint | null };
  },
): PendingExit[] | null {
  if (!of.result.ok) return null;
  const [sender, tokenOut, status, shares, , tokenRate] = of.result.value;
  const mTokenRate = of.rates.mToken;
  if (!isAddressEqual(sender, of.user) || (status !== STATUS_PENDING && status !== STATUS_REJECTED))
    return [];
  const token = redemptionTokens(vault).find(({ address }) => isAddressEqual(address, tokenOut));
  const unit = token === undefined ? null : midasUnit(token.decimals);
  const estimate =
    unit === null || tokenRate === 0n || mTokenRate === null
      ? null
      : mulDivDown(shares, mTokenRate, tokenRate) / unit;
  const rejected = status === STATUS_REJECTED;
  const value = rejected ? 0n : inAsset(vault, { shares, mTokenRate, assetRate: of.rates.asset });
  return [
    {
      ...unknownPendingExit,
      ...{ requestId: of.requestId, shares, assets: rejected ? 0n : estimate, token: tokenOut, value },
      ...{ state: rejected ? "rejected" : "pending", claimableAssets: 0n, claimableShares: 0n },
    },
  ];
}

/**
 * Converts mTokens to the asset's smallest unit by two prices with 18 decimals, rounded down. Null if a price is unknown,
 * the asset's is 0, or the asset has more than 18 decimals.
 */
function inAsset(
  vault: Vault,
  of: { shares: bigint; mTokenRate: bigint | null; assetRate: bigint | null },
): bigint | null {
  const { shares, mTokenRate, assetRate } = of;
  const unit = midasUnit(vault.asset.decimals);
  if (unit === null || mTokenRate === null || assetRate === null || assetRate === 0n) return null;
  return mulDivDown(shares, mTokenRate, assetRate) / unit;
}

/** Returns a query for the price of a feed with 18 decimals, or null if it cannot be read. */
const priceQuery = (feed: Address): Query<bigint | null> =>
  createQuery({ rate: read({ to: feed, abi: feedAbi(), name: "getDataInBase18" }) }, ({ rate }) =>
    valueOrNull(rate),
  );

/**
 * Returns a query for the price of the vault's asset with 18 decimals: 1 if it is fixed, that of its feed otherwise.
 * Null if unknown.
 */
function assetRateQuery(vault: Vault): Query<bigint | null> {
  const feed = assetFeed(vault);
  if (feed !== null) return priceQuery(feed);
  return createQuery({}, () => (vault.params["asset_rate"] === "stable" ? WAD : null));
}

/**
 * Returns a query for those of the given requests that belong to the user and are open or rejected; null if one of them
 * cannot be read. The assets of an open request are an estimate at the mToken's price now, as the approval uses that of
 * its time, and the paid token's price at the request; null if the mToken's price cannot be read.
 */
export function midasPending(
  vault: Vault,
  { user, requestIds }: { user: Address; requestIds: readonly string[] },
): Query<readonly PendingExit[] | null> {
  const numbered = [...new Set(requestIds)].filter((id) => REQUEST_ID_PATTERN.test(idAtContract(id)));
  const known = numbered.flatMap((id) => {
    const to = vaultOfRequest(vault, id);
    return to === null ? [] : [[id, requestRead(to, id)] as const];
  });
  if (known.length === 0) return createQuery({}, () => []);
  const reads = Object.fromEntries(known);
  const entries = createQuery(reads, (results) => Object.entries(results));
  const rates = queryAll({ mToken: priceQuery(vault.pricer), asset: assetRateQuery(vault) });
  return mapQuery(queryAll({ entries, rates }), (found) =>
    joinPending(
      found.entries.map(([requestId, result]) =>
        pendingOf(vault, { user, requestId, result, rates: found.rates }),
      ),
    ),
  );
}

/**
 * Returns a query for the total that the redemption requests among a user's `flows` have paid, in the asset's smallest
 * unit, each rounded down; open and rejected requests count as 0. Null if what one of them paid is unknown.
 */
export function midasTakenOut(
  vault: Vault,
  { flows }: { user: Address; flows: readonly RequestFlow[] },
): Query<bigint | null> {
  const asked = flows.filter(({ kind }) => kind === "withdrawal");
  const reads = asked.map(({ requestId }) => {
    const to = vaultOfRequest(vault, requestId) ?? vault.address;
    return [requestId, requestRead(to, requestId)] as const;
  });
  return createQuery(Object.fromEntries(reads), (results) =>
    Object.values(results).reduce<bigint | null>((sum, result) => {
      const paid = result.ok ? paidBy(vault, result.value) : null;
      return sum === null || paid === null ? null : sum + paid;
    }, 0n),
  );
}

/**
 * Returns the mTokens that a user's redemption requests took, fees included. All have left the wallet for good: a
 * rejection returns nothing. Null if those of a request are unknown.
 */
export const midasTakenShares = (
  _vault: Vault,
  { flows }: { user: Address; flows: readonly RequestFlow[] },
): bigint | null =>
  flows
    .filter(({ kind }) => kind === "withdrawal")
    .reduce<bigint | null>((sum, { shares }) => (sum === null || shares === null ? null : sum + shares), 0n);

/**
 * Returns what a request has paid, in the asset's smallest unit: 0 unless approved. Null if unknown, such as if it was
 * paid in another token and the asset has no fixed price.
 */
function paidBy(
  vault: Vault,
  [, token, status, shares, mTokenRate, tokenRate]: RedeemRequest,
): bigint | null {
  if (status !== STATUS_PROCESSED) return 0n;
  const fixed = vault.params["asset_rate"] === "stable" ? WAD : null;
  const assetRate = isAddressEqual(token, vault.asset.address) ? tokenRate : fixed;
  return inAsset(vault, { shares, mTokenRate, assetRate });
}

/**
 * Finds the user's redemption request in a receipt's logs, or returns null. The user is the account that the request
 * pays.
 */
export function findMidasRequest(
  vault: Vault,
  { user, logs }: { user: Address; logs: readonly Log[] },
): ExitRequestSeen | null {
  const contracts = redemptionVaults(vault);
  const own = logs.filter(({ address }) => contracts.some((one) => sameAddress(one, address)));
  for (const { address: contract, eventName, args } of parseEventLogs({ abi: eventsAbi(), logs: own })) {
    if (eventName !== "RedeemRequest" && eventName !== "RedeemRequestWithCustomRecipient") continue;
    const account = eventName === "RedeemRequest" ? args.user : args.recipient;
    if (!isAddressEqual(account, user)) continue;
    const requestId = redemptionRequestId(vault, { contract, number: args.requestId });
    return { requestId, shares: args.amountMTokenIn, token: args.tokenOut };
  }
  return null;
}

/**
 * Finds the approval or rejection of a request in a receipt's logs, or returns null. A receipt may settle several
 * requests: an approval's payment precedes its event and follows the approval before. The `assets` of an approval are
 * null unless it has exactly one payment to the user or, if there is none before its event, the receipt has.
 */
export function findMidasSettlement(
  vault: Vault,
  { user, requestId, logs }: { user: Address; requestId: string; logs: readonly Log[] },
): ExitSettlement | null {
  // The events have the rate only; what arrived is in the token's transfers.
  const paidIn = (part: readonly Log[]) =>
    redemptionTokens(vault).flatMap(({ address }) => paidTo(part, { token: address, receiver: user }));
  const contracts = redemptionVaults(vault);
  let since = 0;
  for (const [index, log] of logs.entries()) {
    if (!contracts.some((one) => sameAddress(one, log.address))) continue;
    for (const { address: contract, eventName, args } of parseEventLogs({ abi: eventsAbi(), logs: [log] })) {
      const isOwn = redemptionRequestId(vault, { contract, number: args.requestId }) === requestId;
      if (isOwn && eventName === "RejectRequest") return { outcome: "rejected", assets: 0n };
      if (eventName !== "ApproveRequest" && eventName !== "SafeApproveRequest") continue;
      const before = paidIn(logs.slice(since, index));
      since = index + 1;
      const amounts = before.length > 0 ? before : paidIn(logs);
      const assets = amounts.length === 1 ? (amounts[0] ?? null) : null;
      if (isOwn) return { outcome: "paid", assets, alone: true };
    }
  }
  return null;
}
