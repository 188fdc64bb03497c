import { type Address, encodeFunctionData, parseAbi, toFunctionSelector, zeroAddress } from "viem";
import { createQuery, type ReadResult, type ReadResults, read, valueOrNull } from "../../chains/query.ts";
import { MAX_UINT256 } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import { probeFunction } from "../derivation.ts";
import { familyErrors } from "../reverts.ts";
import type { Vault } from "../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  TermsInput,
  VaultAdapter,
  VaultState,
} from "../vault-adapter.ts";
import { addressParam } from "../vault-params.ts";
import {
  conversionPrice,
  conversionReads,
  conversionSharePrice,
  convertToSharesRead,
  erc7540DepositCall,
  erc7540Flows,
  erc7540Requests,
  totalsReads,
} from "./erc7540.ts";

const depositModeAbi = once(() =>
  parseAbi([
    "function paused() view returns (bool)",
    "function isTotalAssetsValid() view returns (bool)",
    "function syncMode() view returns (uint8)",
    "function requestRedeem(uint256 shares, address controller, address owner) returns (uint256 requestId)",
  ]),
);
/** `Both` and `SyncDeposit`, by their order in v0.6. */
const DEPOSITING_MODES: readonly number[] = [0, 1];
const NOT_OPEN_SELECTOR = toFunctionSelector("NotOpen(uint8)");

/**
 * Whether and how a Lagoon vault takes deposits. No version has a view of its state: the redemption of a share of
 * its own is asked for, which a vault that is closing or closed refuses before anything else, and an open one for
 * want of an allowance. Neither writes, which within a static call would cost all gas.
 */
function depositModeReads(vault: Vault) {
  const on = { to: vault.entryPoint, abi: depositModeAbi() } as const;
  const own = [1n, vault.entryPoint, vault.entryPoint] as const;
  return {
    paused: read({ ...on, name: "paused" }),
    valid: read({ ...on, name: "isTotalAssetsValid" }),
    mode: read({ ...on, name: "syncMode" }),
    open: probeFunction({ ...on, name: "requestRedeem", args: own }),
  };
}

/**
 * `sync`: a deposit mints at once. `paused`: none is taken either way. A vault that is not open would take requests
 * that nobody settles; one of v0.6 whose valuation is valid takes none, and may be told to mint none either.
 */
function depositModeOf(results: ReadResults<ReturnType<typeof depositModeReads>>): {
  sync: boolean;
  paused: boolean;
} {
  const valid = valueOrNull(results.valid) === true;
  const mode = valueOrNull(results.mode);
  const mints = mode === null || DEPOSITING_MODES.includes(mode);
  const shut = valueOrNull(results.paused) === true || isNotOpen(results.open);
  return { sync: valid && mints, paused: shut || (valid && !mints) };
}

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
/** The entry fee is counted in ten-thousandths. */
const FEE_UNIT = 10_000n;

const on = (vault: Vault) => ({ to: vault.entryPoint, abi: lagoonAbi() }) as const;

/** Whom the whitelist must know: of v0.5 by the first view, of v0.6 by the second. */
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

/** Whether the list that the vault keeps, by its version, is without one of the accounts. */
function isRefused({ receiverListed, receiverAllowed, callerListed, callerAllowed }: Admission): boolean {
  const accounts = [
    [receiverAllowed, receiverListed],
    [callerAllowed, callerListed],
  ] as const;
  return accounts.some(([allowed, listed]) => valueOrNull(allowed.ok ? allowed : listed) === false);
}

/**
 * What the cap of v0.6 leaves for a deposit at once; null: there is no such cap, or nobody says. Requests that wait
 * to be settled count too, in a silo that no view names.
 */
function roomOf(results: { cap: ReadResult<bigint>; totalAssets: ReadResult<bigint> }): bigint | null {
  const [cap, held] = [valueOrNull(results.cap), valueOrNull(results.totalAssets)];
  if (cap === MAX_UINT256) return MAX_UINT256;
  if (cap === null || held === null) return null;
  return cap > held ? cap - held : 0n;
}

/** The same for a request, of which only that there is no room, or no cap, is certain. */
function roomForRequests(room: bigint | null): bigint | null {
  return room === MAX_UINT256 || room === 0n ? room : null;
}

/** Shares for an amount that is requested, less the entry fee of v0.6, which is rounded up; null: not known. */
function requestedShares(results: {
  shares: ReadResult<bigint>;
  fees: ReadResult<readonly [number, number, number, number, number]>;
}): bigint | null {
  const [shares, fees] = [valueOrNull(results.shares), valueOrNull(results.fees)];
  if (shares === null || fees === null) return shares;
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
    "error OnlyOneRequestAllowed()": null,
  },
});

/**
 * Lagoon: while the last valuation is valid a deposit mints at once, and nothing else is possible; once it is
 * not, a deposit is a request that the next settlement prices. `maxDeposit` is what the caller may claim, no
 * capacity, and previews revert. v0.4 knows requests alone. `params.referrer` is told of deposits at once. Source:
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
  requests: () => erc7540Requests,
};
