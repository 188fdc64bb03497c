import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  FlowSource,
  TermsInput,
  VaultAdapter,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import type { VaultExits } from "../../vault-exits.ts";
import { unknownPause } from "../../vault-pause.ts";
import type { ExplainedRevert } from "../../vault-reverts.ts";
import { exitFeeOf, sharePriceOf } from "../../vault-share-price.ts";
import { ORDINARY_ACCOUNT } from "./erc4626-derivation.ts";
import { smallExitFeeQuery } from "./erc4626-exit-fee.ts";
import { erc4626Flows } from "./erc4626-flow-events.ts";
import {
  type FamilyViews,
  mergeFlags,
  mergeState,
  mergeTerms,
  roomWithoutBalance,
} from "./erc4626-variant-views.ts";

/**
 * ABI of ERC-4626's `deposit` and of the view functions that a vault's totals, share price, exit fee and deposits need,
 * with the common extensions `paused()` and `minDeposit()`.
 */
export const erc4626Abi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function totalAssets() view returns (uint256)",
    "function totalSupply() view returns (uint256)",
    "function convertToAssets(uint256) view returns (uint256)",
    "function convertToShares(uint256) view returns (uint256)",
    "function previewDeposit(uint256) view returns (uint256)",
    "function previewRedeem(uint256) view returns (uint256)",
    "function maxDeposit(address) view returns (uint256)",
    "function paused() view returns (bool)",
    "function minDeposit() view returns (uint256)",
    "function deposit(uint256 assets, address receiver) returns (uint256 shares)",
  ]),
);

/** Byte offset of the amount in `deposit(uint256 assets, …)`: the first word after the selector. */
const AMOUNT_OFFSET = 4;

/**
 * Deviations of an ERC-4626 vault family from the standard. An omitted option counts as false unless stated otherwise.
 */
export interface Erc4626Options {
  /** The name of the family in registry entries. */
  name: string;
  /** True if the family's contracts enforce no minimum deposit. */
  noMinimum?: boolean;
  /** Validates the family's registry parameters. Throws an Error for an invalid one. Absent if it validates none. */
  checkParams?(vault: Vault): void;
  /** True if `paused()`, where it exists, stops deposits. */
  pausable?: boolean;
  /** False if `maxDeposit` is not read, because it is meaningless or uses too much gas; true if absent. */
  limited?: boolean;
  /** True if `maxDeposit` may be limited to what the account holds of the asset. */
  limitsToBalance?: boolean;
  /**
   * True if `totalAssets` are the net assets of all `totalSupply` shares, so that their ratio can value a balance when
   * `convertToAssets` fails.
   */
  ratio?: boolean;
  /** Number of decimals that shares have beyond `decimals()`; 0 if absent. */
  scale?: number;
  /**
   * Returns a query for the family's own view functions: about one deposit or, if `request` is null, about the vault in
   * general. Null if this vault has none for it.
   */
  views?(vault: Vault, request: TermsInput | null): Query<FamilyViews> | null;
  /**
   * Encodes the family's own deposit call in place of `deposit(assets, receiver)`. Its first argument must be the
   * amount too.
   */
  encode?(vault: Vault, request: DepositInput): Pick<DepositCall, "data" | "minShares">;
  /** Explains revert data of the family's own errors, or returns null for any other error. */
  explain?(revert: Hex): ExplainedRevert | null;
  /** Returns the family's own deposit and withdrawal events. Absent if they are those of ERC-4626. */
  flows?(vault: Vault): FlowSource;
  /** The family's withdrawals. Absent if they are not supported. */
  exits?: VaultExits;
}

/**
 * Creates the adapter of an ERC-4626 vault family. Only the Router enforces a minimum of shares, unless
 * `options.encode` encodes a call that does. Source: EIP-4626.
 */
export function defineErc4626(options: Erc4626Options): VaultAdapter {
  const { checkParams, explain, exits } = options;
  const own = (vault: Vault, request: TermsInput | null) => options.views?.(vault, request) ?? null;
  return {
    name: options.name,
    noMinimum: options.noMinimum ?? false,
    ...(checkParams === undefined ? {} : { checkParams }),
    lens: (vault) => ({
      kind: options.ratio === true ? "convert_or_ratio" : "convert",
      shareToken: vault.shareToken,
      pricer: vault.pricer,
    }),
    flags: (vault) =>
      withFamilyViews(standardFlags(vault, options), { own: own(vault, null), join: mergeFlags }),
    state: (vault) =>
      withFamilyViews(standardState(vault, options), { own: own(vault, null), join: mergeState }),
    terms: (vault, request) =>
      withFamilyViews(standardTerms(vault, { options, request }), {
        own: own(vault, request),
        join: mergeTerms,
      }),
    encode: (vault, request) => ({
      ...erc4626DepositCall(vault, request),
      ...options.encode?.(vault, request),
    }),
    ...(explain === undefined ? {} : { explain }),
    ...(exits === undefined ? {} : { exits }),
    flows: options.flows ?? erc4626Flows,
  };
}

/**
 * Joins the query for the standard ERC-4626 views with that for the family's own views. Returns the standard query if
 * the family has none.
 */
function withFamilyViews<S>(
  standard: Query<S>,
  extra: { own: Query<FamilyViews> | null; join: (standard: S, own: FamilyViews) => S },
): Query<S> {
  const { own, join } = extra;
  if (own === null) return standard;
  return mapQuery(queryAll({ standard, own }), (results) => join(results.standard as S, results.own));
}

const onVault = (vault: Vault) => ({ to: vault.entryPoint, abi: erc4626Abi() }) as const;

/**
 * Creates the read of the vault's `maxDeposit` for a receiver, as a record; an empty record for families whose
 * `maxDeposit` is not used.
 */
function limitRead(vault: Vault, input: { options: Erc4626Options; receiver: Address }) {
  if (input.options.limited === false) return {};
  return { maxDeposit: read({ ...onVault(vault), name: "maxDeposit", args: [input.receiver] }) };
}

function flagReads(vault: Vault) {
  return {
    minDeposit: read({ ...onVault(vault), name: "minDeposit" }),
    paused: read({ ...onVault(vault), name: "paused" }),
  };
}

type FlagResults = { paused: ReadResult<boolean>; minDeposit: ReadResult<bigint> };

function flagsOf({ paused, minDeposit }: FlagResults, { pausable = false }: Erc4626Options): VaultFlags {
  return { paused: pausable && valueOrNull(paused) === true, minDeposit: valueOrNull(minDeposit) };
}

const limitOf = (result: ReadResult<bigint> | undefined): bigint | null =>
  result === undefined ? null : valueOrNull(result);

function standardFlags(vault: Vault, options: Erc4626Options): Query<VaultFlags> {
  return createQuery(flagReads(vault), (results) => flagsOf(results, options));
}

function standardState(vault: Vault, options: Erc4626Options): Query<VaultState> {
  const decimals = { asset: vault.asset.decimals, share: vault.shareDecimals };
  // Where withdrawals wait, `previewRedeem` may only value what can already be claimed.
  const isInstant = options.exits?.modes(vault).join() === "instant";
  const known = createQuery(
    {
      totalAssets: read({ ...onVault(vault), name: "totalAssets" }),
      totalSupply: read({ to: vault.shareToken, abi: erc4626Abi(), name: "totalSupply" }),
      ...samplePriceReads(vault, sampleShares(vault, options.scale)),
      redeemed: read({
        ...onVault(vault),
        name: "previewRedeem",
        args: [sampleShares(vault, options.scale)],
      }),
      ...limitRead(vault, { options, receiver: ORDINARY_ACCOUNT }),
      ...flagReads(vault),
    },
    (results): { state: VaultState; sample: DepositTerms["price"] } => {
      const flags = flagsOf(results, options);
      const sample = samplePrice(sampleShares(vault, options.scale), results);
      const state = {
        ...flags,
        ...unknownPause(options.pausable === true && !results.paused.ok),
        totalAssets: valueOrNull(results.totalAssets),
        totalSupply: valueOrNull(results.totalSupply),
        sharePrice: sharePriceOf(sample, decimals),
        maxDeposit: flags.paused ? 0n : limitOf(results.maxDeposit),
        exitFee: isInstant
          ? exitFeeOf({ gross: valueOrNull(results.price), net: valueOrNull(results.redeemed) })
          : null,
      };
      return { state, sample };
    },
  );
  return andThen(known, ({ state, sample }) => {
    const price = isInstant && state.exitFee === null ? sample : null;
    const asksRoom = options.limitsToBalance === true && !state.paused && state.maxDeposit === 0n;
    const further = queryAll({
      fee: smallExitFeeQuery(vault, price),
      room: asksRoom ? roomWithoutBalance(vault, state) : createQuery({}, () => state.maxDeposit),
    });
    return mapQuery(further, ({ fee, room }) => ({
      ...state,
      exitFee: state.exitFee ?? fee,
      maxDeposit: room,
    }));
  });
}

function standardTerms(
  vault: Vault,
  { options, request }: { options: Erc4626Options; request: TermsInput },
): Query<DepositTerms> {
  return createQuery(
    {
      asset: read({ ...onVault(vault), name: "asset" }),
      preview: read({ ...onVault(vault), name: "previewDeposit", args: [request.amount] }),
      ...samplePriceReads(vault, sampleShares(vault, options.scale)),
      ...limitRead(vault, { options, receiver: request.receiver }),
      ...flagReads(vault),
    },
    (results): DepositTerms => ({
      ...flagsOf(results, options),
      asset: valueOrNull(results.asset),
      previewShares: valueOrNull(results.preview),
      previewRevert: results.preview.ok ? null : results.preview.revert,
      price: samplePrice(sampleShares(vault, options.scale), results),
      maxDeposit: limitOf(results.maxDeposit),
    }),
  );
}

function erc4626DepositCall(vault: Vault, request: DepositInput): DepositCall {
  const args = [request.amount, request.receiver] as const;
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: encodeFunctionData({ abi: erc4626Abi(), functionName: "deposit", args }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "receiver",
    async: false,
    minShares: "router",
  };
}

const priceAbi = once(() => parseAbi(["function convertToAssets(uint256) view returns (uint256)"]));
/**
 * Number of asset decimals from which one share is a sufficient sample of the share price. With fewer, the sample is
 * larger.
 */
const FINE_DECIMALS = 6;
/**
 * Factor from the coarse to the fine sample of shares. Rounding changes a share price from the fine sample by at most
 * 10^-18 whole assets, the last digit of a share price.
 */
const FINE_FACTOR = 10n ** 12n;

type PriceResults = { price: ReadResult<bigint>; finePrice: ReadResult<bigint> };

/**
 * Returns how many shares to convert when sampling the share price, in the share token's smallest unit: one share, or
 * more if the asset has fewer than 6 decimals. `scale`: the decimals that shares have beyond `decimals()`.
 */
export function sampleShares({ shareDecimals, asset }: Vault, scale = 0): bigint {
  return 10n ** BigInt(shareDecimals + scale + Math.max(0, FINE_DECIMALS - asset.decimals));
}

/**
 * Returns two reads of the pricer's `convertToAssets`, for shares in the share token's smallest unit: `price` for
 * `shares`, and `finePrice` for 10^12 times as many, which loses less to rounding.
 */
export function samplePriceReads(vault: Vault, shares: bigint) {
  const on = { to: vault.pricer, abi: priceAbi(), name: "convertToAssets" } as const;
  return {
    price: read({ ...on, args: [shares] }),
    finePrice: read({ ...on, args: [shares * FINE_FACTOR] }),
  };
}

/**
 * Returns a sample of the share price from the results of `samplePriceReads` for `shares`: a number of shares and their
 * value in assets, both in smallest units. Null if `shares` could not be converted.
 */
export function samplePrice(shares: bigint, { price, finePrice }: PriceResults): DepositTerms["price"] {
  if (!price.ok) return null;
  const coarse = { assets: price.value, shares };
  if (!finePrice.ok) return coarse;
  const rounded = finePrice.value / FINE_FACTOR;
  const agrees = rounded >= price.value && rounded <= price.value + 1n;
  return agrees ? { assets: finePrice.value, shares: shares * FINE_FACTOR } : coarse;
}
