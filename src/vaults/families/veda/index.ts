import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/query.ts";
import { sameAddress } from "../../../lib/address.ts";
import { leastAmount, MAX_UINT256, mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import { familyErrors } from "../../reverts.ts";
import { sharePriceOf } from "../../share-price.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  Refusal,
  TermsInput,
  VaultAdapter,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import { addressParam } from "../../vault-params.ts";
import { vedaFlows } from "./flows.ts";
import { checkVedaParams, generationOf, isStreamed } from "./pricing.ts";

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
 * Why a teller's shares would not be the user's to hold and to move: they are minted to the caller, and what is locked
 * or moved by few alone cannot be passed on by the Router's clone; the first generation locks them for the block at
 * least. Whom the older ones deny may be minted shares, and could never move them. What a teller does not have does
 * not answer.
 */
function admissionQuery(vault: Vault, request: TermsInput): Query<Refusal | null> {
  const teller = { to: vault.entryPoint, abi: shareTransferAbi() } as const;
  const ofHolder = { ...teller, args: [request.caller ?? request.receiver] } as const;
  return createQuery(
    {
      lock: read({ ...teller, name: "shareLockPeriod" }),
      few: read({ ...teller, name: "permissionedTransfers" }),
      denied: read({ ...ofHolder, name: "beforeTransferData" }),
      deniedFrom: read({ ...ofHolder, name: "fromDenyList" }),
      deniedTo: read({ ...ofHolder, name: "toDenyList" }),
      deniedOperator: read({ ...ofHolder, name: "operatorDenyList" }),
    },
    ({ lock, few, denied, ...lists }): Refusal | null => {
      const forwarded = request.caller === null;
      const locked = generationOf(vault) === "a" || (valueOrNull(lock) ?? 0n) > 0n;
      if (forwarded && locked) return "share_locked";
      const [from, to, operator] = valueOrNull(denied) ?? [false, false, false];
      const listed = Object.values(lists).some((list) => valueOrNull(list) === true);
      const shut = from || to || operator || listed || (forwarded && valueOrNull(few) === true);
      return shut ? "not_allowed" : null;
    },
  );
}

const tellerAbi = once(() =>
  parseAbi([
    "function isSupported(address) view returns (bool)",
    "function assetData(address) view returns (bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    "function isPaused() view returns (bool)",
    "function depositCap() view returns (uint112)",
    "function accountant() view returns (address)",
    "function vault() view returns (address)",
  ]),
);
const depositAbi = once(() =>
  parseAbi(["function deposit(address depositAsset, uint256 depositAmount, uint256 minimumMint)"]),
);
const referredDepositAbi = once(() =>
  parseAbi([
    "function deposit(address depositAsset, uint256 depositAmount, uint256 minimumMint, address referralAddress)",
  ]),
);
const accountantAbi = once(() =>
  parseAbi([
    "function getRateInQuote(address) view returns (uint256)",
    "function getRateInQuoteSafe(address) view returns (uint256)",
  ]),
);
const shareAbi = once(() => parseAbi(["function totalSupply() view returns (uint256)"]));

/** `deposit(address, uint256, …)`: the amount is the second word after the selector. */
const AMOUNT_OFFSET = 36;
const BPS = 10_000n;
/** The cap that stands for none. */
const NO_CAP = 2n ** 112n - 1n;

/** What a teller says of one token: whether it takes it, and what it keeps of the shares, in basis points. */
interface TokenSupport {
  taken: boolean;
  premium: bigint;
}

/** What decides about a deposit's price and room. Null: did not answer. `rate`: token units for one whole share. */
interface VedaMarket {
  rate: bigint | null;
  support: TokenSupport | null;
  cap: bigint | null;
  supply: bigint | null;
}

const oneShare = (vault: Vault): bigint => 10n ** BigInt(vault.shareDecimals);

/** Reads that every question needs, about one token. */
function marketReads(vault: Vault, token: Address) {
  const teller = { to: vault.entryPoint, abi: tellerAbi() } as const;
  const args = [token] as const;
  const support =
    generationOf(vault) === "a"
      ? read({ ...teller, name: "isSupported", args })
      : read({ ...teller, name: "assetData", args });
  return {
    support,
    rate: read({ to: vault.pricer, abi: accountantAbi(), name: "getRateInQuoteSafe", args }),
    // Answers while the accountant is paused too, which is how that is seen.
    rateAnyway: read({ to: vault.pricer, abi: accountantAbi(), name: "getRateInQuote", args }),
    tellerPaused: read({ ...teller, name: "isPaused" }),
  };
}

function capReads(vault: Vault) {
  return {
    cap: read({ to: vault.entryPoint, abi: tellerAbi(), name: "depositCap" }),
    supply: read({ to: vault.shareToken, abi: shareAbi(), name: "totalSupply" }),
  };
}

type Result<T> = ReadResult<T>;
type SupportAnswer = boolean | readonly [boolean, boolean, number];

function supportOf(result: Result<SupportAnswer>): TokenSupport | null {
  if (!result.ok) return null;
  const { value } = result;
  if (typeof value === "boolean") return { taken: value, premium: 0n };
  return { taken: value[0], premium: BigInt(value[2]) };
}

/** Whether the teller, the accountant or the token's own switch stops every deposit of this token. */
function isPaused(results: {
  tellerPaused: Result<boolean>;
  support: Result<SupportAnswer>;
  rate: Result<bigint>;
  rateAnyway: Result<bigint>;
}): boolean {
  const accountantPaused = !results.rate.ok && results.rateAnyway.ok;
  const refused = supportOf(results.support)?.taken === false;
  return valueOrNull(results.tellerPaused) === true || accountantPaused || refused;
}

/** Shares for an amount, less the premium, as the teller rounds them; null: not known. */
function mintedShares(vault: Vault, input: { market: VedaMarket; amount: bigint }): bigint | null {
  const { rate, support } = input.market;
  if (rate === null || rate === 0n || support === null || support.premium > BPS) return null;
  const shares = mulDivDown(input.amount, oneShare(vault), isStreamed(vault) ? rate + 1n : rate);
  return mulDivDown(shares, BPS - support.premium, BPS);
}

/** The most that fits under the teller's cap on shares; null: it has none, or it is not known. */
function depositRoom(vault: Vault, market: VedaMarket): bigint | null {
  const { cap, supply } = market;
  if (cap === NO_CAP) return MAX_UINT256;
  if (cap === null || supply === null || mintedShares(vault, { market, amount: 1n }) === null) return null;
  if (cap <= supply) return 0n;
  const left = cap - supply;
  const over = (amount: bigint) => (mintedShares(vault, { market, amount }) ?? 0n) > left;
  const tooMuch = leastAmount(MAX_UINT256, over);
  return tooMuch === null ? MAX_UINT256 : tooMuch - 1n;
}

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
  const both = queryAll({ market, refusal: admissionQuery(vault, request) });
  return mapQuery(both, ({ market: terms, refusal }): DepositTerms => ({ ...terms, refusal }));
}

function describeState(vault: Vault) {
  return createQuery(
    { ...marketReads(vault, vault.asset.address), ...capReads(vault) },
    (results): VaultState => {
      // The rate that the family's own lens values balances with, whether the accountant is paused or not.
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
 * Veda's BoringVault: the teller is called, the vault takes the token and mints to whoever calls, the
 * accountant prices. Row: entry point = teller, spender and share token = vault, pricer = accountant;
 * `params.teller` is the teller's generation, `params.rate` (`streamed`) how yield reaches the rate,
 * `params.referrer` whom the newest is told. There is no minimum; the teller's own minimum of shares is used. Source:
 * Veda-Labs/boring-vault.
 */
export const veda: VaultAdapter = {
  name: "veda",
  noMinimum: true,
  checkParams: checkVedaParams,
  lens: (vault) => ({
    kind: "rate",
    shareToken: vault.shareToken,
    pricer: vault.pricer,
    // getRateInQuote(address)
    selector: "0x1dcbb110",
    argument: vault.asset.address,
  }),
  worth: (vault, { shares, rate }) => mulDivDown(shares, rate, oneShare(vault)),
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
};
