import { encodeFunctionData, parseAbi } from "viem";
import { describe, type ReadResult, read, valueOrNull } from "../../chains/read.ts";
import { MAX_UINT256, mulDivDown } from "../../lib/amount.ts";
import type { DepositCall, DepositRequest, DepositTerms, VaultAdapter, VaultState } from "../adapter.ts";
import type { Vault } from "../vault.ts";
import { erc4626Flows } from "./erc4626-flows.ts";

export const erc4626Abi = parseAbi([
  "function asset() view returns (address)",
  "function totalAssets() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function previewDeposit(uint256) view returns (uint256)",
  "function maxDeposit(address) view returns (uint256)",
  "function paused() view returns (bool)",
  "function minDeposit() view returns (uint256)",
  "function deposit(uint256 assets, address receiver) returns (uint256 shares)",
]);

/** `deposit(uint256 assets, …)`: the amount is the first word after the selector. */
const AMOUNT_OFFSET = 4;

/** Assets with fewer decimals round one share's worth too coarsely to judge a price by. */
const FINE_DECIMALS = 6;

/** What sets one ERC-4626 family apart from the generic one. */
export interface Erc4626Traits {
  name: string;
  noMinimum: boolean;
  /** Whether `paused()` stops deposits where it exists. */
  pausable: boolean;
}

/**
 * Makes the adapter of a vault family that keeps to ERC-4626: the vault is entry point, spender, share token
 * and pricer. `maxDeposit` is read as a hint only. Source: EIP-4626.
 */
export function defineErc4626(traits: Erc4626Traits): VaultAdapter {
  const onVault = (vault: Vault) => ({ to: vault.entryPoint, abi: erc4626Abi }) as const;
  const oneShare = (vault: Vault): bigint => 10n ** BigInt(vault.shareDecimals);
  const isPaused = (result: ReadResult<boolean>): boolean => traits.pausable && valueOrNull(result) === true;
  return {
    name: traits.name,
    noMinimum: traits.noMinimum,
    lens: (vault) => ({ kind: "convert_or_ratio", shareToken: vault.shareToken, pricer: vault.pricer }),
    flags: (vault) =>
      describe(
        {
          paused: read({ ...onVault(vault), name: "paused" }),
          minDeposit: read({ ...onVault(vault), name: "minDeposit" }),
        },
        ({ paused, minDeposit }) => ({ paused: isPaused(paused), minDeposit: valueOrNull(minDeposit) }),
      ),
    state: (vault) =>
      describe(
        {
          totalAssets: read({ ...onVault(vault), name: "totalAssets" }),
          totalSupply: read({ to: vault.shareToken, abi: erc4626Abi, name: "totalSupply" }),
          price: read({
            to: vault.pricer,
            abi: erc4626Abi,
            name: "convertToAssets",
            args: [oneShare(vault)],
          }),
          maxDeposit: read({ ...onVault(vault), name: "maxDeposit", args: [ANYBODY] }),
          minDeposit: read({ ...onVault(vault), name: "minDeposit" }),
          paused: read({ ...onVault(vault), name: "paused" }),
        },
        (results): VaultState => ({
          totalAssets: valueOrNull(results.totalAssets),
          totalSupply: valueOrNull(results.totalSupply),
          sharePrice: toSharePrice(valueOrNull(results.price), vault.asset.decimals),
          maxDeposit: valueOrNull(results.maxDeposit),
          minDeposit: valueOrNull(results.minDeposit),
          paused: isPaused(results.paused),
        }),
      ),
    terms: (vault, request) =>
      describe(
        {
          asset: read({ ...onVault(vault), name: "asset" }),
          preview: read({ ...onVault(vault), name: "previewDeposit", args: [request.amount] }),
          price: read({
            to: vault.pricer,
            abi: erc4626Abi,
            name: "convertToAssets",
            args: [priceSample(vault)],
          }),
          maxDeposit: read({ ...onVault(vault), name: "maxDeposit", args: [request.receiver] }),
          minDeposit: read({ ...onVault(vault), name: "minDeposit" }),
          paused: read({ ...onVault(vault), name: "paused" }),
        },
        (results): DepositTerms => {
          const assets = valueOrNull(results.price);
          return {
            asset: valueOrNull(results.asset),
            previewShares: valueOrNull(results.preview),
            previewRevert: results.preview.ok ? null : results.preview.revert,
            price: assets === null ? null : { assets, shares: priceSample(vault) },
            maxDeposit: valueOrNull(results.maxDeposit),
            minDeposit: valueOrNull(results.minDeposit),
            paused: isPaused(results.paused),
          };
        },
      ),
    encode: (vault, request): DepositCall => encodeDeposit(vault, request),
    flows: erc4626Flows,
  };
}

/** Stands for an ordinary receiver in limits that are asked for nobody in particular; some vaults answer 0 for 0x0. */
const ANYBODY = "0x000000000000000000000000000000000000dEaD";

function encodeDeposit(vault: Vault, request: DepositRequest): DepositCall {
  const args = [request.amount, request.receiver] as const;
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "receiver",
    async: false,
    minShares: "router",
  };
}

/** Shares whose worth shows a price to a millionth, however few decimals the asset has. */
function priceSample({ shareDecimals, asset }: Vault): bigint {
  return 10n ** BigInt(shareDecimals + Math.max(0, FINE_DECIMALS - asset.decimals));
}

/** Whole assets per whole share times 10^18, rounded down. */
function toSharePrice(assetsPerShare: bigint | null, assetDecimals: number): bigint | null {
  if (assetsPerShare === null || assetsPerShare > MAX_UINT256 / 10n ** 18n) return null;
  return mulDivDown(assetsPerShare, 10n ** 18n, 10n ** BigInt(assetDecimals));
}

/** Any vault that keeps to ERC-4626 and is of no family with rules of its own. */
export const erc4626 = defineErc4626({ name: "erc4626", noMinimum: false, pausable: true });
