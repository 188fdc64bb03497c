import { type Address, getAddress, isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Token } from "../../vault.ts";
import {
  type Derivation,
  type DerivationSubject,
  type Deriver,
  shareTokenQuery,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../vault-deriver.ts";
import { withWithdrawSeconds } from "../../vault-params.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function lpTokenAddress() view returns (address)",
    "function getSharePrice() view returns (uint256)",
    "function sendersWhitelistAddress() view returns (address)",
    "function assetsWhitelistAddress() view returns (address)",
    "function lagDuration() view returns (uint256)",
  ]),
);
const whitelistAbi = once(() => parseAbi(["function isWhitelisted(address) view returns (bool)"]));

/** What a multi-asset vault's view functions return; `asset` is its reference token. */
interface VaultAnswers {
  asset: Address;
  shareToken: Address;
  /** The whitelist of accepted tokens; the zero address if the vault accepts only its asset, or names no whitelist. */
  assetWhitelist: Address;
  /**
   * True if senders must be whitelisted, so that the Router, which uses a new executor for each order, cannot deposit.
   */
  restricted: boolean;
  /** Minimum wait between the request of a withdrawal and its payment, in seconds, or null if the vault states none. */
  lag: bigint | null;
}

function describeVault({ address }: DerivationSubject): Query<VaultAnswers | null> {
  const on = { to: address, abi: vaultAbi() } as const;
  const reads = {
    asset: read({ ...on, name: "asset" }),
    share: read({ ...on, name: "lpTokenAddress" }),
    price: read({ ...on, name: "getSharePrice" }),
    senders: read({ ...on, name: "sendersWhitelistAddress" }),
    assets: read({ ...on, name: "assetsWhitelistAddress" }),
    lag: read({ ...on, name: "lagDuration" }),
  };
  return createQuery(reads, ({ asset, share, price, senders, assets, lag }) => {
    if (!asset.ok || !share.ok || !price.ok || !senders.ok) return null;
    return {
      asset: getAddress(asset.value),
      shareToken: getAddress(share.value),
      assetWhitelist: valueOrNull(assets) ?? zeroAddress,
      restricted: !isAddressEqual(senders.value, zeroAddress),
      lag: valueOrNull(lag),
    };
  });
}

/**
 * Returns a query for a token's symbol and decimals. The result is null as in `tokenQuery`, or if the token is not on
 * the vault's whitelist.
 */
function describeAcceptedToken(whitelist: Address, token: Address): Query<Token | null> {
  const accepted = createQuery(
    { entry: read({ to: whitelist, abi: whitelistAbi(), name: "isWhitelisted", args: [token] }) },
    ({ entry }) => valueOrNull(entry) === true,
  );
  const both = queryAll({ accepted, token: tokenQuery(token) });
  return mapQuery(both, (results) => (results.accepted ? results.token : null));
}

function describeDerivedVault(subject: DerivationSubject, answers: VaultAnswers): Query<Derivation> {
  const { assetWhitelist, shareToken } = answers;
  const others = isAddressEqual(assetWhitelist, zeroAddress)
    ? []
    : subject.tokens.filter((token) => !isAddressEqual(token, answers.asset));
  const more = queryAll(
    Object.fromEntries(others.map((token) => [token, describeAcceptedToken(assetWhitelist, token)])),
  );
  const parts = { asset: tokenQuery(answers.asset), share: shareTokenQuery(shareToken), more };
  return mapQuery(queryAll(parts), ({ asset, share, more: accepted }): Derivation => {
    if (asset === null) return underivable("the vault's asset reports no symbol or decimals");
    if (share === null) return underivable("the share token reports no decimals or no total supply");
    const vault = getAddress(subject.address);
    const acceptedAssets = [asset, ...Object.values(accepted).filter((token) => token !== null)];
    const addresses = { entryPoint: vault, spender: vault, pricer: vault, shareToken };
    const caller = answers.restricted ? "user" : "router";
    const { name, decimals: shareDecimals } = share;
    const params = withWithdrawSeconds(subject.params, answers.lag);
    return { ok: true, vault: { name, asset, acceptedAssets, shareDecimals, ...addresses, caller, params } };
  });
}

/**
 * Deriver of Upshift's multi-asset vaults. The accepted tokens are the asset and the whitelisted tokens of the earlier
 * registry entry. If the vault whitelists senders, only the user may call it. Source: TokenizedVaultV2's ABI.
 */
export const upshiftDeriver: Deriver = {
  conclusive: true,
  derive: (subject) =>
    andThen(describeVault(subject), (answers) =>
      answers === null
        ? underivableQuery(
            "the contract is not a vault of Upshift: it names no asset, LP token, share price and sender whitelist",
          )
        : describeDerivedVault(subject, answers),
    ),
};
