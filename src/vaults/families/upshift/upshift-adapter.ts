import { type Address, encodeFunctionData, isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  type ReadResult,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  DepositCall,
  DepositInput,
  DepositTerms,
  TermsInput,
  VaultAdapter,
  VaultFamily,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import { unknownPause } from "../../vault-pause.ts";
import { sharePriceOf } from "../../vault-share-price.ts";
import { upshiftDeriver } from "./upshift-derivation.ts";
import { explainUpshift } from "./upshift-errors.ts";
import { upshiftExits } from "./upshift-exits.ts";
import { upshiftFlows } from "./upshift-flow-events.ts";
import { upshiftEvents } from "./upshift-governance-events.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function deposit(address assetIn, uint256 amountIn, address receiverAddr) returns (uint256 shares)",
    "function previewDeposit(address assetIn, uint256 amountIn) view returns (uint256 shares, uint256 amountInReferenceTokens)",
    "function getSharePrice() view returns (uint256)",
    "function getTotalAssets() view returns (uint256)",
    "function maxDepositAmount() view returns (uint256)",
    "function depositCap() view returns (uint256)",
    "function depositsPaused() view returns (bool)",
    "function sendersWhitelistAddress() view returns (address)",
    "function assetsWhitelistAddress() view returns (address)",
  ]),
);
const shareAbi = once(() => parseAbi(["function totalSupply() view returns (uint256)"]));
const whitelistAbi = once(() => parseAbi(["function isWhitelisted(address) view returns (bool)"]));

/** Byte offset of the amount in `deposit(address assetIn, uint256 amountIn, …)`: the second word after the selector. */
const AMOUNT_OFFSET = 36;
/** Selector of the vault's `getSharePrice()`, which returns the price of one share in the asset's smallest unit. */
const SHARE_PRICE = "0x5b1dac60";

const onVault = (vault: Vault) => ({ to: vault.entryPoint, abi: vaultAbi() }) as const;
const oneShare = (vault: Vault): bigint => 10n ** BigInt(vault.shareDecimals);

function limitReads(vault: Vault) {
  return {
    paused: read({ ...onVault(vault), name: "depositsPaused" }),
    price: read({ to: vault.pricer, abi: vaultAbi(), name: "getSharePrice" }),
    total: read({ ...onVault(vault), name: "getTotalAssets" }),
    perDeposit: read({ ...onVault(vault), name: "maxDepositAmount" }),
    cap: read({ ...onVault(vault), name: "depositCap" }),
  };
}

type Limits = ReadResults<ReturnType<typeof limitReads>>;

/**
 * Returns the largest deposit, in the asset's smallest unit: the smaller of the limit per deposit and the amount left
 * under the cap, where an unknown one is ignored. Null if neither is known.
 */
function roomOf({ perDeposit, cap, total }: Limits): bigint | null {
  const left = cap.ok && total.ok ? (cap.value > total.value ? cap.value - total.value : 0n) : null;
  return smaller(left, valueOrNull(perDeposit));
}

function describeState(vault: Vault) {
  return createQuery(
    { ...limitReads(vault), supply: read({ to: vault.shareToken, abi: shareAbi(), name: "totalSupply" }) },
    (results): VaultState => {
      const paused = valueOrNull(results.paused) === true;
      const price = valueOrNull(results.price);
      const sample = price === null ? null : { assets: price, shares: oneShare(vault) };
      return {
        totalAssets: valueOrNull(results.total),
        totalSupply: valueOrNull(results.supply),
        sharePrice: sharePriceOf(sample, { asset: vault.asset.decimals, share: vault.shareDecimals }),
        maxDeposit: paused ? 0n : roomOf(results),
        minDeposit: null,
        paused,
        ...unknownPause(!results.paused.ok),
      };
    },
  );
}

function termsReads(vault: Vault, request: TermsInput) {
  const args = [request.token.address, request.amount] as const;
  return {
    ...limitReads(vault),
    preview: read({ ...onVault(vault), name: "previewDeposit", args }),
    senders: read({ ...onVault(vault), name: "sendersWhitelistAddress" }),
    assets: read({ ...onVault(vault), name: "assetsWhitelistAddress" }),
  };
}

type TermsResults = ReadResults<ReturnType<typeof termsReads>>;

/**
 * Creates the read of whether an account is whitelisted. Null if there is no whitelist, if its address could not be
 * read, or if no account is given.
 */
function whitelistRead(whitelist: ReadResult<Address>, account: Address | null) {
  if (!whitelist.ok || account === null || isAddressEqual(whitelist.value, zeroAddress)) return null;
  return read({ to: whitelist.value, abi: whitelistAbi(), name: "isWhitelisted", args: [account] });
}

/**
 * Returns a query for the conditions of a deposit. If the vault has whitelists of senders or tokens, it takes two
 * batches, because the first returns their addresses.
 */
function describeTerms(vault: Vault, request: TermsInput) {
  return readThen(termsReads(vault, request), (first) => {
    const sender = whitelistRead(first.senders, request.caller);
    const asset = whitelistRead(first.assets, request.token.address);
    return createQuery({ ...(sender && { sender }), ...(asset && { asset }) }, (lists): DepositTerms => {
      const listed = lists.asset === undefined ? null : valueOrNull(lists.asset);
      // If the whitelist cannot be read, a working preview shows that the vault accepts the token.
      const accepted = listed ?? first.preview.ok;
      const admitted = lists.sender === undefined || valueOrNull(lists.sender) !== false;
      return {
        // A token that is not whitelisted is rejected by `refusal` below; null means that nothing is known about it.
        asset: accepted || listed === false ? request.token.address : null,
        previewShares: first.preview.ok ? first.preview.value[0] : null,
        previewRevert: first.preview.ok ? null : first.preview.revert,
        price: priceFor(vault, { request, first }),
        maxDeposit: sameAddress(request.token.address, vault.asset.address) ? roomOf(first) : null,
        minDeposit: null,
        paused: valueOrNull(first.paused) === true,
        refusal: listed === false ? "token_unsupported" : admitted ? null : "not_allowed",
      };
    });
  });
}

/**
 * Converts the share price from the reference token (the vault's asset) to the deposited token, by the ratio of the two
 * amounts in the preview. Null if the price is unknown, or the preview of another token than the asset.
 */
function priceFor(vault: Vault, seen: { request: TermsInput; first: TermsResults }): DepositTerms["price"] {
  const { preview, price } = seen.first;
  if (!price.ok) return null;
  const isAsset = sameAddress(seen.request.token.address, vault.asset.address);
  if (!preview.ok) return isAsset ? { assets: price.value, shares: oneShare(vault) } : null;
  const [, inReference] = preview.value;
  return { assets: price.value * seen.request.amount, shares: oneShare(vault) * inReference };
}

function encode(vault: Vault, request: DepositInput): DepositCall {
  const args = [request.token.address, request.amount, request.receiver] as const;
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: encodeFunctionData({ abi: vaultAbi(), functionName: "deposit", args }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "receiver",
    async: false,
    minShares: "router",
  };
}

/**
 * Adapter of Upshift's multi-asset vaults, whose share token is a separate contract. Shares are priced in a reference
 * token, which is the asset of the registry entry. Source: the published ABI of TokenizedVaultV2.
 */
export const upshift: VaultAdapter = {
  name: "upshift",
  noMinimum: false,
  lens: (vault) => ({
    kind: "rate",
    shareToken: vault.shareToken,
    pricer: vault.pricer,
    selector: SHARE_PRICE,
    argument: zeroAddress,
  }),
  toAssets: (vault, { shares, rate }) => mulDivDown(shares, rate, oneShare(vault)),
  state: describeState,
  flags: (vault) =>
    createQuery(
      { paused: read({ ...onVault(vault), name: "depositsPaused" }) },
      ({ paused }): VaultFlags => ({ paused: valueOrNull(paused) === true, minDeposit: null }),
    ),
  terms: describeTerms,
  encode,
  explain: explainUpshift,
  flows: upshiftFlows,
  exits: upshiftExits({ legacy: false }),
  exitFeeInTerms: true,
};

/** Vault family of Upshift's multi-asset vaults: its adapter, deriver and governance events. */
export const upshiftFamily: VaultFamily = {
  adapter: upshift,
  type: "custom",
  deriver: upshiftDeriver,
  governanceEvents: upshiftEvents,
};
