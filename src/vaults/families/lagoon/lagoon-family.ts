import { type Address, encodeFunctionData, parseAbi, toFunctionSelector, zeroAddress } from "viem";
import {
  createQuery,
  isUnmade,
  mapQuery,
  type Query,
  type ReadResult,
  type ReadResults,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { MAX_UINT256 } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  TermsInput,
  VaultAdapter,
  VaultFamily,
  VaultState,
} from "../../vault-adapter.ts";
import { type DerivationSubject, probeFunction } from "../../vault-deriver.ts";
import { FEE_UNITS, type FeeRates, feeRate, rateFraction } from "../../vault-fee-rates.ts";
import { addressParam } from "../../vault-params.ts";
import { unknownPause } from "../../vault-pause.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { erc4626Deriver, type Identification, notIdentified } from "../erc4626-base/erc4626-derivation.ts";
import {
  conversionPrice,
  conversionReads,
  conversionSharePrice,
  convertToSharesRead,
  erc7540DepositCall,
  erc7540Flows,
  erc7540Requests,
  totalsReads,
} from "../erc7540/erc7540-base.ts";
import { lagoonExits } from "./lagoon-exits.ts";
import { lagoonEvents } from "./lagoon-governance-events.ts";

const depositModeAbi = once(() =>
  parseAbi([
    "function paused() view returns (bool)",
    "function isTotalAssetsValid() view returns (bool)",
    "function syncMode() view returns (uint8)",
    "function requestRedeem(uint256 shares, address controller, address owner) returns (uint256 requestId)",
  ]),
);
/** Values of `syncMode()` in v0.6 with which instant deposits are allowed: `Both` and `SyncDeposit`. */
const DEPOSITING_MODES: readonly number[] = [0, 1];
/** Selector of the error `NotOpen(uint8)` of closing and closed vaults. */
const NOT_OPEN_SELECTOR = toFunctionSelector("NotOpen(uint8)");

/**
 * Creates the reads that show whether a vault takes deposits, and whether instantly or by request. No view shows its
 * state, so a redemption request is probed: a closing or closed vault reverts with `NotOpen`.
 */
function depositModeReads(vault: Vault) {
  const on = { to: vault.entryPoint, abi: depositModeAbi() } as const;
  const own = [1n, vault.entryPoint, vault.entryPoint] as const;
  return {
    paused: read({ ...on, name: "paused" }),
    valid: read({ ...on, name: "isTotalAssetsValid" }),
    mode: read({ ...on, name: "syncMode" }),
    // Reverts before it writes to storage, which in a static call would use up all gas: with `NotOpen`, or for lack of
    // an allowance.
    open: probeFunction({ ...on, name: "requestRedeem", args: own }),
  };
}

/**
 * Interprets the reads of a vault's deposit mode. `sync`: a deposit mints immediately. `paused`: the vault takes
 * neither deposits nor requests.
 */
function depositModeOf(results: ReadResults<ReturnType<typeof depositModeReads>>): {
  sync: boolean;
  paused: boolean;
} {
  const valid = valueOrNull(results.valid) === true;
  const mode = valueOrNull(results.mode);
  const mints = mode === null || DEPOSITING_MODES.includes(mode);
  // A vault that is not open settles no requests, and a v0.6 vault takes none while its valuation is valid.
  const stopped = valueOrNull(results.paused) === true || isNotOpen(results.open);
  return { sync: valid && mints, paused: stopped || (valid && !mints) };
}

/** Returns true if a call reverted with `NotOpen`, so that the vault is closing or closed. */
const isNotOpen = (result: ReadResult<unknown>): boolean =>
  !result.ok && result.revert?.startsWith(NOT_OPEN_SELECTOR) === true;

const lagoonAbi = once(() =>
  parseAbi([
    "function previewSyncDeposit(uint256) view returns (uint256)",
    "function isWhitelisted(address) view returns (bool)",
    "function isAllowed(address) view returns (bool)",
    "function maxCap() view returns (uint256)",
    "function feeRates() view returns (uint16 management, uint16 performance, uint16 entry, uint16 exit, uint16 haircut)",
  ]),
);
const syncAbi = once(() =>
  parseAbi([
    "function syncDeposit(uint256 assets, address receiver, address referral) returns (uint256 shares)",
  ]),
);
/** Denominator of the entry fee, which is in basis points. */
const FEE_UNIT = 10_000n;

const on = (vault: Vault) => ({ to: vault.entryPoint, abi: lagoonAbi() }) as const;

/** Creates the reads of whether receiver and caller are whitelisted: `isWhitelisted` in v0.5, `isAllowed` in v0.6. */
function admissionReads(vault: Vault, { caller, receiver }: { caller: Address | null; receiver: Address }) {
  const of = (account: Address) => ({ ...on(vault), args: [account] }) as const;
  return {
    receiverListed: read({ ...of(receiver), name: "isWhitelisted" }),
    receiverAllowed: read({ ...of(receiver), name: "isAllowed" }),
    callerListed: read({ ...of(caller ?? receiver), name: "isWhitelisted" }),
    callerAllowed: read({ ...of(caller ?? receiver), name: "isAllowed" }),
  };
}

type Admission = ReadResults<ReturnType<typeof admissionReads>>;

/**
 * Returns true if the receiver or the caller is not whitelisted, according to whichever view the vault's version has.
 * An account counts as whitelisted if no view can be read.
 */
function isRefused({ receiverListed, receiverAllowed, callerListed, callerAllowed }: Admission): boolean {
  const accounts = [
    [receiverAllowed, receiverListed],
    [callerAllowed, callerListed],
  ] as const;
  return accounts.some(([allowed, listed]) => valueOrNull(allowed.ok ? allowed : listed) === false);
}

/**
 * Returns the amount left under the vault's cap, in the asset's smallest unit: the largest uint256 if there is no cap,
 * null if unknown. Pending requests are not deducted, because no view returns them.
 */
function roomOf(results: { cap: ReadResult<bigint>; totalAssets: ReadResult<bigint> }): bigint | null {
  const [cap, held] = [valueOrNull(results.cap), valueOrNull(results.totalAssets)];
  if (cap === MAX_UINT256) return MAX_UINT256;
  if (cap === null || held === null) return null;
  return cap > held ? cap - held : 0n;
}

/**
 * Returns the largest deposit request in the asset's smallest unit: 0 if the cap is reached, the largest uint256
 * without a cap, otherwise null, because it is unknown.
 */
function roomForRequests(room: bigint | null): bigint | null {
  return room === MAX_UINT256 || room === 0n ? room : null;
}

/**
 * Returns the estimated shares of a request after the entry fee, which is rounded up; versions before v0.6 have none.
 * Null if the conversion failed, the fee is unread or the fee is above 100%.
 */
function requestedShares(results: {
  shares: ReadResult<bigint>;
  fees: ReadResult<readonly [number, number, number, number, number]>;
}): bigint | null {
  const [shares, fees] = [valueOrNull(results.shares), valueOrNull(results.fees)];
  if (shares === null || isUnmade(results.fees)) return null;
  if (fees === null) return shares;
  if (BigInt(fees[2]) > FEE_UNIT) return null;
  return shares - (shares * BigInt(fees[2]) + FEE_UNIT - 1n) / FEE_UNIT;
}

function describeTerms(vault: Vault, request: TermsInput) {
  const reads = {
    ...depositModeReads(vault),
    ...conversionReads(vault),
    ...totalsReads(vault),
    shares: convertToSharesRead(vault, request.amount),
    preview: read({ ...on(vault), name: "previewSyncDeposit", args: [request.amount] }),
    cap: read({ ...on(vault), name: "maxCap" }),
    fees: read({ ...on(vault), name: "feeRates" }),
    ...admissionReads(vault, request),
  };
  return createQuery(reads, (results): DepositTerms => {
    const { sync, paused } = depositModeOf(results);
    const previewed = sync && results.preview.ok ? results.preview : results.shares;
    const room = roomOf(results);
    return {
      asset: valueOrNull(results.asset),
      previewShares: sync ? valueOrNull(previewed) : requestedShares(results),
      previewRevert: previewed.ok ? null : previewed.revert,
      price: conversionPrice(vault, results),
      maxDeposit: sync ? room : roomForRequests(room),
      minDeposit: null,
      paused,
      refusal: isRefused(results) ? "not_allowed" : null,
      async: !sync,
    };
  });
}

function describeState(vault: Vault) {
  const reads = {
    ...depositModeReads(vault),
    ...totalsReads(vault),
    cap: read({ ...on(vault), name: "maxCap" }),
  };
  return createQuery(reads, (results): VaultState => {
    const { sync, paused } = depositModeOf(results);
    const room = roomOf(results);
    return {
      totalAssets: valueOrNull(results.totalAssets),
      totalSupply: valueOrNull(results.totalSupply),
      sharePrice: conversionSharePrice(vault, results),
      maxDeposit: paused ? 0n : sync ? room : roomForRequests(room),
      minDeposit: null,
      paused,
      ...unknownPause(!paused && (!results.paused.ok || isUnmade(results.open))),
    };
  });
}

function encode(vault: Vault, request: DepositInput): DepositCall {
  if (request.async === true) return erc7540DepositCall(vault, { request, data: null });
  const args = [request.amount, request.receiver, addressParam(vault, "referrer") ?? zeroAddress] as const;
  const data = encodeFunctionData({ abi: syncAbi(), functionName: "syncDeposit", args });
  return erc7540DepositCall(vault, { request, data });
}

const explain = familyErrors({
  errors: {
    "error NotWhitelisted()": "not_allowed",
    "error AddressNotAllowed(address account)": "not_allowed",
    "error ERC7540InvalidOperator()": "not_allowed",
    "error MaxCapReached()": "above_maximum",
    "error NotOpen(uint8 state)": "vault_paused",
    "error OnlySyncDepositAllowed()": null,
    "error OnlyAsyncDepositAllowed()": null,
    "error SyncOperationNotAllowed()": "vault_paused",
    "error TotalAssetsExpired()": null,
    "error OnlyOneRequestAllowed()": "request_pending",
  },
});

/**
 * Adapter of Lagoon vaults, which users call themselves, not through the Router. Deposits are instant or by request,
 * depending on version and state. The registry parameter `referrer` is passed to instant ones. Source:
 * hopperlabsxyz/lagoon-v0.
 */
export const lagoon: VaultAdapter = {
  name: "lagoon",
  noMinimum: false,
  checkParams: (vault) => void addressParam(vault, "referrer"),
  lens: (vault) => ({ kind: "convert_or_ratio", shareToken: vault.shareToken, pricer: vault.pricer }),
  state: describeState,
  flags: (vault) =>
    createQuery(depositModeReads(vault), (results) => ({
      paused: depositModeOf(results).paused,
      minDeposit: null,
    })),
  terms: describeTerms,
  encode,
  explain,
  flows: (vault) => erc7540Flows(vault, { swapped: false }),
  asyncDeposits: () => erc7540Requests,
  exits: lagoonExits,
};

const identificationAbi = once(() =>
  parseAbi([
    "function isTotalAssetsValid() view returns (bool)",
    "function pendingSilo() view returns (address)",
    "function isWhitelistActivated() view returns (bool)",
  ]),
);

/**
 * Returns a query that identifies a Lagoon vault by views that only Lagoon has: `isTotalAssetsValid` or, for v0.4 and
 * older, `pendingSilo` and `isWhitelistActivated`.
 */
function identifyLagoon({ address, params }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: identificationAbi() } as const;
  const reads = {
    valid: read({ ...onSubject, name: "isTotalAssetsValid" }),
    silo: read({ ...onSubject, name: "pendingSilo" }),
    whitelist: read({ ...onSubject, name: "isWhitelistActivated" }),
  };
  return createQuery(reads, ({ valid, silo, whitelist }): Identification => {
    if (valid.ok || (silo.ok && whitelist.ok)) return { ok: true, caller: "user", params: { ...params } };
    return notIdentified(
      "Lagoon",
      "it has neither isTotalAssetsValid() nor pendingSilo() and isWhitelistActivated()",
    );
  });
}

const feesAbi = once(() =>
  parseAbi(["function feeRates() view returns (uint16 management, uint16 performance)"]),
);

/**
 * Returns a query for the vault's performance fee and management fee, in basis points; the management fee is per year.
 * Empty if they cannot be read.
 */
function lagoonFeeRatesQuery({ address }: Vault): Query<FeeRates> {
  const rates = read({ to: address, abi: feesAbi(), name: "feeRates" });
  return createQuery({ rates }, ({ rates: result }) => ({
    ...feeRate("management_fee", { result, feeOf: ([management]) => management }),
    ...feeRate("performance_fee", { result, feeOf: ([, performance]) => performance }),
  }));
}

/** Vault family of Lagoon. Users call its vaults themselves, not through the Router. */
export const lagoonFamily: VaultFamily = {
  adapter: lagoon,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyLagoon, ownShare: true, previews: false }),
  governanceEvents: lagoonEvents,
  feeRatesQuery: lagoonFeeRatesQuery,
  profitFeeQuery: (vault) =>
    mapQuery(lagoonFeeRatesQuery(vault), ({ performance_fee: fee }) => rateFraction(fee, FEE_UNITS.bps)),
  yearlyFeeQuery: (vault) =>
    mapQuery(lagoonFeeRatesQuery(vault), ({ management_fee: fee }) => rateFraction(fee, FEE_UNITS.bps)),
  roleViews: [["owner"]],
};
