import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress, zeroHash } from "viem";
import {
  type Described,
  describe,
  describeAll,
  describeFrom,
  mapDescribed,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import { type Derivation, type DerivedVault, describeToken, toLabel, underivable } from "../derivation.ts";
import type { Token } from "../vault.ts";
import { type Deriver, refused, type Subject } from "./derivation.ts";
import { hasFunction, probe } from "./probe.ts";

const depositsAbi = once(() =>
  parseAbi([
    "function mToken() view returns (address)",
    "function mTokenDataFeed() view returns (address)",
    "function getPaymentTokens() view returns (address[])",
    "function greenlistEnabled() view returns (bool)",
    "function minMTokenAmountForFirstDeposit() view returns (uint256)",
    "function tokensConfig(address token) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
  ]),
);
const namedAbi = once(() =>
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

interface Deposits {
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
function describeDeposits(address: Address): Described<Deposits | null> {
  const on = { to: address, abi: depositsAbi() } as const;
  const args = [zeroAddress, 0n, 0n, zeroHash, zeroAddress];
  const reads = {
    mToken: read({ ...on, name: "mToken" }),
    feed: read({ ...on, name: "mTokenDataFeed" }),
    payments: read({ ...on, name: "getPaymentTokens" }),
    listed: read({ ...on, name: "greenlistEnabled" }),
    first: read({ ...on, name: "minMTokenAmountForFirstDeposit" }),
    named: probe({ to: address, abi: namedAbi(), name: "depositInstant", args }),
  };
  return describe(reads, ({ mToken, feed, payments, listed, first, named }) => {
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
function findDeposits(subject: Subject): Described<Deposits | null> {
  const { address, entryPoint } = subject;
  const candidates = [address, ...(entryPoint === null ? [] : [entryPoint])];
  const asked = Object.fromEntries(
    candidates.map((candidate, index) => [String(index), describeDeposits(candidate)]),
  );
  return mapDescribed(describeAll(asked), (told) => {
    const found = Object.values(told).filter((deposits) => deposits !== null);
    return found.find((one) => [one.address, one.mToken].some((own) => isAddressEqual(own, address))) ?? null;
  });
}

function describeShare(deposits: Deposits): Described<{ name: string; decimals: number } | string> {
  const on = { to: deposits.mToken, abi: shareAbi() } as const;
  const reads = {
    name: read({ ...on, name: "name" }),
    decimals: read({ ...on, name: "decimals" }),
    supply: read({ ...on, name: "totalSupply" }),
    price: read({ to: deposits.feed, abi: feedAbi(), name: "getDataInBase18" }),
  };
  return describe(reads, ({ name, decimals, supply, price }) => {
    if (!decimals.ok || !supply.ok) return "the mToken does not say its decimals and supply";
    // A feed that is stale or deprecated reverts with a reason, and is a feed all the same.
    if (!hasFunction(price.ok ? { ok: true, value: "0x" } : price)) return "the feed does not answer";
    return { name: toLabel(valueOrNull(name), MAX_NAME), decimals: decimals.value };
  });
}

interface PaymentToken {
  token: Token | null;
  stable: boolean;
  feed: Address | null;
}

function describePayment(deposits: Deposits, token: Address): Described<PaymentToken> {
  const config = read({ to: deposits.address, abi: depositsAbi(), name: "tokensConfig", args: [token] });
  const price = describe({ config }, ({ config: told }) => {
    const [feed, , , stable] = valueOrNull(told) ?? [null, 0n, 0n, false];
    return { stable, feed: feed === null ? null : getAddress(feed) };
  });
  const asked = describeAll({ token: describeToken(token), price });
  return mapDescribed(asked, ({ token: known, price: told }) => ({ token: known, ...told }));
}

function derive(subject: Subject): Described<Derivation> {
  return describeFrom(findDeposits(subject), (deposits) => {
    if (deposits === null)
      return refused("neither the contract nor its row's entry point is its DepositVault");
    const payments = deposits.payments.map((token) => [token, describePayment(deposits, token)] as const);
    const asked = describeAll({
      share: describeShare(deposits),
      payments: describeAll(Object.fromEntries(payments)),
    });
    return mapDescribed(asked, ({ share, payments: told }): Derivation => {
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

type Known = PaymentToken & { token: Token };

/** The asset of the row where it is taken, else the first token of a fixed price, else the first. */
function chooseAsset(subject: Subject, known: readonly Known[]): Known | undefined {
  const wanted = subject.tokens.flatMap((address) =>
    known.filter(({ token }) => isAddressEqual(token.address, address)),
  );
  return wanted[0] ?? known.find(({ stable }) => stable) ?? known[0];
}

function assemble(of: {
  subject: Subject;
  deposits: Deposits;
  share: { name: string; decimals: number };
  asset: Known;
  known: readonly Known[];
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
