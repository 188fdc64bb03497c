import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress, zeroHash } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { parseAddress, sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import { acceptedBefore, requestContracts, withAccepted } from "../../accepted-contracts.ts";
import type { Token } from "../../vault.ts";
import {
  type Derivation,
  type DerivationSubject,
  type DerivedVault,
  type Deriver,
  hasFunction,
  MAX_NAME_LENGTH,
  probeFunction,
  sanitizeLabel,
  tokenQuery,
  underivable,
} from "../../vault-deriver.ts";
import { tokenList, withoutParams } from "../../vault-params.ts";
import { depositSelector, type MidasMode } from "./midas-params.ts";

const depositVaultAbi = once(() =>
  parseAbi([
    "function mToken() view returns (address)",
    "function mTokenDataFeed() view returns (address)",
    "function getPaymentTokens() view returns (address[])",
    "function greenlistEnabled() view returns (bool)",
    "function minMTokenAmountForFirstDeposit() view returns (uint256)",
    "function tokensConfig(address token) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
  ]),
);
const depositAbi = once(() => parseAbi(["function depositInstant(address, uint256, uint256, bytes32)"]));
const recipientDepositAbi = once(() =>
  parseAbi(["function depositInstant(address, uint256, uint256, bytes32, address)"]),
);
const redeemAbi = once(() => parseAbi(["function redeemInstant(address, uint256, uint256)"]));
const pauseAbi = once(() => parseAbi(["function fnPaused(bytes4 fn) view returns (bool)"]));
const shareAbi = once(() =>
  parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);
const feedAbi = once(() => parseAbi(["function getDataInBase18() view returns (uint256)"]));

/** Maximum number of payment tokens of a RedemptionVault that are read. */
const MAX_PAYMENTS = 16;

/** A DepositVault, Midas's deposit contract: its mToken, price feed, payment tokens and conditions for callers. */
interface DepositVaultInfo {
  address: Address;
  mToken: Address;
  feed: Address;
  payments: readonly Address[];
  /**
   * True if a deposit call can name a recipient. False for older versions, and if only the function without a recipient
   * is open: shares then go to the caller.
   */
  namesRecipient: boolean;
  /**
   * True if the conditions depend on the caller: there is a whitelist, or a minimum for each caller's first deposit.
   * True also if one of the two cannot be read.
   */
  callerMatters: boolean;
}

/**
 * Returns a query for a DepositVault, Midas's deposit contract; the result is null for other contracts, such as a
 * RedemptionVault, which has the same views. `deposit` selects the functions whose pauses are read.
 */
function describeDepositVault(
  address: Address,
  deposit: "instant" | "request",
): Query<DepositVaultInfo | null> {
  const on = { to: address, abi: depositVaultAbi() } as const;
  const args = [zeroAddress, 0n, 0n, zeroHash, zeroAddress];
  const reads = {
    mToken: read({ ...on, name: "mToken" }),
    feed: read({ ...on, name: "mTokenDataFeed" }),
    payments: read({ ...on, name: "getPaymentTokens" }),
    greenlist: read({ ...on, name: "greenlistEnabled" }),
    first: read({ ...on, name: "minMTokenAmountForFirstDeposit" }),
    redeems: redeemProbe(address),
    named: probeFunction({ to: address, abi: recipientDepositAbi(), name: "depositInstant", args }),
    plain: probeFunction({ to: address, abi: depositAbi(), name: "depositInstant", args: args.slice(0, 4) }),
    namedPaused: pauseRead(address, { instant: deposit === "instant", namesRecipient: true }),
    plainPaused: pauseRead(address, { instant: deposit === "instant", namesRecipient: false }),
  };
  return createQuery(reads, ({ mToken, feed, payments, greenlist, first, named, plain, ...others }) => {
    if (!mToken.ok || !feed.ok || !payments.ok || !(hasFunction(named) || hasFunction(plain))) return null;
    // Code that reverts unknown calls with data seems to have the deposit functions too.
    if (hasFunction(others.redeems) && !first.ok) return null;
    const onlyPlainIsOpen =
      valueOrNull(others.namedPaused) === true && valueOrNull(others.plainPaused) === false;
    return {
      address,
      mToken: getAddress(mToken.value),
      feed: getAddress(feed.value),
      payments: payments.value,
      namesRecipient: hasFunction(named) && !onlyPlainIsOpen,
      callerMatters: valueOrNull(greenlist) !== false || (valueOrNull(first) ?? 1n) > 0n,
    };
  });
}

/** Creates the probe for the function by which a RedemptionVault pays mTokens back. */
const redeemProbe = (to: Address) =>
  probeFunction({ to, abi: redeemAbi(), name: "redeemInstant", args: [zeroAddress, 0n, 0n] });

/** Returns a query for the reason that a RedemptionVault is no DepositVault, or null for any other contract. */
function describeOther(address: Address): Query<string | null> {
  const on = { to: address, abi: depositVaultAbi() } as const;
  const reads = {
    mToken: read({ ...on, name: "mToken" }),
    feed: read({ ...on, name: "mTokenDataFeed" }),
    first: read({ ...on, name: "minMTokenAmountForFirstDeposit" }),
    redeems: redeemProbe(address),
  };
  return createQuery(reads, ({ mToken, feed, first, redeems }) =>
    mToken.ok && feed.ok && !first.ok && hasFunction(redeems)
      ? `the contract is Midas's RedemptionVault of ${getAddress(mToken.value)}: it pays mTokens back and takes no deposits`
      : null,
  );
}

/** Creates the read of the pause of one deposit function; each can be paused separately. */
const pauseRead = (to: Address, mode: MidasMode) =>
  read({ to, abi: pauseAbi(), name: "fnPaused", args: [depositSelector(mode)] });

/**
 * Returns a query for a vault's DepositVault: the contract at the vault's address or, if that is the mToken, the entry
 * point of the registry entry. The result is null if neither is the mToken's DepositVault.
 */
function findDepositVault(subject: DerivationSubject): Query<DepositVaultInfo | null> {
  const { address, entryPoint } = subject;
  const deposit = subject.params["deposit"] === "request" ? "request" : "instant";
  const candidates = [address, ...(entryPoint === null ? [] : [entryPoint])];
  const reads = Object.fromEntries(
    candidates.map((candidate, index) => [String(index), describeDepositVault(candidate, deposit)]),
  );
  return mapQuery(queryAll(reads), (answers) => {
    const found = Object.values(answers).filter((deposits) => deposits !== null);
    return found.find((one) => [one.address, one.mToken].some((own) => isAddressEqual(own, address))) ?? null;
  });
}

/**
 * Returns a query for the mToken's name and decimals, or for a human-readable reason if the mToken or its price feed
 * does not respond. A feed that reverts with a reason is accepted.
 */
function describeShare(deposits: DepositVaultInfo): Query<{ name: string; decimals: number } | string> {
  const on = { to: deposits.mToken, abi: shareAbi() } as const;
  const reads = {
    name: read({ ...on, name: "name" }),
    decimals: read({ ...on, name: "decimals" }),
    supply: read({ ...on, name: "totalSupply" }),
    price: read({ to: deposits.feed, abi: feedAbi(), name: "getDataInBase18" }),
  };
  return createQuery(reads, ({ name, decimals, supply, price }) => {
    if (!decimals.ok || !supply.ok) return "the mToken reports no decimals or no total supply";
    // A stale or deprecated feed reverts with a reason, which still identifies it as a feed.
    if (!hasFunction(price.ok ? { ok: true, value: "0x" } : price)) return "the feed does not answer";
    return { name: sanitizeLabel(valueOrNull(name), MAX_NAME_LENGTH), decimals: decimals.value };
  });
}

/**
 * A token that the DepositVault accepts, and its price: fixed (`stable`), or from a feed. `token` is null if the
 * contract reports no symbol or no decimals up to 36, `feed` if the token's configuration could not be read.
 */
interface PaymentToken {
  token: Token | null;
  stable: boolean;
  feed: Address | null;
}

function describePayment(deposits: DepositVaultInfo, token: Address): Query<PaymentToken> {
  const config = read({ to: deposits.address, abi: depositVaultAbi(), name: "tokensConfig", args: [token] });
  const price = createQuery({ config }, ({ config: values }) => {
    const [feed, , , stable] = valueOrNull(values) ?? [null, 0n, 0n, false];
    return { stable, feed: feed === null ? null : getAddress(feed) };
  });
  const both = queryAll({ token: tokenQuery(token), price });
  return mapQuery(both, ({ token: known, price: { stable, feed } }) => ({ token: known, stable, feed }));
}

function derive(subject: DerivationSubject): Query<Derivation> {
  return andThen(findDepositVault(subject), (deposits) => {
    if (deposits === null)
      return mapQuery(describeOther(subject.entryPoint ?? subject.address), (other) =>
        underivable(
          other ?? "neither the contract nor the entry point of its registry entry is its DepositVault",
        ),
      );
    const payments = deposits.payments.map((token) => [token, describePayment(deposits, token)] as const);
    const parts = queryAll({
      share: describeShare(deposits),
      payments: queryAll(Object.fromEntries(payments)),
      redemptions: describeRedemptions(subject, deposits),
    });
    return mapQuery(parts, ({ share, payments: answers, redemptions }): Derivation => {
      if (typeof share === "string") return underivable(share);
      const known = Object.values(answers).flatMap(({ token, ...price }) =>
        token === null ? [] : [{ token, ...price }],
      );
      const asset = chooseAsset(subject, known);
      if (asset === undefined)
        return underivable("the DepositVault accepts no token that reports symbol and decimals");
      return { ok: true, vault: assemble({ subject, deposits, share, asset, known, redemptions }) };
    });
  });
}

/**
 * A RedemptionVault, Midas's redemption contract: the tokens that it pays, and whether any account may redeem (`open`;
 * false also if that cannot be read).
 */
interface RedemptionVaultInfo {
  address: Address;
  tokens: readonly Token[];
  open: boolean;
}

/**
 * Returns a query for the RedemptionVault that the registry entry names, with up to 16 of its tokens. The result is
 * null if the entry names none, if its mToken or tokens cannot be read, or if its mToken is not the vault's.
 */
function describeRedemptions(
  subject: DerivationSubject,
  { mToken }: DepositVaultInfo,
): Query<RedemptionVaultInfo | null> {
  const address = parseAddress(subject.params["redemption_vault"] ?? "");
  if (address === null) return createQuery({}, () => null);
  const on = { to: address, abi: depositVaultAbi() } as const;
  const reads = {
    mToken: read({ ...on, name: "mToken" }),
    payments: read({ ...on, name: "getPaymentTokens" }),
    greenlist: read({ ...on, name: "greenlistEnabled" }),
  };
  const first = createQuery(reads, ({ mToken: own, payments, greenlist }) => {
    if (!own.ok || !payments.ok || !isAddressEqual(own.value, mToken)) return null;
    return { payments: payments.value.slice(0, MAX_PAYMENTS), open: valueOrNull(greenlist) === false };
  });
  return andThen(first, (found): Query<RedemptionVaultInfo | null> => {
    if (found === null) return createQuery({}, () => null);
    const tokens = queryAll(Object.fromEntries(found.payments.map((token) => [token, tokenQuery(token)])));
    return mapQuery(tokens, (answers) => ({
      address,
      tokens: Object.values(answers).filter((token) => token !== null),
      open: found.open,
    }));
  });
}

/** A payment token that reports symbol and decimals. */
type KnownPaymentToken = PaymentToken & { token: Token };

/**
 * Chooses the vault's asset among the payment tokens: the registry entry's if it is accepted, otherwise the first token
 * with a fixed price, otherwise the first token. Undefined if there are none.
 */
function chooseAsset(
  subject: DerivationSubject,
  known: readonly KnownPaymentToken[],
): KnownPaymentToken | undefined {
  const reviewed = known.find(({ token }) => sameAddress(token.address, subject.asset ?? ""));
  return reviewed ?? known.find(({ stable }) => stable) ?? known[0];
}

function assemble(of: {
  subject: DerivationSubject;
  deposits: DepositVaultInfo;
  share: { name: string; decimals: number };
  asset: KnownPaymentToken;
  known: readonly KnownPaymentToken[];
  redemptions: RedemptionVaultInfo | null;
}): DerivedVault {
  const { subject, deposits, share, asset, known } = of;
  const deposit = subject.params["deposit"] ?? "instant";
  const direct = deposit === "request" || !deposits.namesRecipient || deposits.callerMatters;
  return {
    name: share.name,
    asset: asset.token,
    acceptedAssets: [asset, ...known.filter((one) => one !== asset)].map(({ token }) => token),
    shareToken: deposits.mToken,
    shareDecimals: share.decimals,
    entryPoint: deposits.address,
    spender: deposits.address,
    pricer: deposits.feed,
    caller: direct ? "user" : "router",
    params: {
      ...withoutParams(subject.params, ["redeem_tokens", "redeem_via"]),
      deposit,
      recipient: deposits.namesRecipient ? "argument" : "caller",
      asset_rate: asset.stable ? "stable" : "feed",
      ...(!asset.stable && asset.feed !== null && { asset_feed: asset.feed.toLowerCase() }),
      ...exitParams(subject, of.redemptions),
    },
  };
}

/**
 * Returns the registry parameters for withdrawals: `redemption_vault`, `redemption_requests` (the accepted
 * RedemptionVaults, because requests stay open in a replaced one), `redeem_tokens`, and `redeem_via` (`router`, or `user`
 * if only listed accounts may redeem or that is unknown). Empty without a RedemptionVault.
 */
function exitParams(
  { params }: DerivationSubject,
  redemptions: RedemptionVaultInfo | null,
): Record<string, string> {
  if (redemptions === null) return {};
  const accepted = withAccepted(acceptedBefore(params, requestContracts.redemptions), redemptions.address);
  return {
    redemption_vault: redemptions.address.toLowerCase(),
    redemption_requests: accepted.join(",").toLowerCase(),
    redeem_tokens: tokenList(redemptions.tokens),
    redeem_via: redemptions.open ? "router" : "user",
  };
}

/**
 * Deriver of Midas vaults. The DepositVault, which names its mToken, feed and payment tokens, is at the vault's address
 * or, if that is the mToken, at the registry entry's entry point. Source: midas-apps/contracts.
 */
export const midasDeriver: Deriver = { conclusive: true, derive, describeOther };
