import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import { describe, type ReadResult, type ReadResults, read, valueOrNull } from "../../chains/read.ts";
import { MAX_UINT256 } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type {
  DepositCall,
  DepositRequest,
  DepositTerms,
  TermsRequest,
  VaultAdapter,
  VaultState,
} from "../adapter.ts";
import { ownErrors } from "../own-errors.ts";
import { addressParam } from "../params.ts";
import type { Vault } from "../vault.ts";
import { erc7540Call } from "./erc7540-call.ts";
import { erc7540Flows } from "./erc7540-flows.ts";
import { conversionReads, sharesRead, shownPrice, toldPrice, totalsReads } from "./erc7540-price.ts";
import { erc7540Requests } from "./erc7540-requests.ts";
import { gateOf, gateReads } from "./lagoon-gate.ts";

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

function describeTerms(vault: Vault, request: TermsRequest) {
  const reads = {
    ...gateReads(vault),
    ...conversionReads(vault),
    ...totalsReads(vault),
    shares: sharesRead(vault, request.amount),
    preview: read({ ...on(vault), name: "previewSyncDeposit", args: [request.amount] }),
    cap: read({ ...on(vault), name: "maxCap" }),
    fees: read({ ...on(vault), name: "feeRates" }),
    ...admissionReads(vault, request),
  };
  return describe(reads, (results): DepositTerms => {
    const { sync, paused } = gateOf(results);
    const previewed = sync && results.preview.ok ? results.preview : results.shares;
    const room = roomOf(results);
    return {
      asset: valueOrNull(results.asset),
      previewShares: sync ? valueOrNull(previewed) : requestedShares(results),
      previewRevert: previewed.ok ? null : previewed.revert,
      price: toldPrice(vault, results),
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
    ...gateReads(vault),
    ...totalsReads(vault),
    cap: read({ ...on(vault), name: "maxCap" }),
  };
  return describe(reads, (results): VaultState => {
    const { sync, paused } = gateOf(results);
    const room = roomOf(results);
    return {
      totalAssets: valueOrNull(results.totalAssets),
      totalSupply: valueOrNull(results.totalSupply),
      sharePrice: shownPrice(vault, results),
      maxDeposit: paused ? 0n : sync ? room : roomForRequests(room),
      minDeposit: null,
      paused,
    };
  });
}

function encode(vault: Vault, request: DepositRequest): DepositCall {
  if (request.async === true) return erc7540Call(vault, { request, data: null });
  const args = [request.amount, request.receiver, addressParam(vault, "referrer") ?? zeroAddress] as const;
  const data = encodeFunctionData({ abi: syncAbi(), functionName: "syncDeposit", args });
  return erc7540Call(vault, { request, data });
}

const explain = ownErrors({
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
    describe(gateReads(vault), (results) => ({ paused: gateOf(results).paused, minDeposit: null })),
  terms: describeTerms,
  encode,
  explain,
  flows: (vault) => erc7540Flows(vault, { swapped: false }),
  requests: () => erc7540Requests,
};
