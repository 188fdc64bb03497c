import { type Address, getAddress, parseAbi } from "viem";
import {
  type Described,
  describe,
  describeAll,
  describeFrom,
  mapDescribed,
  type ReadResult,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import { type Derivation, describeToken, toLabel, underivable } from "../derivation.ts";
import type { Token } from "../vault.ts";
import { type Deriver, refused } from "./derivation.ts";
import { ANYBODY } from "./marks.ts";

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

interface Core {
  shareToken: Address;
  oracle: Address;
  /** Tokens that may be the row's. */
  assets: readonly Address[];
}

interface Queue {
  address: Address;
  /** Null: it takes no deposits, or signed orders alone. */
  takes: "sync" | "async" | null;
  deposits: boolean;
}

/** One of the vault's tokens with its queues. */
interface Market {
  asset: Token | null;
  queues: readonly Queue[];
}

const indices = (count: bigint) => Array.from({ length: Number(count) }, (_, index) => BigInt(index));

/** The vault's contracts, and its tokens: the one that is wanted, else all of them. */
function describeCore(vault: Address, wanted: Address | undefined): Described<Core | null> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const first = describe(
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
  return describeFrom(first, (found): Described<Core | null> => {
    if (found === null) return describe({}, () => null);
    if (wanted !== undefined) return describe({}, () => ({ ...found, assets: [wanted] }));
    const reads = indices(found.count).map(
      (index) => [`${index}`, read({ ...on, name: "assetAt", args: [index] })] as const,
    );
    return describe(Object.fromEntries(reads), (results) => ({ ...found, assets: addressesIn(results) }));
  });
}

const addressesIn = (results: Record<string, ReadResult<Address>>): Address[] =>
  Object.values(results).flatMap((result) => (result.ok ? [getAddress(result.value)] : []));

/** What a token says of itself, and its queues. */
function describeMarket(vault: Address, asset: Address): Described<Market> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const count = describe({ count: read({ ...on, name: "getQueueCount", args: [asset] }) }, (told) => {
    const queues = valueOrNull(told.count) ?? 0n;
    return queues > MAX_QUEUES ? 0n : queues;
  });
  const addresses = describeFrom(count, (queues) => {
    const reads = indices(queues).map(
      (index) => [`${index}`, read({ ...on, name: "queueAt", args: [asset, index] })] as const,
    );
    return describe(Object.fromEntries(reads), addressesIn);
  });
  const queues = describeFrom(addresses, (found) => {
    const each = found.map((address) => [address, describeQueue(vault, address)] as const);
    return mapDescribed(describeAll(Object.fromEntries(each)), (told) => Object.values(told));
  });
  return describeAll({ asset: describeToken(asset), queues });
}

function describeQueue(vault: Address, address: Address): Described<Queue> {
  const on = { to: address, abi: queueAbi() } as const;
  const reads = {
    deposits: read({ to: vault, abi: vaultAbi(), name: "isDepositQueue", args: [address] }),
    sync: read({ ...on, name: "syncDepositParams" }),
    async: read({ ...on, name: "requestOf", args: [ANYBODY] }),
  };
  return describe(reads, (told): Queue => {
    const deposits = valueOrNull(told.deposits) === true;
    const kind = told.sync.ok ? "sync" : told.async.ok ? "async" : null;
    return { address, deposits, takes: deposits ? kind : null };
  });
}

function describeShare(shareToken: Address) {
  const on = { to: shareToken, abi: shareAbi() } as const;
  return describe(
    {
      name: read({ ...on, name: "name" }),
      decimals: read({ ...on, name: "decimals" }),
      supply: read({ ...on, name: "totalSupply" }),
    },
    ({ name, decimals, supply }) =>
      decimals.ok && supply.ok
        ? { name: toLabel(valueOrNull(name), MAX_NAME), decimals: decimals.value }
        : null,
  );
}

/** The queue of a row: its own, where the vault has it; else one that mints at once. Null: there is none. */
function queueOf({ queues }: Market, entryPoint: Address | null): Queue | null {
  const takers = queues.filter(({ takes }) => takes !== null);
  const reviewed = takers.find(({ address }) => sameAddress(address, entryPoint ?? ""));
  return reviewed ?? takers.find(({ takes }) => takes === "sync") ?? takers[0] ?? null;
}

const listOf = (queues: readonly Queue[]): string =>
  queues.map(({ address }) => address.toLowerCase()).join(",");

/** What the row says of its queue and of the token's others, which give the same shares. */
function paramsOf(market: Market, queue: Queue): Record<string, string> {
  const others = market.queues.filter(({ address, takes }) => takes !== null && address !== queue.address);
  const out = market.queues.filter(({ deposits }) => !deposits);
  return { queue: queue.takes ?? "", redeem_queues: listOf(out), deposit_queues: listOf(others) };
}

/** Mellow Core: vault → share manager, oracle and the queues of one token. Source: mellow-finance/flexible-vaults. */
export const mellowDeriver: Deriver = {
  adapter: "mellow",
  type: "lido",
  telling: true,
  derive(subject) {
    const vault = getAddress(subject.address);
    return describeFrom(describeCore(vault, subject.tokens[0]), (core) => {
      if (core === null) return refused("the contract is no Core vault of Mellow");
      const each = core.assets.map((asset) => [asset, describeMarket(vault, asset)] as const);
      const asked = describeAll({
        markets: mapDescribed(describeAll(Object.fromEntries(each)), (told) => Object.values(told)),
        share: describeShare(core.shareToken),
      });
      return mapDescribed(asked, ({ markets, share }): Derivation => {
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
