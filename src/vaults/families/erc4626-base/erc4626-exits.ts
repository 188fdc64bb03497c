import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import {
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
import {
  type ExitCall,
  type ExitInput,
  type ExitTerms,
  type ExitTermsInput,
  unknownExitTerms,
  type VaultExits,
} from "../../vault-exits.ts";
import type { ExitSwitches } from "./erc4626-exit-switches.ts";

const exitAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function balanceOf(address) view returns (uint256)",
    "function convertToAssets(uint256) view returns (uint256)",
    "function previewRedeem(uint256) view returns (uint256)",
    "function maxRedeem(address) view returns (uint256)",
    "function maxWithdraw(address) view returns (uint256)",
    "function paused() view returns (bool)",
    "function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)",
  ]),
);

/** Byte offset of the shares in `redeem(uint256 shares, …)`: the first word after the selector. */
const SHARES_OFFSET = 4;
/** Byte offset of the receiver in the calldata of `redeem`. */
const RECEIVER_OFFSET = 36;
/** Byte offset of the owner in the calldata of `redeem`. */
const OWNER_OFFSET = 68;

/**
 * Deviations of an ERC-4626 vault family's withdrawals from the standard. An omitted option counts as false unless
 * stated otherwise.
 */
export interface Erc4626ExitOptions {
  /** False if `maxRedeem` and `maxWithdraw` are not read; true if absent. */
  limited?: boolean;
  /** True if `paused()`, where it exists, stops redemptions. */
  pausable?: boolean;
  /** True if redemptions may have a fee, which `previewRedeem` deducts and `convertToAssets` does not. */
  charges?: boolean;
  /** Returns false if the Router's executor may not hold and redeem the shares. Absent if it always may. */
  viaRouter?(vault: Vault): boolean;
  /** Returns a query for what shows why `maxRedeem` is 0. Absent if only a pause shows it. */
  switches?(vault: Vault): Query<ExitSwitches>;
  /** Returns a query for the family's own view functions, whose results override those of the standard ones. */
  views?(vault: Vault, request: ExitTermsInput): Query<Partial<ExitTerms>>;
  /**
   * Encodes the family's own redemption, whose first three words must be those of `redeem(shares, receiver, owner)`.
   */
  encode?(
    words: { shares: bigint; receiver: Address; owner: Address },
    request: ExitInput,
  ): Pick<ExitCall, "data" | "minAssets">;
}

/**
 * Creates the withdrawal part of an ERC-4626 family's adapter; the only mode is `instant`. Only the Router enforces a
 * minimum payment, unless `options.encode` encodes a call that does. Source: EIP-4626.
 */
export function erc4626Exits(options: Erc4626ExitOptions = {}): VaultExits {
  return {
    modes: () => ["instant"],
    tokens: (vault) => [vault.asset],
    viaRouter: (vault) => options.viaRouter?.(vault) ?? true,
    terms: (vault, request) => {
      const standard = standardExitTerms(vault, { options, request });
      const own = options.views?.(vault, request);
      if (own === undefined) return standard;
      return mapQuery(queryAll({ standard, own }), (results) => ({ ...results.standard, ...results.own }));
    },
    encode: (vault, request) => erc4626RedeemCall(vault, { request, encode: options.encode }),
    ...(options.charges === true && { exitPrice }),
  };
}

/** Decimals by which the sample of `exitPrice` exceeds one share, so that rounding costs little. */
const SAMPLE_DECIMALS = 6;
/** Value of one share, in the asset's smallest unit, from which rounding costs at most a millionth. */
const LEAST_SAMPLE = 10n ** 6n;

function exitPrice(vault: Vault): Query<{ gross: bigint; net: bigint } | null> {
  const on = { to: vault.entryPoint, abi: exitAbi() } as const;
  const sampled = (decimals: number) => {
    const args = [10n ** BigInt(decimals)] as const;
    return {
      gross: read({ ...on, name: "convertToAssets", args }),
      net: read({ ...on, name: "previewRedeem", args }),
    };
  };
  const large = sampled(vault.shareDecimals + SAMPLE_DECIMALS);
  const whole = sampled(vault.shareDecimals);
  const reads = { ...large, wholeGross: whole.gross, wholeNet: whole.net };
  return createQuery(reads, ({ gross, net, wholeGross, wholeNet }) => {
    if (gross.ok && net.ok) return { gross: gross.value, net: net.value };
    // Some vaults preview no more shares than exist. One share is a sample where rounding costs little.
    if (!wholeGross.ok || !wholeNet.ok || wholeGross.value < LEAST_SAMPLE) return null;
    return { gross: wholeGross.value, net: wholeNet.value };
  });
}

/**
 * Creates the common reads of a redemption from an ERC-4626 vault: the asset, the owner's share balance, the preview of
 * the redemption, and the value of the shares before fees.
 */
export function erc4626ExitReads(vault: Vault, request: ExitTermsInput) {
  const on = { to: vault.entryPoint, abi: exitAbi() } as const;
  return {
    asset: read({ ...on, name: "asset" }),
    held: read({ to: vault.shareToken, abi: exitAbi(), name: "balanceOf", args: [request.owner] }),
    preview: read({ ...on, name: "previewRedeem", args: [request.shares] }),
    gross: read({ ...on, name: "convertToAssets", args: [request.shares] }),
  };
}

/**
 * Converts the results of `erc4626ExitReads` to the conditions of a redemption. A failed read becomes null; the
 * conditions that these reads do not cover are those of `unknownExitTerms`.
 */
export function erc4626ExitTermsOf(results: {
  asset: ReadResult<Address>;
  held: ReadResult<bigint>;
  preview: ReadResult<bigint>;
  gross: ReadResult<bigint>;
}): ExitTerms {
  const { asset, held, preview, gross } = results;
  return {
    ...unknownExitTerms,
    asset: valueOrNull(asset),
    heldShares: valueOrNull(held),
    previewAssets: valueOrNull(preview),
    previewRevert: preview.ok ? null : preview.revert,
    grossAssets: valueOrNull(gross),
  };
}

function limitReads(vault: Vault, of: { options: Erc4626ExitOptions; owner: Address }) {
  if (of.options.limited === false) return {};
  const on = { to: vault.entryPoint, abi: exitAbi() } as const;
  return {
    maxRedeem: read({ ...on, name: "maxRedeem", args: [of.owner] }),
    maxWithdraw: read({ ...on, name: "maxWithdraw", args: [of.owner] }),
  };
}

const limitOf = (result: ReadResult<bigint> | undefined): bigint | null =>
  result === undefined ? null : valueOrNull(result);

const NO_SWITCHES: Query<ExitSwitches> = createQuery({}, () => ({ off: false, idle: null }));

function standardExitTerms(
  vault: Vault,
  { options, request }: { options: Erc4626ExitOptions; request: ExitTermsInput },
): Query<ExitTerms> {
  const views = createQuery(
    {
      ...erc4626ExitReads(vault, request),
      ...limitReads(vault, { options, owner: request.owner }),
      paused: read({ to: vault.entryPoint, abi: exitAbi(), name: "paused" }),
    },
    (results) => {
      const terms = erc4626ExitTermsOf(results);
      const maxShares = limitOf(results.maxRedeem);
      const limited = maxShares !== null && terms.heldShares !== null && maxShares < terms.heldShares;
      // An owner who can redeem everything learns nothing about the liquidity beyond their own shares.
      const availableAssets = limited ? limitOf(results.maxWithdraw) : null;
      return {
        terms: { ...terms, maxShares, availableAssets },
        paused: valueOrNull(results.paused) === true,
      };
    },
  );
  const switches = options.switches?.(vault) ?? NO_SWITCHES;
  return mapQuery(queryAll({ views, switches }), ({ views: { terms, paused }, switches: shown }) => ({
    ...terms,
    paused: options.pausable === true && paused,
    closed: isClosed(terms, { off: paused || shown.off, idle: shown.idle }),
    ...(shown.halted === true && { halted: true }),
  }));
}

/**
 * Returns true if a vault that would redeem nothing (`maxRedeem` is 0) for a holder of shares is switched off, or holds
 * enough assets to pay for the requested shares.
 */
function isClosed(terms: ExitTerms, { off, idle }: ExitSwitches): boolean {
  const { maxShares, heldShares, previewAssets, grossAssets } = terms;
  if (maxShares !== 0n || heldShares === null || heldShares === 0n) return false;
  const worth = previewAssets ?? grossAssets ?? 0n;
  return off || (idle !== null && worth > 0n && idle >= worth);
}

/**
 * Creates the call `redeem(shares, receiver, owner)`, or that of the family's own function with the same first three
 * words. The owner is the caller, and so is the receiver if the request has none. If `caller` is null, the Router's
 * executor is the caller: its words are zero, and the Router fills them in at `selfOffsets`.
 */
export function erc4626RedeemCall(
  vault: Vault,
  { request, encode }: { request: ExitInput; encode?: Erc4626ExitOptions["encode"] | undefined },
): ExitCall {
  const { caller, shares } = request;
  const own = caller ?? zeroAddress;
  const words = { shares, receiver: request.receiver ?? own, owner: own };
  const args = [words.shares, words.receiver, words.owner] as const;
  const receiverOffsets = request.receiver === null ? [RECEIVER_OFFSET] : [];
  return {
    target: vault.entryPoint,
    spender: null,
    sharesOffset: SHARES_OFFSET,
    sharesScale: 1n,
    selfOffsets: caller === null ? [...receiverOffsets, OWNER_OFFSET] : [],
    paysTo: request.receiver === null ? "caller" : "receiver",
    tokenOut: vault.asset.address,
    async: false,
    ...(encode?.(words, request) ?? {
      data: encodeFunctionData({ abi: exitAbi(), functionName: "redeem", args }),
      minAssets: "none",
    }),
  };
}
