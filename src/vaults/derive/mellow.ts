import { type Address, getAddress, parseAbi } from "viem";
import {
  type Described,
  describe,
  describeAll,
  describeFrom,
  mapDescribed,
  read,
  valueOrNull,
} from "../../chains/read.ts";
import { sameAddress } from "../../lib/address.ts";
import { type Derivation, describeToken, toLabel, underivable } from "../derivation.ts";
import { type Deriver, refused } from "./derivation.ts";

const vaultAbi = parseAbi([
  "function shareManager() view returns (address)",
  "function oracle() view returns (address)",
  "function getAssetCount() view returns (uint256)",
  "function assetAt(uint256) view returns (address)",
  "function getQueueCount(address) view returns (uint256)",
  "function queueAt(address, uint256) view returns (address)",
  "function isDepositQueue(address) view returns (bool)",
]);
const queueAbi = parseAbi(["function syncDepositParams() view returns (uint256 penaltyD6, uint32 maxAge)"]);
const shareAbi = parseAbi([
  "function name() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
]);
const MAX_NAME = 120;
/** More queues than any vault has for one token. */
const MAX_QUEUES = 32n;

interface Core {
  shareToken: Address;
  oracle: Address;
  asset: Address;
  queues: bigint;
}

interface Queue {
  address: Address;
  deposits: boolean;
  sync: boolean;
}

/** The vault's contracts, and the token: the first that is wanted, else the vault's own first. */
function describeCore(vault: Address, wanted: Address | undefined): Described<Core | string> {
  const on = { to: vault, abi: vaultAbi } as const;
  const first = describe(
    {
      shares: read({ ...on, name: "shareManager" }),
      oracle: read({ ...on, name: "oracle" }),
      count: read({ ...on, name: "getAssetCount" }),
      asset: read({ ...on, name: "assetAt", args: [0n] }),
    },
    ({ shares, oracle, count, asset }) => {
      const token = wanted ?? valueOrNull(asset);
      if (!shares.ok || !oracle.ok || !count.ok || token === null) return null;
      return {
        shareToken: getAddress(shares.value),
        oracle: getAddress(oracle.value),
        asset: getAddress(token),
      };
    },
  );
  return describeFrom(first, (found): Described<Core | string> => {
    if (found === null) return describe({}, () => "the contract is no Core vault of Mellow");
    const queues = read({ ...on, name: "getQueueCount", args: [found.asset] });
    return describe({ queues }, ({ queues: told }) => {
      const count = valueOrNull(told) ?? 0n;
      return count === 0n || count > MAX_QUEUES
        ? "the vault has no queue for the token"
        : { ...found, queues: count };
    });
  });
}

/** The queues of the token, and what each of them is. */
function describeQueues(vault: Address, { asset, queues }: Core): Described<Queue[]> {
  const on = { to: vault, abi: vaultAbi } as const;
  const indices = Array.from({ length: Number(queues) }, (_, index) => BigInt(index));
  const reads = indices.map(
    (index) => [`${index}`, read({ ...on, name: "queueAt", args: [asset, index] })] as const,
  );
  const found = describe(Object.fromEntries(reads), (results) =>
    Object.values(results).flatMap((result) => (result.ok ? [getAddress(result.value)] : [])),
  );
  return describeFrom(found, (addresses) => {
    const each = addresses.map((address) => {
      const deposits = read({ ...on, name: "isDepositQueue", args: [address] });
      const params = read({ to: address, abi: queueAbi, name: "syncDepositParams" });
      const described = describe(
        { deposits, params },
        (told): Queue => ({
          address,
          deposits: valueOrNull(told.deposits) === true,
          sync: told.params.ok,
        }),
      );
      return [address, described] as const;
    });
    return mapDescribed(describeAll(Object.fromEntries(each)), (told) => Object.values(told));
  });
}

function describeShare(shareToken: Address) {
  const on = { to: shareToken, abi: shareAbi } as const;
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

/** Mellow Core: vault → share manager, oracle and the queues of one token. Source: mellow-finance/flexible-vaults. */
export const mellowDeriver: Deriver = {
  adapter: "mellow",
  type: "lido",
  telling: true,
  derive(subject) {
    const vault = getAddress(subject.address);
    return describeFrom(describeCore(vault, subject.tokens[0]), (core) => {
      if (typeof core === "string") return refused(core);
      const asked = describeAll({
        queues: describeQueues(vault, core),
        share: describeShare(core.shareToken),
        asset: describeToken(core.asset),
      });
      return mapDescribed(asked, ({ queues, share, asset }): Derivation => {
        const deposits = queues.filter((queue) => queue.deposits);
        // The reviewed row's own, where the vault has it; else one that mints at once.
        const reviewed = deposits.find(({ address }) => sameAddress(address, subject.entryPoint ?? ""));
        const queue = reviewed ?? deposits.find(({ sync }) => sync) ?? deposits[0];
        if (queue === undefined) return underivable("the vault has no deposit queue for the token");
        if (share === null) return underivable("the vault's shares are no token");
        if (asset === null) return underivable("the vault's asset does not say its symbol and decimals");
        const out = queues.filter((other) => !other.deposits).map(({ address }) => address.toLowerCase());
        return {
          ok: true,
          vault: {
            ...{ name: share.name, asset, acceptedAssets: [asset] },
            ...{ shareToken: core.shareToken, shareDecimals: share.decimals, pricer: core.oracle },
            ...{ entryPoint: queue.address, spender: queue.address, caller: "user" },
            params: { ...subject.params, queue: queue.sync ? "sync" : "async", redeem_queues: out.join(",") },
          },
        };
      });
    });
  },
};
