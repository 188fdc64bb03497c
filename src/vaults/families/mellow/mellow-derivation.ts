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
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Token } from "../../vault.ts";
import {
  type Derivation,
  type Deriver,
  shareTokenQuery,
  tokenQuery,
  underivable,
  underivableQuery,
} from "../../vault-deriver.ts";
import { withoutParams } from "../../vault-params.ts";
import { ORDINARY_ACCOUNT } from "../erc4626-base/erc4626-derivation.ts";

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
    "function syncRedeemParams() view returns (uint256)",
    "function requestsOf(address account, uint256 offset, uint256 limit) view returns ((uint256 timestamp, uint256 shares, bool isClaimable, uint256 assets)[])",
  ]),
);
/** Maximum number of queues per token. A token that reports more is treated as having none. */
const MAX_QUEUES = 32n;
/** Maximum number of tokens of a vault. A contract that reports more is not treated as a Core vault. */
const MAX_ASSETS = 16n;

/** The share manager and oracle of a Core vault, and the tokens whose queues are searched. */
interface CoreContracts {
  shareToken: Address;
  oracle: Address;
  /** Candidates for the asset of the registry entry. */
  assets: readonly Address[];
}

/** A deposit or redemption queue for one token of a Core vault. */
interface QueueInfo {
  address: Address;
  /**
   * Deposits of the queue: minted immediately (`sync`) or by request (`async`). Null for a redemption queue, and for a
   * deposit queue of another kind, such as signed orders.
   */
  takes: "sync" | "async" | null;
  /** True if the queue takes deposits of any kind. False for a redemption queue, or if unknown. */
  deposits: boolean;
  /**
   * Redemptions of the queue: instant (`sync`) or by request (`async`). Null for a deposit queue and for an unknown
   * kind.
   */
  pays: "sync" | "async" | null;
}

/**
 * One of the vault's tokens with its queues. `asset` is null if the token has no symbol, or if its decimals are missing
 * or above 36.
 */
interface TokenQueues {
  asset: Token | null;
  queues: readonly QueueInfo[];
}

const indicesUpTo = (count: bigint) => Array.from({ length: Number(count) }, (_, index) => BigInt(index));

/**
 * Returns a query for a Core vault's contracts and tokens: all tokens that can be read, or just `only` if it is given.
 * The result is null if the contract is not a Core vault, or has more than 16 tokens.
 */
function describeCore(vault: Address, only: Address | undefined): Query<CoreContracts | null> {
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
    if (only !== undefined) return createQuery({}, () => ({ ...found, assets: [only] }));
    const reads = indicesUpTo(found.count).map(
      (index) => [`${index}`, read({ ...on, name: "assetAt", args: [index] })] as const,
    );
    return createQuery(Object.fromEntries(reads), (results) => ({ ...found, assets: addressesIn(results) }));
  });
}

const addressesIn = (results: Record<string, ReadResult<Address>>): Address[] =>
  Object.values(results).flatMap((result) => (result.ok ? [getAddress(result.value)] : []));

/**
 * Returns a query for a token's symbol and decimals and for its queues in a vault. There are none if their number
 * cannot be read or exceeds 32; queues whose address cannot be read are left out.
 */
function describeTokenQueues(vault: Address, asset: Address): Query<TokenQueues> {
  const on = { to: vault, abi: vaultAbi() } as const;
  const count = createQuery({ count: read({ ...on, name: "getQueueCount", args: [asset] }) }, (results) => {
    const queues = valueOrNull(results.count) ?? 0n;
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
    return mapQuery(queryAll(Object.fromEntries(each)), (answers) => Object.values(answers));
  });
  return queryAll({ asset: tokenQuery(asset), queues });
}

function describeQueue(vault: Address, address: Address): Query<QueueInfo> {
  const on = { to: address, abi: queueAbi() } as const;
  const reads = {
    deposits: read({ to: vault, abi: vaultAbi(), name: "isDepositQueue", args: [address] }),
    sync: read({ ...on, name: "syncDepositParams" }),
    async: read({ ...on, name: "requestOf", args: [ORDINARY_ACCOUNT] }),
    paysSync: read({ ...on, name: "syncRedeemParams" }),
    paysAsync: read({ ...on, name: "requestsOf", args: [ORDINARY_ACCOUNT, 0n, 1n] }),
  };
  return createQuery(reads, (results): QueueInfo => {
    const deposits = valueOrNull(results.deposits) === true;
    const kind = results.sync.ok ? "sync" : results.async.ok ? "async" : null;
    const paying = results.paysSync.ok ? "sync" : results.paysAsync.ok ? "async" : null;
    return { address, deposits, takes: deposits ? kind : null, pays: deposits ? null : paying };
  });
}

/**
 * Chooses among the token's deposit queues of a known kind: the one in the registry entry, otherwise one that mints
 * immediately, otherwise the first. Null if there is none.
 */
function queueOf({ queues }: TokenQueues, entryPoint: Address | null): QueueInfo | null {
  const takers = queues.filter(({ takes }) => takes !== null);
  const reviewed = takers.find(({ address }) => sameAddress(address, entryPoint ?? ""));
  return reviewed ?? takers.find(({ takes }) => takes === "sync") ?? takers[0] ?? null;
}

const queueList = (queues: readonly QueueInfo[]): string =>
  queues.map(({ address }) => address.toLowerCase()).join(",");

/**
 * Returns the registry parameters of a token: the kind of the chosen deposit queue, the token's other deposit queues of
 * a known kind, which mint the same shares, all redemption queues, and the first redemption queue of each kind.
 */
function paramsOf(market: TokenQueues, queue: QueueInfo): Record<string, string> {
  const others = market.queues.filter(({ address, takes }) => takes !== null && address !== queue.address);
  const out = market.queues.filter(({ deposits }) => !deposits);
  const paying = (pays: "sync" | "async") => queueList(out.filter((one) => one.pays === pays).slice(0, 1));
  return {
    ...{ queue: queue.takes ?? "", redeem_queues: queueList(out), deposit_queues: queueList(others) },
    ...(out.some(({ pays }) => pays === "async") && { redeem_queue: paying("async") }),
    ...(out.some(({ pays }) => pays === "sync") && { sync_redeem_queue: paying("sync") }),
  };
}

/**
 * Deriver of Mellow's Core vaults, for the registry entry's asset or, if that is unknown, for the first token that has
 * a deposit queue of a known kind. The user must call the queue. Source: mellow-finance/flexible-vaults.
 */
export const mellowDeriver: Deriver = {
  conclusive: true,
  derive(subject) {
    const vault = getAddress(subject.address);
    return andThen(describeCore(vault, subject.tokens[0]), (core) => {
      if (core === null) return underivableQuery("the contract is not a Core vault of Mellow");
      const each = core.assets.map((asset) => [asset, describeTokenQueues(vault, asset)] as const);
      const parts = queryAll({
        markets: mapQuery(queryAll(Object.fromEntries(each)), (answers) => Object.values(answers)),
        share: shareTokenQuery(core.shareToken),
      });
      return mapQuery(parts, ({ markets, share }): Derivation => {
        if (share === null) return underivable("the share manager reports no decimals or no total supply");
        // The native currency may have queues too; it is skipped, because it reports no symbol.
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
            params: {
              ...withoutParams(subject.params, ["redeem_queue", "sync_redeem_queue"]),
              ...paramsOf(market, queue),
            },
          },
        };
      });
    });
  },
};
