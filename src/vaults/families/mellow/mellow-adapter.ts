import { encodeFunctionData, isAddressEqual, parseAbi, parseEventLogs, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type {
  AsyncDeposits,
  DepositCall,
  DepositInput,
  DepositTerms,
  PendingDeposit,
  Refusal,
  TermsInput,
  VaultAdapter,
  VaultFamily,
  VaultFlags,
  VaultState,
} from "../../vault-adapter.ts";
import { FEE_UNITS, feeFractionQuery } from "../../vault-fee-rates.ts";
import { addressParam } from "../../vault-params.ts";
import { unknownPause } from "../../vault-pause.ts";
import { familyErrors } from "../../vault-reverts.ts";
import { sharePriceOf } from "../../vault-share-price.ts";
import { mellowBooked } from "./mellow-booked-deposits.ts";
import { mellowDeriver } from "./mellow-derivation.ts";
import { mellowExits } from "./mellow-exits.ts";
import { mellowFlows } from "./mellow-flow-events.ts";
import { mellowEvents } from "./mellow-governance-events.ts";
import {
  isSyncQueue,
  type MellowMarket,
  mellowMarket,
  mellowRoom,
  mellowShares,
  PRICE_UNIT,
} from "./mellow-pricing.ts";
import { queueFor, queuesParam, redeemTokens, requestQueues } from "./mellow-redeem-queues.ts";

const requestQueueAbi = once(() =>
  parseAbi([
    "function requestOf(address) view returns (uint256 timestamp, uint256 assets)",
    "function claimableOf(address) view returns (uint256)",
    "function claim(address account) returns (bool)",
    "event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp)",
    "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)",
    "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
  ]),
);

/**
 * Asynchronous deposits of Mellow's Core vaults: one request per account in the registry entry's queue. A later price
 * report settles it; then any account may claim its shares. Source: mellow-finance/flexible-vaults.
 */
const mellowRequests: AsyncDeposits = {
  oneAtATime: true,
  pending(vault, { user }) {
    const on = { to: vault.entryPoint, abi: requestQueueAbi(), args: [user] } as const;
    const own = createQuery(
      { request: read({ ...on, name: "requestOf" }), claimable: read({ ...on, name: "claimableOf" }) },
      ({ request, claimable }): PendingDeposit => {
        const shares = valueOrNull(claimable);
        // The queue keeps a settled request until its shares are claimed.
        const settled = shares !== null && shares > 0n;
        return {
          pendingAssets: settled ? 0n : shares === null ? null : (valueOrNull(request)?.[1] ?? null),
          claimableShares: shares,
          claimableAssets: null,
        };
      },
    );
    return mapQuery(queryAll({ own, booked: mellowBooked(vault, user) }), (all) => ({
      ...all.own,
      booked: all.booked,
    }));
  },
  claim(vault, { user, pending }) {
    if (pending.claimableShares === null || pending.claimableShares === 0n) return null;
    const data = encodeFunctionData({ abi: requestQueueAbi(), functionName: "claim", args: [user] });
    return { target: vault.entryPoint, data };
  },
  findRequest(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const requests = parseEventLogs({ abi: requestQueueAbi(), eventName: "DepositRequested", logs: own });
    const found = requests.find(({ args }) => isAddressEqual(args.account, user));
    return found === undefined ? null : { requestId: null, assets: found.args.assets };
  },
  // A transfer of shares, a redemption and a further deposit claim what is claimable first.
  findClaim(vault, { user, logs }) {
    const emitted = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const claims = parseEventLogs({
      abi: requestQueueAbi(),
      eventName: "DepositRequestClaimed",
      logs: emitted,
    });
    const own = claims.find(({ args }) => isAddressEqual(args.account, user));
    if (own === undefined) return null;
    const { shares } = own.args;
    // The queue has one request of an account at a time, and emits nothing where it has none.
    return { shares, assets: null, ...(shares === 0n && { alone: true }) };
  },
  findCancellation(vault, { user, logs }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, vault.entryPoint));
    const found = parseEventLogs({ abi: requestQueueAbi(), eventName: "DepositRequestCanceled", logs: own });
    return found.some(({ args }) => isAddressEqual(args.account, user));
  },
};

/** Deposits by request at other queues than the entry point, which mints immediately. They are read, not claimed. */
const requestsElsewhere: AsyncDeposits = {
  ...mellowRequests,
  pending: (vault, { user }) =>
    mapQuery(mellowBooked(vault, user), (booked) => ({
      ...{ pendingAssets: booked.assets, claimableShares: booked.assets === 0n ? 0n : null },
      ...{ claimableAssets: null, booked },
    })),
  claim: () => null,
};

const depositAbi = once(() =>
  parseAbi(["function deposit(uint224 assets, address referral, bytes32[] merkleProof)"]),
);
/** Byte offset of the amount in `deposit(uint224, …)`: the first word after the selector. */
const AMOUNT_OFFSET = 4;
/** Largest amount that fits the `uint224` argument of the deposit call. */
const MAX_ASSETS = 2n ** 224n - 1n;

/**
 * Converts a price to a sample of the share price: assets and shares of the same value, both in smallest units. Null
 * without a price.
 */
const priceSample = (price: bigint | null) => (price === null ? null : { assets: PRICE_UNIT, shares: price });

function refusalOf({ admitted, suspicious }: MellowMarket): Refusal | null {
  if (admitted === false) return "not_allowed";
  // Requests revert too, because the RiskManager values them at the last report.
  return suspicious ? "price_stale" : null;
}

function toTerms(vault: Vault, of: { request: TermsInput; market: MellowMarket }): DepositTerms {
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
    ...unknownPause(!market.paused && market.pauseUnknown),
  };
}

function encode(vault: Vault, request: DepositInput): DepositCall {
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

const explain = familyErrors({
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
    "error PendingRequestExists()": "request_pending",
  },
});

/**
 * Adapter of Mellow's Core vaults, such as Lido Earn. A deposit calls a queue, which mints at the price of the last
 * report or takes a request; the shares go to the caller. Source: mellow-finance/flexible-vaults.
 */
export const mellow: VaultAdapter = {
  name: "mellow",
  noMinimum: true,
  checkParams(vault) {
    isSyncQueue(vault);
    for (const name of ["redeem_queues", "deposit_queues"] as const)
      for (const list of [name, `other_${name}`] as const) queuesParam(vault, list);
    requestQueues(vault);
    for (const mode of ["instant", "request"] as const) {
      queueFor(vault, mode);
      redeemTokens(vault, mode);
    }
    addressParam(vault, "referrer");
  },
  lens: (vault) => ({
    kind: "report",
    shareToken: vault.shareToken,
    pricer: vault.pricer,
    // Selector of `getReport(address)`, which returns price, timestamp, and whether the report is suspicious.
    selector: "0xa3bdae3e",
    argument: vault.asset.address,
  }),
  toAssets: (_, { shares, rate }) => (rate === 0n ? null : mulDivDown(shares, PRICE_UNIT, rate)),
  state: (vault) => mapQuery(mellowMarket(vault, null), (market) => toState(vault, market)),
  flags: (vault) =>
    mapQuery(mellowMarket(vault, null), ({ paused }): VaultFlags => ({ paused, minDeposit: null })),
  terms: (vault, request) =>
    mapQuery(mellowMarket(vault, request.caller), (market) => toTerms(vault, { request, market })),
  encode,
  explain,
  flows: mellowFlows,
  asyncDeposits: (vault, at) =>
    isSyncQueue(vault) ? (at === "anywhere" ? requestsElsewhere : null) : mellowRequests,
  exits: mellowExits,
};

const feesAbi = once(() =>
  parseAbi([
    "function feeManager() view returns (address)",
    "function performanceFeeD6() view returns (uint24)",
    "function protocolFeeD6() view returns (uint24)",
  ]),
);

/**
 * Returns a query for a fee of the vault as a fraction: on its profits, or (`protocolFeeD6`) on its assets in a year.
 * Null if the fee manager or its fee cannot be read. Source: mellow-finance, FeeManager.
 */
function mellowFeeQuery(
  { address }: Vault,
  name: "performanceFeeD6" | "protocolFeeD6",
): Query<number | null> {
  const manager = read({ to: address, abi: feesAbi(), name: "feeManager" });
  return readThen({ manager }, (named) =>
    named.manager.ok
      ? feeFractionQuery(read({ to: named.manager.value, abi: feesAbi(), name }), FEE_UNITS.millionths)
      : createQuery({}, (): number | null => null),
  );
}

/** Vault family of Mellow's Core vaults, such as Lido Earn: its adapter, deriver, governance events and fees. */
export const mellowFamily: VaultFamily = {
  adapter: mellow,
  type: "lido",
  deriver: mellowDeriver,
  governanceEvents: mellowEvents,
  governanceLink: { contract: "feeManager", view: "feeManager()" },
  profitFeeQuery: (vault) => mellowFeeQuery(vault, "performanceFeeD6"),
  yearlyFeeQuery: (vault) => mellowFeeQuery(vault, "protocolFeeD6"),
};
