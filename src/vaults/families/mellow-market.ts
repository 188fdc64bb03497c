import { type Address, parseAbi, zeroAddress } from "viem";
import {
  type Described,
  describe,
  describeThen,
  type ReadResults,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import { sameAddress } from "../../lib/address.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { choiceParam } from "../params.ts";
import type { Vault } from "../vault.ts";

const vaultAbi = parseAbi([
  "function shareManager() view returns (address)",
  "function oracle() view returns (address)",
  "function feeManager() view returns (address)",
  "function isPausedQueue(address) view returns (bool)",
]);
const queueAbi = parseAbi([
  "function asset() view returns (address)",
  "function syncDepositParams() view returns (uint256 penaltyD6, uint32 maxAge)",
]);
const oracleAbi = parseAbi([
  "struct DetailedReport { uint224 priceD18; uint32 timestamp; bool isSuspicious; }",
  "function getReport(address asset) view returns (DetailedReport)",
]);
const shareManagerAbi = parseAbi([
  "function totalShares() view returns (uint256)",
  "function isDepositorWhitelisted(address account, bytes32[] merkleProof) view returns (bool)",
]);
const feeManagerAbi = parseAbi(["function depositFeeD6() view returns (uint24)"]);

/** Penalty and fees are counted in millionths, prices in 10^-18. */
const MILLION = 1_000_000n;
export const PRICE_UNIT = 10n ** 18n;

/** Whether a row's queue mints at once or takes requests. Throws an Error for a row that does not say. */
export const isSyncQueue = (vault: Vault): boolean =>
  choiceParam(vault, { name: "queue", choices: ["sync", "async"] }) === "sync";

/** What the vault's contracts say of its queue. Null: not known. Millionths and 10^-18 as the family counts. */
export interface MellowMarket {
  /** The queue's token; null also where the vault names another share manager or oracle than the registry. */
  asset: Address | null;
  paused: boolean;
  /** Smallest units of the share for one of the asset, times 10^18; null: no report, or a suspicious one. */
  price: bigint | null;
  /** Whether there is a report that nobody may use. */
  suspicious: boolean;
  penalty: bigint | null;
  fee: bigint;
  /** Claimed shares and those that wait to be claimed. */
  totalShares: bigint | null;
  /** Whether the caller is on the list; null: nobody in particular, or not known. */
  admitted: boolean | null;
}

function coreReads(vault: Vault, caller: Address | null) {
  const onVault = { to: vault.address, abi: vaultAbi } as const;
  const onQueue = { to: vault.entryPoint, abi: queueAbi } as const;
  const onShares = { to: vault.shareToken, abi: shareManagerAbi } as const;
  const report = { to: vault.pricer, abi: oracleAbi, name: "getReport" } as const;
  const listed = { ...onShares, name: "isDepositorWhitelisted" } as const;
  return {
    asset: read({ ...onQueue, name: "asset" }),
    shareManager: read({ ...onVault, name: "shareManager" }),
    oracle: read({ ...onVault, name: "oracle" }),
    feeManager: read({ ...onVault, name: "feeManager" }),
    paused: read({ ...onVault, name: "isPausedQueue", args: [vault.entryPoint] }),
    report: read({ ...report, args: [vault.asset.address] }),
    totalShares: read({ ...onShares, name: "totalShares" }),
    admitted: read({ ...listed, args: [caller ?? zeroAddress, []] }),
    params: read({ ...onQueue, name: "syncDepositParams" }),
  };
}

type Results = ReadResults<ReturnType<typeof coreReads>>;

/** Reads the queue and what prices it, the fee of the vault's FeeManager included. */
export function mellowMarket(vault: Vault, caller: Address | null): Described<MellowMarket> {
  return describeThen(coreReads(vault, caller), (results) => {
    const to = valueOrNull(results.feeManager);
    const market = (fee: number | null) => marketOf(vault, { results, caller, fee: BigInt(fee ?? 0) });
    if (to === null) return describe({}, () => market(null));
    const fee = read({ to, abi: feeManagerAbi, name: "depositFeeD6" });
    return describe({ fee }, (further) => market(valueOrNull(further.fee)));
  });
}

function marketOf(
  vault: Vault,
  input: { results: Results; caller: Address | null; fee: bigint },
): MellowMarket {
  const { results, caller, fee } = input;
  const report = valueOrNull(results.report);
  const usable = report !== null && report.priceD18 > 0n && !report.isSuspicious;
  const ours =
    sameAddress(valueOrNull(results.shareManager) ?? vault.shareToken, vault.shareToken) &&
    sameAddress(valueOrNull(results.oracle) ?? vault.pricer, vault.pricer);
  const params = valueOrNull(results.params);
  return {
    asset: ours ? valueOrNull(results.asset) : null,
    paused: valueOrNull(results.paused) === true,
    price: usable ? report.priceD18 : null,
    suspicious: report !== null && !usable,
    penalty: isSyncQueue(vault) ? (params?.[0] ?? null) : 0n,
    fee,
    totalShares: valueOrNull(results.totalShares),
    admitted: caller === null ? null : valueOrNull(results.admitted),
  };
}

/** Shares for an amount at the last report, less the penalty and the fee; null: not known. */
export function mellowShares(market: MellowMarket, amount: bigint): bigint | null {
  const { price, penalty, fee } = market;
  if (price === null || penalty === null || penalty > MILLION || fee > MILLION) return null;
  const shares = mulDivDown(amount * price, MILLION - penalty, MILLION * PRICE_UNIT);
  return shares - mulDivDown(shares, fee, MILLION);
}
