import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import { describe, type ReadResult, type ReadResults, read, valueOrNull } from "../../chains/read.ts";
import { MAX_UINT256 } from "../../lib/amount.ts";
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
import { conversionReads, priceOf, sharesRead, shownPrice, totalsReads } from "./erc7540-price.ts";
import { erc7540Requests } from "./erc7540-requests.ts";

const lagoonAbi = parseAbi([
  "function isTotalAssetsValid() view returns (bool)",
  "function syncMode() view returns (uint8)",
  "function previewSyncDeposit(uint256) view returns (uint256)",
  "function isWhitelisted(address) view returns (bool)",
  "function isAllowed(address) view returns (bool)",
  "function maxCap() view returns (uint256)",
  "function paused() view returns (bool)",
]);
const syncAbi = parseAbi([
  "function syncDeposit(uint256 assets, address receiver, address referral) returns (uint256 shares)",
]);
/** `Both` and `SyncDeposit`, by their order in v0.6. */
const DEPOSITING_MODES: readonly number[] = [0, 1];

const on = (vault: Vault) => ({ to: vault.entryPoint, abi: lagoonAbi }) as const;

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

/** What the cap of v0.6 leaves; null: there is no such cap, or nobody says. */
function roomOf(results: { cap: ReadResult<bigint>; totalAssets: ReadResult<bigint> }): bigint | null {
  const [cap, held] = [valueOrNull(results.cap), valueOrNull(results.totalAssets)];
  if (cap === MAX_UINT256) return MAX_UINT256;
  if (cap === null || held === null) return null;
  return cap > held ? cap - held : 0n;
}

function describeTerms(vault: Vault, request: TermsRequest) {
  const reads = {
    ...conversionReads(vault),
    ...totalsReads(vault),
    shares: sharesRead(vault, request.amount),
    preview: read({ ...on(vault), name: "previewSyncDeposit", args: [request.amount] }),
    valid: read({ ...on(vault), name: "isTotalAssetsValid" }),
    mode: read({ ...on(vault), name: "syncMode" }),
    paused: read({ ...on(vault), name: "paused" }),
    cap: read({ ...on(vault), name: "maxCap" }),
    ...admissionReads(vault, request),
  };
  return describe(reads, (results): DepositTerms => {
    const mode = valueOrNull(results.mode);
    const sync = valueOrNull(results.valid) === true && (mode === null || DEPOSITING_MODES.includes(mode));
    const previewed = sync && results.preview.ok ? results.preview : results.shares;
    return {
      asset: valueOrNull(results.asset),
      previewShares: valueOrNull(previewed),
      previewRevert: previewed.ok ? null : previewed.revert,
      price: priceOf(vault, results.price),
      maxDeposit: roomOf(results),
      minDeposit: null,
      paused: valueOrNull(results.paused) === true,
      refusal: isRefused(results) ? "not_allowed" : null,
      async: !sync,
    };
  });
}

function describeState(vault: Vault) {
  const reads = {
    ...totalsReads(vault),
    paused: read({ ...on(vault), name: "paused" }),
    cap: read({ ...on(vault), name: "maxCap" }),
  };
  return describe(reads, (results): VaultState => {
    const paused = valueOrNull(results.paused) === true;
    return {
      totalAssets: valueOrNull(results.totalAssets),
      totalSupply: valueOrNull(results.totalSupply),
      sharePrice: shownPrice(vault, results.price),
      maxDeposit: paused ? 0n : roomOf(results),
      minDeposit: null,
      paused,
    };
  });
}

function encode(vault: Vault, request: DepositRequest): DepositCall {
  if (request.async === true) return erc7540Call(vault, { request, data: null });
  const args = [request.amount, request.receiver, addressParam(vault, "referrer") ?? zeroAddress] as const;
  const data = encodeFunctionData({ abi: syncAbi, functionName: "syncDeposit", args });
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
    "error OnlyOneRequestAllowed()": null,
  },
});

/**
 * Lagoon: while the last valuation is valid a deposit mints at once, and nothing else is possible; once it is
 * not, a deposit is a request that the next settlement prices. `maxDeposit` is what the caller may claim, no
 * capacity, and previews revert. `params.referrer` is told of deposits at once. Source: hopperlabsxyz/lagoon-v0.
 */
export const lagoon: VaultAdapter = {
  name: "lagoon",
  noMinimum: false,
  checkParams: (vault) => void addressParam(vault, "referrer"),
  lens: (vault) => ({ kind: "convert_or_ratio", shareToken: vault.shareToken, pricer: vault.pricer }),
  state: describeState,
  flags: (vault) =>
    describe({ paused: read({ ...on(vault), name: "paused" }) }, ({ paused }) => ({
      paused: valueOrNull(paused) === true,
      minDeposit: null,
    })),
  terms: describeTerms,
  encode,
  explain,
  flows: (vault) => erc7540Flows(vault, { swapped: false }),
  requests: () => erc7540Requests,
};
