import { type Address, getAddress, toHex } from "viem";
import type { VaultKey } from "../../../src/lib/vault-id.ts";
import type { Cache, CachePolicy } from "../../../src/redis/two-level-cache.ts";
import type { StoredVault } from "../../../src/vaults/vault.ts";
import type { VaultFigures } from "../../../src/vaults/vault-figures.ts";
import { contractsClient } from "../chains/multicall.ts";
import { testChain } from "../chains/rpc-node.ts";
import { type TestContext, testContext } from "../context.ts";

/** USDC on Base. */
export const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
/** WETH on Base. */
export const WETH = "0x4200000000000000000000000000000000000006";
/** Returns the address with the number `n`. */
export const address = (n: number): Address => toHex(n, { size: 20 });

/** Returns a registry row with changes. */
export const stored = (change: Partial<ListedRow> & { address: string }): ListedRow => ({
  chainId: 31337,
  type: "custom",
  adapter: "erc4626",
  params: {},
  name: "Vault",
  assetAddress: USDC,
  assetSymbol: "USDC",
  assetDecimals: 6,
  shareToken: change.address,
  shareDecimals: 18,
  entryPoint: change.address,
  spender: change.address,
  pricer: change.address,
  acceptedAssets: [],
  caller: "router",
  curator: "",
  status: "active",
  statusReason: "",
  minDeposit: null,
  noMinimum: false,
  startBlock: null,
  ...change,
});

/** A registry row with the fields that lists show. */
export type ListedRow = StoredVault & {
  figures?: VaultFigures | null;
  highSignals?: number;
  mediumSignals?: number;
};

/** Registry rows, with the other data about them in the cache. */
export interface Catalog {
  rows: ListedRow[];
  /** Ids of vaults that are paused on chain. */
  paused?: string[];
  routerOn?: number[];
}

/** Returns the figures of a vault that was read at time zero with all values unknown, with changes. */
export const figuresOf = (change: Partial<VaultFigures> = {}): VaultFigures => ({
  ...{ blockNumber: 1, blockTime: new Date(0), paused: false, minDeposit: null, maxDeposit: null },
  ...{ sharePrice: null, tvlUsd: null, exitFee: null, apy1d: null, apy7d: null, apy30d: null },
  routerDeployed: true,
  ...change,
});

/** Creates a context whose cache holds a catalog, in the registry's order. */
export function contextOf(catalog: Catalog): TestContext {
  return contextHolding(holder(catalog), ({ schema }, value) => schema.parse(value));
}

/** Returns a function that returns the cache entry of a catalog for a key. */
export function holder({ rows, paused = [], routerOn = [31337] }: Catalog): (key: string) => unknown {
  const sorted = rows
    .toSorted((a, b) => a.chainId - b.chainId || (a.address < b.address ? -1 : 1))
    .map((row) => {
      const routerDeployed = routerOn.includes(row.chainId);
      const isPaused = paused.includes(`${row.chainId}:${row.address}`);
      const own = isPaused ? { paused: true, minDeposit: "7" } : {};
      return { figures: figuresOf({ routerDeployed, ...own }), highSignals: 0, mediumSignals: 0, ...row };
    });
  return (key) => (key === "registry" ? sorted : undefined);
}

/** Creates a context whose cache holds given values. */
export function contextHolding(
  held: (key: string) => unknown,
  read: <T>(policy: CachePolicy<T>, value: unknown) => T,
): TestContext {
  const cache: Cache = {
    cached: async <T>(policy: CachePolicy<T>) => ({
      value: read(policy, held(policy.key) ?? policy.known?.value),
      storedAt: 0,
      stale: false,
    }),
    renew: async () => undefined,
    drop: async () => undefined,
  };
  const chains = [testChain, { ...testChain, chainId: 8453, name: "Other", wrappedNative: null }];
  const clients = chains.map((definition) =>
    contractsClient(() => ({ ok: false, data: "0x" }), { definition }),
  );
  return testContext({ cache, clients, nowMs: 0 });
}

/** Returns the id of the vault with the number `n`. */
export const id = (n: number, chainId = 31337): string => `${chainId}:${address(n)}`;
/** Returns the chain and address of the vault with the number `n`. */
export const key = (n: number, chainId = 31337): VaultKey => ({ chainId, address: getAddress(address(n)) });
