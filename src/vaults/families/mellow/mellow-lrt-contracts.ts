import { type Address, parseAbi, zeroAddress } from "viem";
import {
  andThen,
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  type ReadResult,
  type ReadResults,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function withdrawalQueue() view returns (address)",
    "function symbioticCollateral() view returns (address)",
    "function subvaultsCount() view returns (uint256)",
    "function subvaultAt(uint256) view returns ((uint8 protocol, address vault, address withdrawalQueue))",
    "function defaultCollateral() view returns (address)",
    "function WSTETH() view returns (address)",
    "function asset() view returns (address)",
    "function compatTotalSupply() view returns (uint256)",
  ]),
);
/** Number of subvaults that are read before their count is known. */
const EAGER = 4;
/** Maximum number of subvaults. A contract that reports more is treated as unknown. */
const MAX_SUBVAULTS = 32;
/** `Protocol` of the subvaults whose withdrawals the receiver can claim as they are: Symbiotic and ERC-4626. */
const PLAIN_PROTOCOLS: readonly number[] = [0, 2];

/** The contracts by which a vault of Simple LRT pays withdrawals. */
export interface LrtContracts {
  /** The current withdrawal queues; empty if the vault has none. */
  queues: readonly Address[];
  /** The token that the vault also pays out of, one unit for one of the asset; null if it has none. */
  collateral: Address | null;
  /** True if a subvault pays at once too. */
  paysMore: boolean;
  /** True if a queue may hold withdrawals for a user that its sums leave out before they are accepted (EigenLayer). */
  needsAcceptance: boolean;
}

function ownReads(to: Address) {
  const on = { to, abi: vaultAbi() } as const;
  return {
    queue: read({ ...on, name: "withdrawalQueue" }),
    symbiotic: read({ ...on, name: "symbioticCollateral" }),
    count: read({ ...on, name: "subvaultsCount" }),
    collateral: read({ ...on, name: "defaultCollateral" }),
    wsteth: read({ ...on, name: "WSTETH" }),
    asset: read({ ...on, name: "asset" }),
    compat: read({ ...on, name: "compatTotalSupply" }),
  };
}
type Own = ReadResults<ReturnType<typeof ownReads>>;
type Subvault = { protocol: number; withdrawalQueue: Address };

const nonZero = (address: Address | null) => (address === zeroAddress ? null : address);

/** Returns a query for the contracts as a vault names them now; null if its views do not show what kind it is. */
export function lrtContracts(vault: Address): Query<LrtContracts | null> {
  const subvaults = (from: number, to: number): Query<readonly ReadResult<Subvault>[]> => {
    const indices = Array.from({ length: to - from }, (_, index) => from + index);
    const call = { to: vault, abi: vaultAbi(), name: "subvaultAt" } as const;
    const reads = indices.map((index) => [`${index}`, read({ ...call, args: [BigInt(index)] })] as const);
    return createQuery(Object.fromEntries(reads), Object.values<ReadResult<Subvault>>);
  };
  const own = createQuery(ownReads(vault), (results) => results);
  return andThen(queryAll({ own, first: subvaults(0, EAGER) }), (seen) => {
    const count = Number(valueOrNull(seen.own.count) ?? -1n);
    const rest = subvaults(EAGER, count > MAX_SUBVAULTS ? EAGER : Math.max(count, EAGER));
    return mapQuery(rest, (more) => {
      if (count < 0) return singleContracts(seen.own);
      const all = [...seen.first, ...more].slice(0, count);
      return all.length === count ? multiContracts(seen.own, all) : null;
    });
  });
}

/** Returns the contracts of a vault without subvaults: of a Symbiotic vault, or none if its views show that it is DVV. */
function singleContracts({ queue, symbiotic, wsteth, asset, compat }: Own): LrtContracts | null {
  const own = nonZero(valueOrNull(queue));
  const more = { paysMore: false, needsAcceptance: false };
  if (own !== null && symbiotic.ok) return { queues: [own], collateral: nonZero(symbiotic.value), ...more };
  const isDvv = compat.ok && wsteth.ok && asset.ok && sameAddress(wsteth.value, asset.value);
  return isDvv ? { queues: [], collateral: null, ...more } : null;
}

function multiContracts({ collateral }: Own, read: readonly ReadResult<Subvault>[]): LrtContracts | null {
  const all = read.flatMap((result) => (result.ok ? [result.value] : []));
  if (all.length < read.length || !collateral.ok) return null;
  const queues = all.flatMap(({ withdrawalQueue }) => nonZero(withdrawalQueue) ?? []);
  const needsAcceptance = all.some(({ protocol }) => !PLAIN_PROTOCOLS.includes(protocol));
  return {
    ...{ queues, collateral: nonZero(collateral.value), needsAcceptance },
    paysMore: queues.length < all.length,
  };
}
