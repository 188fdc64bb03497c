import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress, zeroHash } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/query.ts";
import { once } from "../../../lib/once.ts";
import {
  type Derivation,
  type DerivationSubject,
  type DerivedVault,
  type Deriver,
  hasFunction,
  probeFunction,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../derivation.ts";
import type { Token } from "../../vault.ts";

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
const recipientDepositAbi = once(() =>
  parseAbi(["function depositInstant(address, uint256, uint256, bytes32, address)"]),
);
const shareAbi = once(() =>
  parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);
const feedAbi = once(() => parseAbi(["function getDataInBase18() view returns (uint256)"]));
const MAX_NAME = 120;

interface DepositVaultInfo {
  address: Address;
  mToken: Address;
  feed: Address;
  payments: readonly Address[];
  /** Whether a deposit may name who receives the tokens. */
  names: boolean;
  /** Whether callers are told apart: by a list, or by a minimum for each one's first deposit. */
  personal: boolean;
}

/** What a contract says as DepositVault; null: it is none. */
function describeDepositVault(address: Address): Query<DepositVaultInfo | null> {
  const on = { to: address, abi: depositVaultAbi() } as const;
  const args = [zeroAddress, 0n, 0n, zeroHash, zeroAddress];
  const reads = {
    mToken: read({ ...on, name: "mToken" }),
    feed: read({ ...on, name: "mTokenDataFeed" }),
    payments: read({ ...on, name: "getPaymentTokens" }),
    listed: read({ ...on, name: "greenlistEnabled" }),
    first: read({ ...on, name: "minMTokenAmountForFirstDeposit" }),
    named: probeFunction({ to: address, abi: recipientDepositAbi(), name: "depositInstant", args }),
  };
  return createQuery(reads, ({ mToken, feed, payments, listed, first, named }) => {
    if (!mToken.ok || !feed.ok || !payments.ok) return null;
    return {
      address,
      mToken: getAddress(mToken.value),
      feed: getAddress(feed.value),
      payments: payments.value,
      names: hasFunction(named),
      personal: valueOrNull(listed) !== false || (valueOrNull(first) ?? 1n) > 0n,
    };
  });
}

/** The vault is the DepositVault itself, or the mToken whose DepositVault the reviewed row names. */
function findDepositVault(subject: DerivationSubject): Query<DepositVaultInfo | null> {
  const { address, entryPoint } = subject;
  const candidates = [address, ...(entryPoint === null ? [] : [entryPoint])];
  const asked = Object.fromEntries(
    candidates.map((candidate, index) => [String(index), describeDepositVault(candidate)]),
  );
  return mapQuery(queryAll(asked), (told) => {
    const found = Object.values(told).filter((deposits) => deposits !== null);
    return found.find((one) => [one.address, one.mToken].some((own) => isAddressEqual(own, address))) ?? null;
  });
}

function describeShare(deposits: DepositVaultInfo): Query<{ name: string; decimals: number } | string> {
  const on = { to: deposits.mToken, abi: shareAbi() } as const;
  const reads = {
    name: read({ ...on, name: "name" }),
    decimals: read({ ...on, name: "decimals" }),
    supply: read({ ...on, name: "totalSupply" }),
    price: read({ to: deposits.feed, abi: feedAbi(), name: "getDataInBase18" }),
  };
  return createQuery(reads, ({ name, decimals, supply, price }) => {
    if (!decimals.ok || !supply.ok) return "the mToken does not say its decimals and supply";
    // A feed that is stale or deprecated reverts with a reason, and is a feed all the same.
    if (!hasFunction(price.ok ? { ok: true, value: "0x" } : price)) return "the feed does not answer";
    return { name: sanitizeLabel(valueOrNull(name), MAX_NAME), decimals: decimals.value };
  });
}

interface PaymentToken {
  token: Token | null;
  stable: boolean;
  feed: Address | null;
}

function describePayment(deposits: DepositVaultInfo, token: Address): Query<PaymentToken> {
  const config = read({ to: deposits.address, abi: depositVaultAbi(), name: "tokensConfig", args: [token] });
  const price = createQuery({ config }, ({ config: told }) => {
    const [feed, , , stable] = valueOrNull(told) ?? [null, 0n, 0n, false];
    return { stable, feed: feed === null ? null : getAddress(feed) };
  });
  const asked = queryAll({ token: tokenQuery(token), price });
  return mapQuery(asked, ({ token: known, price: told }) => ({ token: known, ...told }));
}

function derive(subject: DerivationSubject): Query<Derivation> {
  return andThen(findDepositVault(subject), (deposits) => {
    if (deposits === null)
      return underivableQuery("neither the contract nor its row's entry point is its DepositVault");
    const payments = deposits.payments.map((token) => [token, describePayment(deposits, token)] as const);
    const asked = queryAll({
      share: describeShare(deposits),
      payments: queryAll(Object.fromEntries(payments)),
    });
    return mapQuery(asked, ({ share, payments: told }): Derivation => {
      if (typeof share === "string") return underivable(share);
      const known = Object.values(told).flatMap(({ token, ...price }) =>
        token === null ? [] : [{ token, ...price }],
      );
      const asset = chooseAsset(subject, known);
      if (asset === undefined) return underivable("the DepositVault takes no token that says what it is");
      return { ok: true, vault: assemble({ subject, deposits, share, asset, known }) };
    });
  });
}

type KnownPaymentToken = PaymentToken & { token: Token };

/** The asset of the row where it is taken, else the first token of a fixed price, else the first. */
function chooseAsset(
  subject: DerivationSubject,
  known: readonly KnownPaymentToken[],
): KnownPaymentToken | undefined {
  const wanted = subject.tokens.flatMap((address) =>
    known.filter(({ token }) => isAddressEqual(token.address, address)),
  );
  return wanted[0] ?? known.find(({ stable }) => stable) ?? known[0];
}

function assemble(of: {
  subject: DerivationSubject;
  deposits: DepositVaultInfo;
  share: { name: string; decimals: number };
  asset: KnownPaymentToken;
  known: readonly KnownPaymentToken[];
}): DerivedVault {
  const { subject, deposits, share, asset, known } = of;
  const deposit = subject.params["deposit"] ?? "instant";
  const direct = deposit === "request" || !deposits.names || deposits.personal;
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
      ...subject.params,
      deposit,
      recipient: deposits.names ? "argument" : "caller",
      asset_rate: asset.stable ? "stable" : "feed",
      ...(!asset.stable && asset.feed !== null && { asset_feed: asset.feed.toLowerCase() }),
    },
  };
}

/**
 * Midas: the DepositVault names mToken, feed and payment tokens. No contract leads from the mToken to it: that
 * comes with a reviewed row, and must name the mToken in turn. Source: midas-apps/contracts.
 */
export const midasDeriver: Deriver = { adapter: "midas", type: "midas", telling: true, derive };
