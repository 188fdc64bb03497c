import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress } from "viem";
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
  type Deriver,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../derivation.ts";
import type { Token } from "../../vault.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function lpTokenAddress() view returns (address)",
    "function getSharePrice() view returns (uint256)",
    "function sendersWhitelistAddress() view returns (address)",
    "function assetsWhitelistAddress() view returns (address)",
  ]),
);
const listAbi = once(() => parseAbi(["function isWhitelisted(address) view returns (bool)"]));
const shareAbi = once(() =>
  parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);
const MAX_NAME = 120;

/** What a vault says of itself. */
interface VaultAnswers {
  asset: Address;
  shareToken: Address;
  /** Of the tokens it takes; the zero address: it takes its asset alone. */
  list: Address;
  /** Whether senders must be on a list: the Router's clones cannot be. */
  closed: boolean;
}

function describeVault({ address }: DerivationSubject): Query<VaultAnswers | null> {
  const on = { to: address, abi: vaultAbi() } as const;
  const reads = {
    asset: read({ ...on, name: "asset" }),
    share: read({ ...on, name: "lpTokenAddress" }),
    price: read({ ...on, name: "getSharePrice" }),
    senders: read({ ...on, name: "sendersWhitelistAddress" }),
    list: read({ ...on, name: "assetsWhitelistAddress" }),
  };
  return createQuery(reads, ({ asset, share, price, senders, list }) => {
    if (!asset.ok || !share.ok || !price.ok || !senders.ok) return null;
    return {
      asset: getAddress(asset.value),
      shareToken: getAddress(share.value),
      list: valueOrNull(list) ?? zeroAddress,
      closed: !isAddressEqual(senders.value, zeroAddress),
    };
  });
}

/** A token, if the vault's list has it. */
function describeListed(list: Address, token: Address): Query<Token | null> {
  const listed = createQuery(
    { listed: read({ to: list, abi: listAbi(), name: "isWhitelisted", args: [token] }) },
    ({ listed: told }) => valueOrNull(told) === true,
  );
  const both = queryAll({ listed, token: tokenQuery(token) });
  return mapQuery(both, (told) => (told.listed ? told.token : null));
}

function describeDerivedVault(subject: DerivationSubject, told: VaultAnswers): Query<Derivation> {
  const on = { to: told.shareToken, abi: shareAbi() } as const;
  const share = createQuery(
    {
      name: read({ ...on, name: "name" }),
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
    },
    ({ name, decimals, supply }) =>
      supply.ok && decimals.ok
        ? { name: sanitizeLabel(valueOrNull(name), MAX_NAME), decimals: decimals.value }
        : null,
  );
  const others = isAddressEqual(told.list, zeroAddress)
    ? []
    : subject.tokens.filter((token) => !isAddressEqual(token, told.asset));
  const more = queryAll(Object.fromEntries(others.map((token) => [token, describeListed(told.list, token)])));
  const asked = queryAll({ asset: tokenQuery(told.asset), share, more });
  return mapQuery(asked, ({ asset, share: own, more: listed }): Derivation => {
    if (asset === null) return underivable("the vault's asset does not say its symbol and decimals");
    if (own === null) return underivable("the share token does not say its decimals and supply");
    const vault = getAddress(subject.address);
    const acceptedAssets = [asset, ...Object.values(listed).filter((token) => token !== null)];
    const addresses = { entryPoint: vault, spender: vault, pricer: vault, shareToken: told.shareToken };
    const caller = told.closed ? "user" : "router";
    const { name, decimals: shareDecimals } = own;
    return { ok: true, vault: { name, asset, acceptedAssets, shareDecimals, ...addresses, caller } };
  });
}

/** Upshift's vaults of several assets: asset, share token and lists by their own views. Source: TokenizedVaultV2's ABI. */
export const upshiftDeriver: Deriver = {
  adapter: "upshift",
  type: "custom",
  telling: true,
  derive: (subject) =>
    andThen(describeVault(subject), (told) =>
      told === null
        ? underivableQuery(
            "the contract is no vault of Upshift: it names no asset, LP token, price and list of senders",
          )
        : describeDerivedVault(subject, told),
    ),
};
