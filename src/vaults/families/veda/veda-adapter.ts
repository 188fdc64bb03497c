import { encodeFunctionData, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  Refusal,
  TermsInput,
  VaultAdapter,
  VaultFamily,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import { FEE_UNITS, toFraction } from "../../vault-fee-rates.ts";
import { addressParam } from "../../vault-params.ts";
import { unknownPause } from "../../vault-pause.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { sharePriceOf } from "../../vault-share-price.ts";
import { vedaDeriver } from "./veda-derivation.ts";
import { vedaExits } from "./veda-exits.ts";
import { vedaFlows } from "./veda-flow-events.ts";
import { vedaEvents } from "./veda-governance-events.ts";
import {
  capReads,
  checkVedaParams,
  depositRoom,
  generationOf,
  isPaused,
  isPauseUnknown,
  marketReads,
  mintedShares,
  oneShare,
  supportOf,
  tellerAbi,
  type VedaMarket,
} from "./veda-pricing.ts";

const shareTransferAbi = once(() =>
  parseAbi([
    "function shareLockPeriod() view returns (uint64)",
    "function permissionedTransfers() view returns (bool)",
    "function fromDenyList(address) view returns (bool)",
    "function toDenyList(address) view returns (bool)",
    "function operatorDenyList(address) view returns (bool)",
    "function beforeTransferData(address) view returns (bool denyFrom, bool denyTo, bool denyOperator, bool permissionedOperator, uint256 shareUnlockTime)",
  ]),
);

/**
 * Returns a query for why the shares of a deposit could not be transferred, or null. Locks and permissioned transfers
 * count only through the Router, whose executor must pass the shares on. A view that the teller lacks has no effect.
 */
function shareTransferQuery(vault: Vault, request: TermsInput): Query<Refusal | null> {
  const teller = { to: vault.entryPoint, abi: shareTransferAbi() } as const;
  const ofHolder = { ...teller, args: [request.caller ?? request.receiver] } as const;
  return createQuery(
    {
      lock: read({ ...teller, name: "shareLockPeriod" }),
      permissioned: read({ ...teller, name: "permissionedTransfers" }),
      denied: read({ ...ofHolder, name: "beforeTransferData" }),
      deniedFrom: read({ ...ofHolder, name: "fromDenyList" }),
      deniedTo: read({ ...ofHolder, name: "toDenyList" }),
      deniedOperator: read({ ...ofHolder, name: "operatorDenyList" }),
    },
    ({ lock, permissioned, denied, ...denyLists }): Refusal | null => {
      const forwarded = request.caller === null;
      // Tellers of version `a` lock shares at least until the end of the block.
      const locked = generationOf(vault) === "a" || (valueOrNull(lock) ?? 0n) > 0n;
      if (forwarded && locked) return "share_locked";
      // Older tellers also mint to accounts on a deny list, which could never transfer the shares.
      const [from, to, operator] = valueOrNull(denied) ?? [false, false, false];
      const listed = Object.values(denyLists).some((list) => valueOrNull(list) === true);
      const unmovable = forwarded && valueOrNull(permissioned) === true;
      return from || to || operator || listed || unmovable ? "not_allowed" : null;
    },
  );
}

const depositAbi = once(() =>
  parseAbi(["function deposit(address depositAsset, uint256 depositAmount, uint256 minimumMint)"]),
);
const referredDepositAbi = once(() =>
  parseAbi([
    "function deposit(address depositAsset, uint256 depositAmount, uint256 minimumMint, address referralAddress)",
  ]),
);
/** Byte offset of the amount in `deposit(address, uint256, …)`: the second word after the selector. */
const AMOUNT_OFFSET = 36;
function describeTerms(vault: Vault, request: TermsInput) {
  const teller = { to: vault.entryPoint, abi: tellerAbi() } as const;
  const market = createQuery(
    {
      ...marketReads(vault, request.token.address),
      ...capReads(vault),
      vault: read({ ...teller, name: "vault" }),
      accountant: read({ ...teller, name: "accountant" }),
    },
    (results): DepositTerms => {
      const support = supportOf(results.support);
      const market: VedaMarket = {
        rate: valueOrNull(results.rate),
        support,
        cap: valueOrNull(results.cap),
        supply: valueOrNull(results.supply),
      };
      const ours =
        sameAddress(valueOrNull(results.vault) ?? vault.shareToken, vault.shareToken) &&
        sameAddress(valueOrNull(results.accountant) ?? vault.pricer, vault.pricer);
      return {
        asset: support !== null && ours ? request.token.address : null,
        previewShares: mintedShares(vault, { market, amount: request.amount }),
        previewRevert: results.rate.ok ? null : results.rate.revert,
        price: market.rate === null ? null : { assets: market.rate, shares: oneShare(vault) },
        maxDeposit: depositRoom(vault, market),
        minDeposit: null,
        paused: isPaused(results),
      };
    },
  );
  const both = queryAll({ market, refusal: shareTransferQuery(vault, request) });
  return mapQuery(both, ({ market: terms, refusal }): DepositTerms => ({ ...terms, refusal }));
}

function describeState(vault: Vault) {
  return createQuery(
    { ...marketReads(vault, vault.asset.address), ...capReads(vault) },
    (results): VaultState => {
      // The position lens reads the same rate. The view also works while the accountant is paused.
      const rate = valueOrNull(results.rateAnyway);
      const supply = valueOrNull(results.supply);
      const market = { rate, supply, support: supportOf(results.support), cap: valueOrNull(results.cap) };
      const sample = rate === null ? null : { assets: rate, shares: oneShare(vault) };
      const decimals = { asset: vault.asset.decimals, share: vault.shareDecimals };
      const paused = isPaused(results);
      return {
        totalAssets: rate === null || supply === null ? null : mulDivDown(supply, rate, oneShare(vault)),
        totalSupply: supply,
        sharePrice: sharePriceOf(sample, decimals),
        maxDeposit: paused ? 0n : depositRoom(vault, market),
        minDeposit: null,
        paused,
        ...unknownPause(!paused && isPauseUnknown(results)),
      };
    },
  );
}

function encode(vault: Vault, request: DepositInput): DepositCall {
  const deposit = [request.token.address, request.amount, request.minShares] as const;
  const referrer = addressParam(vault, "referrer") ?? zeroAddress;
  const data =
    generationOf(vault) === "d"
      ? encodeFunctionData({
          abi: referredDepositAbi(),
          functionName: "deposit",
          args: [...deposit, referrer],
        })
      : encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args: deposit });
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data,
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "caller",
    async: false,
    minShares: "native",
  };
}

const explain = familyErrors({
  errors: {
    "error TellerWithMultiAssetSupport__SharesAreLocked()": "share_locked",
    "error TellerWithMultiAssetSupport__Paused()": "vault_paused",
    "error AccountantWithRateProviders__Paused()": "vault_paused",
    "error TellerWithMultiAssetSupport__AssetNotSupported()": "vault_paused",
    "error TellerWithMultiAssetSupport__DepositExceedsCap()": "above_maximum",
    "error TellerWithMultiAssetSupport__ZeroAssets()": "zero_shares",
    "error TellerWithMultiAssetSupport__TransferDenied(address from, address to, address operator)":
      "not_allowed",
    "error TellerWithMultiAssetSupport__MinimumMintNotMet()": null,
  },
  reasons: [{ reason: /^UNAUTHORIZED$/, code: "not_allowed" }],
});

/**
 * Adapter of Veda's BoringVaults. A deposit calls the teller, which enforces the minimum of shares itself and mints to
 * the caller; the accountant sets the share price. Source: Veda-Labs/boring-vault.
 */
export const veda: VaultAdapter = {
  name: "veda",
  noMinimum: true,
  checkParams: checkVedaParams,
  lens: (vault) => ({
    kind: "rate",
    shareToken: vault.shareToken,
    pricer: vault.pricer,
    // Selector of `getRateInQuote(address)`: the price of one share in the given token.
    selector: "0x1dcbb110",
    argument: vault.asset.address,
  }),
  toAssets: (vault, { shares, rate }) => mulDivDown(shares, rate, oneShare(vault)),
  state: describeState,
  flags: (vault) =>
    createQuery(
      marketReads(vault, vault.asset.address),
      (results): VaultFlags => ({ paused: isPaused(results), minDeposit: null }),
    ),
  terms: describeTerms,
  encode,
  explain,
  flows: vedaFlows,
  exits: vedaExits,
};

const accountantAbi = once(() =>
  parseAbi([
    "function accountantState() view returns (address, uint96, uint128, uint128, uint96, uint16, uint16, uint64, bool, uint24, uint16 managementFee, uint16 performanceFee)",
  ]),
);

/**
 * Returns a query for a fee by its place in the accountant's state, as a fraction. Null if it cannot be read or exceeds
 * 100%, as in accountants with other states. Source: AccountantWithRateProviders.
 */
function vedaFeeQuery({ pricer }: Vault, place: 10 | 11): Query<number | null> {
  const state = read({ to: pricer, abi: accountantAbi(), name: "accountantState" });
  return createQuery({ state }, (results) => {
    const fee = toFraction(valueOrNull(results.state)?.[place] ?? null, FEE_UNITS.bps);
    return fee !== null && fee <= 1 ? fee : null;
  });
}

/** Vault family of Veda's BoringVaults: its adapter, deriver, governance events and fees. */
export const vedaFamily: VaultFamily = {
  adapter: veda,
  type: "veda",
  deriver: vedaDeriver,
  governanceEvents: vedaEvents,
  profitFeeQuery: (vault) => vedaFeeQuery(vault, 11),
  yearlyFeeQuery: (vault) => vedaFeeQuery(vault, 10),
};
