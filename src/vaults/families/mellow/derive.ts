import { type Address, getAddress, parseAbi } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  read,
  valueOrNull,
} from "../../../chains/query.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import {
  type Derivation,
  type Deriver,
  sanitizeLabel,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../derivation.ts";
import type { Token } from "../../vault.ts";
import { ORDINARY_ACCOUNT } from "../erc4626/derive.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function shareManager() view returns (address)",
    "function oracle() view returns (address)",
    "function getAssetCount() view returns (uint256)",
    "function assetAt(uint256) view returns (address)",
    "function getQueueCount(address) view returns (uint256)",
    "function queueAt(address, uint256) view returns (address)",
    "function isDepositQueue(address) view returns (bool)",
  ]),
);
const queueAbi = once(() =>
  parseAbi([
    "function syncDepositParams() view returns (uint256 penaltyD6, uint32 maxAge)",
    "function requestOf(address) view returns (uint256 timestamp, uint256 assets)",
  ]),
);
const shareAbi = once(() =>
  parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
  ]),
);
const MAX_NAME = 120;
/** More queues than any vault has for one token, and more tokens. */
const MAX_QUEUES = 32n;
const MAX_ASSETS = 16n;

interface CoreContracts {
  shareToken: Address;
  oracle: Address;
  /** Tokens that may be the row's. */
  assets: readonly Address[];
}

interface QueueInfo {
  address: Address;
  /** Null: it takes no deposits, or signed orders alone. */
  takes: "sync" | "async" | null;
  deposits: boolean;
}

/** One of the vault's tokens with its queues. */
interface TokenQueues {
  asset: Token | null;
  queues: readonly QueueInfo[];
}

const indicesUpTo = (count: bigint) => Array.from({ length: Number(count) }, (_, index) => BigInt(index));

/** The vault's contracts, and its tokens: the one that is wanted, else all of them. */
function describeCore(vault: Address, wanted: Address | undefined): Query<CoreContracts | null> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const first = createQuery(
    {
      shares: read({ ...on, name: "shareManager" }),
      oracle: read({ ...on, name: "oracle" }),
      count: read({ ...on, name: "getAssetCount" }),
    },
    ({ shares, oracle, count }) => {
      if (!shares.ok || !oracle.ok || !count.ok || count.value > MAX_ASSETS) return null;
      const contracts = { shareToken: getAddress(shares.value), oracle: getAddress(oracle.value) };
      return { ...contracts, count: count.value };
    },
  );
  return andThen(first, (found): Query<CoreContracts | null> => {
    if (found === null) return createQuery({}, () => null);
    if (wanted !== undefined) return createQuery({}, () => ({ ...found, assets: [wanted] }));
    const reads = indicesUpTo(found.count).map(
      (index) => [`${index}`, read({ ...on, name: "assetAt", args: [index] })] as const,
    );
    return createQuery(Object.fromEntries(reads), (results) => ({ ...found, assets: addressesIn(results) }));
  });
}

const addressesIn = (results: Record<string, ReadResult<Address>>): Address[] =>
  Object.values(results).flatMap((result) => (result.ok ? [getAddress(result.value)] : []));

/** What a token says of itself, and its queues. */
function describeTokenQueues(vault: Address, asset: Address): Query<TokenQueues> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const count = createQuery({ count: read({ ...on, name: "getQueueCount", args: [asset] }) }, (told) => {
    const queues = valueOrNull(told.count) ?? 0n;
    return queues > MAX_QUEUES ? 0n : queues;
  });
  const addresses = andThen(count, (queues) => {
    const reads = indicesUpTo(queues).map(
      (index) => [`${index}`, read({ ...on, name: "queueAt", args: [asset, index] })] as const,
    );
    return createQuery(Object.fromEntries(reads), addressesIn);
  });
  const queues = andThen(addresses, (found) => {
    const each = found.map((address) => [address, describeQueue(vault, address)] as const);
    return mapQuery(queryAll(Object.fromEntries(each)), (told) => Object.values(told));
  });
  return queryAll({ asset: tokenQuery(asset), queues });
}

function describeQueue(vault: Address, address: Address): Query<QueueInfo> {
  const on = { to: address, abi: queueAbi() } as const;
  const reads = {
    deposits: read({ to: vault, abi: vaultAbi(), name: "isDepositQueue", args: [address] }),
    sync: read({ ...on, name: "syncDepositParams" }),
    async: read({ ...on, name: "requestOf", args: [ORDINARY_ACCOUNT] }),
  };
  return createQuery(reads, (told): QueueInfo => {
    const deposits = valueOrNull(told.deposits) === true;
    const kind = told.sync.ok ? "sync" : told.async.ok ? "async" : null;
    return { address, deposits, takes: deposits ? kind : null };
  });
}

function describeShare(shareToken: Address) {
  const on = { to: shareToken, abi: shareAbi() } as const;
  return createQuery(
    {
      name: read({ ...on, name: "name" }),
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
    },
    ({ name, decimals, supply }) =>
      decimals.ok && supply.ok
        ? { name: sanitizeLabel(valueOrNull(name), MAX_NAME), decimals: decimals.value }
        : null,
  );
}

/** The queue of a row: its own, where the vault has it; else one that mints at once. Null: there is none. */
function queueOf({ queues }: TokenQueues, entryPoint: Address | null): QueueInfo | null {
  const takers = queues.filter(({ takes }) => takes !== null);
  const reviewed = takers.find(({ address }) => sameAddress(address, entryPoint ?? ""));
  return reviewed ?? takers.find(({ takes }) => takes === "sync") ?? takers[0] ?? null;
}

const queueList = (queues: readonly QueueInfo[]): string =>
  queues.map(({ address }) => address.toLowerCase()).join(",");

/** What the row says of its queue and of the token's others, which give the same shares. */
function paramsOf(market: TokenQueues, queue: QueueInfo): Record<string, string> {
  const others = market.queues.filter(({ address, takes }) => takes !== null && address !== queue.address);
  const out = market.queues.filter(({ deposits }) => !deposits);
  return { queue: queue.takes ?? "", redeem_queues: queueList(out), deposit_queues: queueList(others) };
}

/** Mellow Core: vault → share manager, oracle and the queues of one token. Source: mellow-finance/flexible-vaults. */
export const mellowDeriver: Deriver = {
  adapter: "mellow",
  type: "lido",
  telling: true,
  derive(subject) {
    const vault = getAddress(subject.address);
    return andThen(describeCore(vault, subject.tokens[0]), (core) => {
      if (core === null) return underivableQuery("the contract is no Core vault of Mellow");
      const each = core.assets.map((asset) => [asset, describeTokenQueues(vault, asset)] as const);
      const asked = queryAll({
        markets: mapQuery(queryAll(Object.fromEntries(each)), (told) => Object.values(told)),
        share: describeShare(core.shareToken),
      });
      return mapQuery(asked, ({ markets, share }): Derivation => {
        if (share === null) return underivable("the vault's shares are no token");
        // Native money, which has queues too, says no symbol.
        const found = markets.flatMap((market) => {
          const queue = queueOf(market, subject.entryPoint);
          return queue === null || market.asset === null ? [] : [{ market, queue, asset: market.asset }];
        })[0];
        if (found === undefined) return underivable("the vault has no deposit queue for a token");
        const { market, queue, asset } = found;
        return {
          ok: true,
          vault: {
            ...{ name: share.name, asset, acceptedAssets: [asset] },
            ...{ shareToken: core.shareToken, shareDecimals: share.decimals, pricer: core.oracle },
            ...{ entryPoint: queue.address, spender: queue.address, caller: "user" },
            params: { ...subject.params, ...paramsOf(market, queue) },
          },
        };
      });
    });
  },
};
