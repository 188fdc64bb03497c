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
import { tokenList, withoutParams } from "../../vault-params.ts";
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
    "function consensus() view returns (address)",
  ]),
);
/** Maximum number of queues per token. A token that reports more is treated as having none. */
const MAX_QUEUES = 32n;
/** Maximum number of tokens of a vault. A contract that reports more is not treated as a Core vault. */
const MAX_ASSETS = 16n;

/** The share manager and oracle of a Core vault, and its tokens that can be read; `whole` if these are all. */
interface CoreContracts {
  shareToken: Address;
  oracle: Address;
  assets: readonly Address[];
  whole: boolean;
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
  /** True if the vault's operators sign the queue's orders. Such deposits have no events of their own. */
  signed: boolean;
  /**
   * Redemptions of the queue: instant (`sync`), by request (`async`) or by an order that the vault's operators sign
   * (`signed`). Null for a deposit queue and for an unknown kind.
   */
  pays: "sync" | "async" | "signed" | null;
}

/**
 * One of the vault's tokens with its queues that can be read. `asset` is null if the token has no symbol, or if its
 * decimals are missing or above 36.
 */
interface TokenQueues {
  asset: Token | null;
  queues: readonly QueueInfo[];
  /** True if these are all queues of the token. */
  whole: boolean;
}

const indicesUpTo = (count: bigint) => Array.from({ length: Number(count) }, (_, index) => BigInt(index));

/**
 * Returns a query for a Core vault's contracts and tokens. The result is null if the contract is not a Core vault, or
 * has more than 16 tokens.
 */
function describeCore(vault: Address): Query<CoreContracts | null> {
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
    const reads = indicesUpTo(found.count).map(
      (index) => [`${index}`, read({ ...on, name: "assetAt", args: [index] })] as const,
    );
    return createQuery(Object.fromEntries(reads), (results) => {
      const assets = addressesIn(results);
      return { ...found, assets, whole: assets.length === reads.length };
    });
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
    const queues = valueOrNull(results.count);
    return queues === null || queues > MAX_QUEUES ? null : queues;
  });
  const listed = andThen(count, (queues) => {
    const reads = indicesUpTo(queues ?? 0n).map(
      (index) => [`${index}`, read({ ...on, name: "queueAt", args: [asset, index] })] as const,
    );
    return createQuery(Object.fromEntries(reads), (results) => {
      const found = addressesIn(results);
      return { found, whole: queues !== null && found.length === reads.length };
    });
  });
  const queues = andThen(listed, ({ found, whole }) => {
    const each = found.map((address) => [address, describeQueue(vault, address)] as const);
    return mapQuery(queryAll(Object.fromEntries(each)), (answers) => ({
      queues: Object.values(answers),
      whole,
    }));
  });
  return mapQuery(queryAll({ asset: tokenQuery(asset), queues }), (seen) => ({
    asset: seen.asset,
    ...seen.queues,
  }));
}

function describeQueue(vault: Address, address: Address): Query<QueueInfo> {
  const on = { to: address, abi: queueAbi() } as const;
  const reads = {
    deposits: read({ to: vault, abi: vaultAbi(), name: "isDepositQueue", args: [address] }),
    sync: read({ ...on, name: "syncDepositParams" }),
    async: read({ ...on, name: "requestOf", args: [ORDINARY_ACCOUNT] }),
    paysSync: read({ ...on, name: "syncRedeemParams" }),
    paysAsync: read({ ...on, name: "requestsOf", args: [ORDINARY_ACCOUNT, 0n, 1n] }),
    consensus: read({ ...on, name: "consensus" }),
  };
  return createQuery(reads, (results): QueueInfo => {
    const deposits = valueOrNull(results.deposits) === true;
    const kind = results.sync.ok ? "sync" : results.async.ok ? "async" : null;
    const signed = results.consensus.ok;
    const other = signed ? "signed" : null;
    const paying = results.paysSync.ok ? "sync" : results.paysAsync.ok ? "async" : other;
    return { address, deposits, signed, takes: deposits ? kind : null, pays: deposits ? null : paying };
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

/** Parameters that `redemptionParams` writes or leaves out. */
const REDEMPTION_PARAMS = [
  ...["redeem_queue", "sync_redeem_queue", "redeem_queues", "other_redeem_queues", "request_queues"],
  ...["redeem_tokens", "sync_redeem_token", "all_queues"],
];

type Params = Readonly<Record<string, string>>;

/** Joins lists of queues in the format of the parameters, each queue once. */
const queueList = (earlier: readonly (string | undefined)[], queues: readonly QueueInfo[]): string => {
  const stored = earlier.flatMap((list) => (list ?? "").toLowerCase().split(","));
  const found = queues.map(({ address }) => address.toLowerCase());
  return [...new Set([...stored, ...found].filter((queue) => queue !== ""))].join(",");
};

const tokenText = ({ asset }: TokenQueues) => (asset === null ? "" : tokenList([asset]));
const redeeming = ({ queues }: TokenQueues) => queues.filter(({ deposits }) => !deposits);

/** The queues of a vault's tokens, `whole` if these are all tokens, and the earlier registry parameters. */
interface VaultQueues {
  markets: readonly TokenQueues[];
  whole: boolean;
  earlier: Params;
}

/** Returns true if all queues of the vault are known, with what each of them does. */
const areKnown = ({ markets, whole }: VaultQueues): boolean =>
  whole && markets.every((one) => one.whole && redeeming(one).every(({ pays }) => pays !== null));

/**
 * Returns the registry parameters of the deposit queues except the chosen one, which mint the same shares: those of the
 * asset and, only if all are known, those of the vault's other tokens. Queues of earlier parameters stay: deposits were
 * made at them although the vault has removed them.
 */
function depositParams(
  market: TokenQueues,
  { chosen, ...all }: VaultQueues & { chosen: QueueInfo },
): Record<string, string> {
  const taking = ({ queues }: TokenQueues) => queues.filter(({ deposits, signed }) => deposits && !signed);
  const [own, others] = [taking(market), all.markets.filter((one) => one !== market).flatMap(taking)];
  const list = (name: string, of: { found: readonly QueueInfo[]; not: readonly QueueInfo[] }) => {
    const queues = queueList([all.earlier[name]], of.found).split(",");
    return queues.filter((queue) => !of.not.some(({ address }) => sameAddress(address, queue))).join(",");
  };
  const other = "other_deposit_queues";
  return {
    deposit_queues: list("deposit_queues", { found: own, not: [chosen, ...others] }),
    ...(areKnown(all) && { [other]: list(other, { found: others, not: [chosen, ...own] }) }),
  };
}

/**
 * Returns the registry parameters of redemptions: the queues by what they pay, and for each kind the queue that
 * withdrawals call, the asset's own one first, with its token. Queues of earlier parameters stay: their requests may be
 * open although the vault has removed them.
 */
function redemptionParams(
  market: TokenQueues,
  { markets, whole, earlier }: VaultQueues,
): Record<string, string> {
  const others = markets.filter((one) => one !== market);
  const ordered = [market, ...others].flatMap((one) =>
    redeeming(one).map((queue) => ({ queue, isOwn: one === market, token: tokenText(one) })),
  );
  const own = tokenText(market);
  const paying = (pays: QueueInfo["pays"]) => ordered.filter(({ queue }) => queue.pays === pays);
  const requests = paying("async");
  // A token that a parameter cannot hold cannot be withdrawn here.
  const isUsable = (one: (typeof ordered)[number]) => one.isOwn || one.token !== "";
  const [later, now] = [requests.find(isUsable), paying("sync").find(isUsable)];
  const tokens = [...new Set([later, ...requests].flatMap((one) => one?.token || []))].join(",");
  const asked = [earlier["request_queues"], earlier["redeem_queue"]];
  return {
    redeem_queues: queueList([earlier["redeem_queues"]], redeeming(market)),
    other_redeem_queues: queueList([earlier["other_redeem_queues"]], others.flatMap(redeeming)),
    request_queues: queueList(
      asked,
      requests.map(({ queue }) => queue),
    ),
    ...(areKnown({ markets, whole, earlier }) && { all_queues: "known" }),
    ...(later !== undefined && { redeem_queue: later.queue.address.toLowerCase() }),
    ...(later !== undefined && later.token !== "" && tokens !== own && { redeem_tokens: tokens }),
    ...(now !== undefined && { sync_redeem_queue: now.queue.address.toLowerCase() }),
    ...(now !== undefined && now.token !== own && { sync_redeem_token: now.token }),
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
    return andThen(describeCore(vault), (core) => {
      if (core === null) return underivableQuery("the contract is not a Core vault of Mellow");
      const each = core.assets.map((asset) => [asset, describeTokenQueues(vault, asset)] as const);
      const parts = queryAll({
        markets: mapQuery(queryAll(Object.fromEntries(each)), (answers) => Object.values(answers)),
        share: shareTokenQuery(core.shareToken),
      });
      return mapQuery(parts, ({ markets, share }): Derivation => {
        if (share === null) return underivable("the share manager reports no decimals or no total supply");
        const known = subject.asset;
        // The native currency may have queues too; it is skipped, because it reports no symbol.
        const found = markets.flatMap((market) => {
          const queue = queueOf(market, subject.entryPoint);
          const { asset: token } = market;
          if (queue === null || token === null) return [];
          return sameAddress(known ?? token.address, token.address) ? [{ market, queue, asset: token }] : [];
        })[0];
        if (found === undefined) return underivable("the vault has no deposit queue for a token");
        const { market, queue, asset } = found;
        const all = { markets, whole: core.whole, earlier: subject.params };
        return {
          ok: true,
          vault: {
            ...{ name: share.name, asset, acceptedAssets: [asset] },
            ...{ shareToken: core.shareToken, shareDecimals: share.decimals, pricer: core.oracle },
            ...{ entryPoint: queue.address, spender: queue.address, caller: "user" },
            params: {
              ...withoutParams(subject.params, REDEMPTION_PARAMS),
              ...{ queue: queue.takes ?? "", ...depositParams(market, { ...all, chosen: queue }) },
              ...redemptionParams(market, all),
            },
          },
        };
      });
    });
  },
};
