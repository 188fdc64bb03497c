import { type Address, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  isUnmade,
  mapQuery,
  type Query,
  queryAll,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { choiceParam } from "../../vault-params.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function shareManager() view returns (address)",
    "function oracle() view returns (address)",
    "function feeManager() view returns (address)",
    "function riskManager() view returns (address)",
    "function isPausedQueue(address) view returns (bool)",
  ]),
);
const queueAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function syncDepositParams() view returns (uint256 penaltyD6, uint32 maxAge)",
  ]),
);
const oracleAbi = once(() =>
  parseAbi([
    "struct DetailedReport { uint224 priceD18; uint32 timestamp; bool isSuspicious; }",
    "function getReport(address asset) view returns (DetailedReport)",
    "struct SecurityParams { uint224 maxAbsoluteDeviation; uint224 suspiciousAbsoluteDeviation; uint64 maxRelativeDeviationD18; uint64 suspiciousRelativeDeviationD18; uint32 timeout; uint32 depositInterval; uint32 redeemInterval; }",
    "function securityParams() view returns (SecurityParams)",
  ]),
);
const shareManagerAbi = once(() =>
  parseAbi([
    "function totalShares() view returns (uint256)",
    "function isDepositorWhitelisted(address account, bytes32[] merkleProof) view returns (bool)",
    "function flags() view returns (bool mintPause, bool burnPause, bool transferPause, bool whitelist, bool transferWhitelist, uint32 globalLockup)",
    "function accounts(address account) view returns (bool canDeposit, bool canTransfer, bool isBlacklisted)",
  ]),
);
const feeManagerAbi = once(() => parseAbi(["function depositFeeD6() view returns (uint24)"]));
const riskManagerAbi = once(() =>
  parseAbi([
    "function vaultState() view returns (int256 balance, int256 limit)",
    "function pendingBalance() view returns (int256)",
  ]),
);

/** Denominator of Mellow's deposit penalty and fees, which are in millionths. */
const MILLION = 1_000_000n;
/** The value 1 in Mellow's prices, which are fixed-point numbers with 18 decimals. */
export const PRICE_UNIT = 10n ** 18n;

/** Prices by the oracle's last reports: shares per unit of a token, both in smallest units, times 10^18. */
export interface MellowPrices {
  /** Value of shares in a token's smallest unit, rounded down. Null if its report is missing, suspicious or has no price. */
  toToken(token: Address, shares: bigint): bigint | null;
  /** Value of an amount of a token in the vault's asset, both in smallest units, rounded down. Null if unknown. */
  toAsset(token: Address, amount: bigint): bigint | null;
  /** Earliest time at which a report prices a redemption request made at `time`, both in UNIX seconds; null if unknown. */
  pricedFrom(time: bigint): number | null;
}

/**
 * Returns the read of the oracle's settings. A report prices the redemption requests that are at least `redeemInterval`
 * seconds old. Source: mellow-finance/flexible-vaults, Oracle.submitReports.
 */
export const oracleSettingsRead = (vault: Vault) =>
  read({ to: vault.pricer, abi: oracleAbi(), name: "securityParams" });

/** Returns a query for the prices of tokens and of the vault's asset, and the age that requests need for a report. */
export function mellowPrices(vault: Vault, tokens: readonly Address[]): Query<MellowPrices> {
  const own = vault.asset.address;
  const on = { to: vault.pricer, abi: oracleAbi(), name: "getReport" } as const;
  const reports = [...new Set([own, ...tokens].map((token) => token.toLowerCase() as Address))].map(
    (token) => [token, read({ ...on, args: [token] })] as const,
  );
  const query = queryAll({
    reports: createQuery(Object.fromEntries(reports), (results) => results),
    settings: createQuery({ settings: oracleSettingsRead(vault) }, ({ settings }) => valueOrNull(settings)),
  });
  return mapQuery(query, ({ reports: results, settings }) => {
    const priceOf = (token: Address): bigint | null => {
      const result = results[token.toLowerCase() as Address];
      const report = result === undefined ? null : valueOrNull(result);
      return report === null || report.isSuspicious || report.priceD18 === 0n ? null : report.priceD18;
    };
    const scaled = (amount: bigint, by: { from: bigint | null; to: bigint | null }) =>
      by.from === null || by.to === null ? null : mulDivDown(amount, by.from, by.to);
    return {
      toToken: (token, shares) => scaled(shares, { from: PRICE_UNIT, to: priceOf(token) }),
      toAsset: (token, amount) => scaled(amount, { from: priceOf(token), to: priceOf(own) }),
      pricedFrom: (time) => (settings === null ? null : Number(time) + settings.redeemInterval),
    };
  });
}

/**
 * Returns true if the vault's queue mints immediately, false if it takes requests. Throws an Error if the registry
 * parameter `queue` is missing or invalid.
 */
export const isSyncQueue = (vault: Vault): boolean =>
  choiceParam(vault, { name: "queue", choices: ["sync", "async"] }) === "sync";

/** Price, fees and limits of deposits through a vault's queue. Null means unknown. */
export interface MellowMarket {
  /** The queue's token. Null also if the vault's share manager or oracle differs from the registry entry's. */
  asset: Address | null;
  /** True if the queue or the minting of shares is paused. */
  paused: boolean;
  /**
   * True if the pause of the queue could not be read, or if the read of that of the minting of shares was not made (see
   * `isUnmade`).
   */
  pauseUnknown: boolean;
  /**
   * Shares per asset, both in smallest units, times 10^18. Null if the oracle's last report is missing, suspicious or
   * has no price.
   */
  price: bigint | null;
  /** True if the oracle's last report is suspicious or has no price. */
  suspicious: boolean;
  /** Reduction of the price for an instant deposit, in millionths; 0 for requests. */
  penalty: bigint | null;
  /** Deposit fee in millionths. */
  fee: bigint | null;
  /** Shares of all accounts, claimed or claimable, in the share token's smallest unit. */
  totalShares: bigint | null;
  /**
   * Shares that may still be minted under the RiskManager's limit, in the share token's smallest unit. Pending requests
   * are deducted.
   */
  room: bigint | null;
  /**
   * True if the vault lets the caller deposit: whitelisted, if there is a whitelist, and not blacklisted. Null also if
   * no caller is given.
   */
  admitted: boolean | null;
}

function coreReads(vault: Vault, caller: Address | null) {
  const onVault = { to: vault.address, abi: vaultAbi() } as const;
  const onQueue = { to: vault.entryPoint, abi: queueAbi() } as const;
  const onShares = { to: vault.shareToken, abi: shareManagerAbi() } as const;
  const report = { to: vault.pricer, abi: oracleAbi(), name: "getReport" } as const;
  const listed = { ...onShares, name: "isDepositorWhitelisted" } as const;
  return {
    asset: read({ ...onQueue, name: "asset" }),
    shareManager: read({ ...onVault, name: "shareManager" }),
    oracle: read({ ...onVault, name: "oracle" }),
    feeManager: read({ ...onVault, name: "feeManager" }),
    riskManager: read({ ...onVault, name: "riskManager" }),
    paused: read({ ...onVault, name: "isPausedQueue", args: [vault.entryPoint] }),
    report: read({ ...report, args: [vault.asset.address] }),
    totalShares: read({ ...onShares, name: "totalShares" }),
    admitted: read({ ...listed, args: [caller ?? zeroAddress, []] }),
    flags: read({ ...onShares, name: "flags" }),
    account: read({ ...onShares, name: "accounts", args: [caller ?? zeroAddress] }),
    params: read({ ...onQueue, name: "syncDepositParams" }),
  };
}

type Results = ReadResults<ReturnType<typeof coreReads>>;

/** Creates the reads of the fee manager and the risk manager. If the vault has none, these reads fail. */
function managerReads(results: Results) {
  const onFees = { to: valueOrNull(results.feeManager) ?? zeroAddress, abi: feeManagerAbi() } as const;
  const onRisk = { to: valueOrNull(results.riskManager) ?? zeroAddress, abi: riskManagerAbi() } as const;
  return {
    fee: read({ ...onFees, name: "depositFeeD6" }),
    limits: read({ ...onRisk, name: "vaultState" }),
    waiting: read({ ...onRisk, name: "pendingBalance" }),
  };
}

type Managers = ReadResults<ReturnType<typeof managerReads>>;

/**
 * Returns a query for the price, fees and limits of deposits through the vault's queue. `caller` is the account whose
 * admission is checked; null for none.
 */
export function mellowMarket(vault: Vault, caller: Address | null): Query<MellowMarket> {
  return readThen(coreReads(vault, caller), (results) =>
    createQuery(managerReads(results), (managers) => marketOf(vault, { results, managers, caller })),
  );
}

function roomOf({ limits, waiting }: Managers): bigint | null {
  const [state, pending] = [valueOrNull(limits), valueOrNull(waiting)];
  if (state === null || pending === null) return null;
  const room = state[1] - state[0] - pending;
  return room > 0n ? room : 0n;
}

function isAdmitted({ admitted, account }: Results): boolean | null {
  return valueOrNull(account)?.[2] === true ? false : valueOrNull(admitted);
}

function marketOf(
  vault: Vault,
  input: { results: Results; managers: Managers; caller: Address | null },
): MellowMarket {
  const { results, managers, caller } = input;
  const report = valueOrNull(results.report);
  const usable = report !== null && report.priceD18 > 0n && !report.isSuspicious;
  const matchesRegistry =
    sameAddress(valueOrNull(results.shareManager) ?? vault.shareToken, vault.shareToken) &&
    sameAddress(valueOrNull(results.oracle) ?? vault.pricer, vault.pricer);
  const params = valueOrNull(results.params);
  const fee = valueOrNull(managers.fee);
  return {
    asset: matchesRegistry ? valueOrNull(results.asset) : null,
    paused: valueOrNull(results.paused) === true || valueOrNull(results.flags)?.[0] === true,
    pauseUnknown: !results.paused.ok || isUnmade(results.flags),
    price: usable ? report.priceD18 : null,
    suspicious: report !== null && !usable,
    penalty: isSyncQueue(vault) ? (params?.[0] ?? null) : 0n,
    fee: fee === null ? null : BigInt(fee),
    totalShares: valueOrNull(results.totalShares),
    room: roomOf(managers),
    admitted: caller === null ? null : isAdmitted(results),
  };
}

/**
 * Returns the shares for an amount (both in smallest units) at the price of the last report, after penalty and fee,
 * rounded as in the queues. Null if the price, the penalty or the fee is unknown, or if a rate exceeds 100%.
 */
export function mellowShares(vault: Vault, of: { market: MellowMarket; amount: bigint }): bigint | null {
  const { price, penalty, fee } = of.market;
  if (price === null || penalty === null || fee === null) return null;
  if (penalty > MILLION || fee > MILLION) return null;
  const sharesAt = (reduced: bigint) => mulDivDown(of.amount, reduced, PRICE_UNIT);
  // The fee reduces the price of a request, but the shares of an instant deposit.
  if (!isSyncQueue(vault)) return sharesAt(price - mulDivDown(price, fee, MILLION));
  const shares = sharesAt(mulDivDown(price, MILLION - penalty, MILLION));
  return shares - mulDivDown(shares, fee, MILLION);
}

/**
 * Returns the largest deposit under the RiskManager's limit, in the asset's smallest unit, rounded down. Null if the
 * price or the limit is unknown.
 */
export function mellowRoom({ price, room }: MellowMarket): bigint | null {
  return price === null || room === null ? null : mulDivDown(room, PRICE_UNIT, price);
}
