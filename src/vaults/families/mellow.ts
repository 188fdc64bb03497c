import { encodeFunctionData, parseAbi, zeroAddress } from "viem";
import { mapDescribed } from "../../chains/read.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import type {
  DepositCall,
  DepositRequest,
  DepositTerms,
  Refusal,
  TermsRequest,
  VaultAdapter,
  VaultFlags,
  VaultState,
} from "../adapter.ts";
import { ownErrors } from "../own-errors.ts";
import { addressParam } from "../params.ts";
import { sharePriceOf } from "../share-price.ts";
import type { Vault } from "../vault.ts";
import { mellowFlows, queuesParam } from "./mellow-flows.ts";
import {
  isSyncQueue,
  type MellowMarket,
  mellowMarket,
  mellowRoom,
  mellowShares,
  PRICE_UNIT,
} from "./mellow-market.ts";
import { mellowRequests } from "./mellow-requests.ts";

const depositAbi = once(() =>
  parseAbi(["function deposit(uint224 assets, address referral, bytes32[] merkleProof)"]),
);
/** `deposit(uint224, …)`: the amount is the first word after the selector. */
const AMOUNT_OFFSET = 4;
/** The most that the call has room for. */
const MAX_ASSETS = 2n ** 224n - 1n;

/** Assets and shares, in smallest units, that are worth the same. */
const priceSample = (price: bigint | null) => (price === null ? null : { assets: PRICE_UNIT, shares: price });

function refusalOf({ admitted, suspicious }: MellowMarket): Refusal | null {
  if (admitted === false) return "not_allowed";
  // Requests too: the RiskManager counts them at the report.
  return suspicious ? "price_stale" : null;
}

function toTerms(vault: Vault, of: { request: TermsRequest; market: MellowMarket }): DepositTerms {
  const { market } = of;
  const { amount } = of.request;
  const fits = amount <= MAX_ASSETS;
  return {
    asset: market.asset,
    previewShares: fits ? mellowShares(vault, { market, amount }) : null,
    previewRevert: null,
    price: priceSample(market.price),
    maxDeposit: fits ? mellowRoom(market) : MAX_ASSETS,
    minDeposit: null,
    paused: market.paused,
    refusal: refusalOf(market),
  };
}

function toState(vault: Vault, market: MellowMarket): VaultState {
  const { price, totalShares } = market;
  const decimals = { asset: vault.asset.decimals, share: vault.shareDecimals };
  return {
    totalAssets: price === null || totalShares === null ? null : mulDivDown(totalShares, PRICE_UNIT, price),
    totalSupply: totalShares,
    sharePrice: sharePriceOf(priceSample(price), decimals),
    maxDeposit: market.paused ? 0n : mellowRoom(market),
    minDeposit: null,
    paused: market.paused,
  };
}

function encode(vault: Vault, request: DepositRequest): DepositCall {
  const args = [request.amount, addressParam(vault, "referrer") ?? zeroAddress, []] as const;
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "caller",
    async: !isSyncQueue(vault),
    minShares: "router",
  };
}

const explain = ownErrors({
  errors: {
    "error QueuePaused()": "vault_paused",
    "error MintPaused()": "vault_paused",
    "error DepositNotAllowed()": "not_allowed",
    "error NotWhitelisted(address account)": "not_allowed",
    "error Blacklisted(address account)": "not_allowed",
    "error TransferNotAllowed(address from, address to)": "not_allowed",
    "error TransferPaused()": "share_locked",
    "error GlobalLockupNotExpired(uint256 timestamp, uint256 lockup)": "share_locked",
    "error InvalidReport()": "price_stale",
    "error StaleReport()": "price_stale",
    "error LimitExceeded(int256 value, int256 max)": "above_maximum",
    "error ZeroValue()": "zero_shares",
    "error PendingRequestExists()": null,
  },
});

/**
 * Mellow's Core vaults, Lido Earn among them: a queue for each token mints at the oracle's last report, or
 * takes requests that the next one settles. Queues name no receiver: all belongs to whoever calls. Row: address
 * = vault, entry point and spender = queue, share token = share manager, pricer = oracle; `params.queue` (sync,
 * async), `params.redeem_queues`, `params.deposit_queues` (the token's others), `params.referrer`. There is no
 * minimum. Source: mellow-finance/flexible-vaults.
 */
export const mellow: VaultAdapter = {
  name: "mellow",
  noMinimum: true,
  checkParams(vault) {
    isSyncQueue(vault);
    queuesParam(vault, "redeem_queues");
    queuesParam(vault, "deposit_queues");
    addressParam(vault, "referrer");
  },
  lens: (vault) => ({
    kind: "report",
    shareToken: vault.shareToken,
    pricer: vault.pricer,
    // getReport(address): the price, its time, and whether it is suspicious
    selector: "0xa3bdae3e",
    argument: vault.asset.address,
  }),
  worth: (_, { shares, rate }) => (rate === 0n ? null : mulDivDown(shares, PRICE_UNIT, rate)),
  state: (vault) => mapDescribed(mellowMarket(vault, null), (market) => toState(vault, market)),
  flags: (vault) =>
    mapDescribed(mellowMarket(vault, null), ({ paused }): VaultFlags => ({ paused, minDeposit: null })),
  terms: (vault, request) =>
    mapDescribed(mellowMarket(vault, request.caller), (market) => toTerms(vault, { request, market })),
  encode,
  explain,
  flows: mellowFlows,
  requests: (vault) => (isSyncQueue(vault) ? null : mellowRequests),
};
