import { type Address, isAddressEqual, parseAbi, zeroAddress } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  type Read,
  type ReadResult,
  read,
  readThen,
  valueOrNull,
} from "../../chains/chain-reads.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import type { VaultExits } from "../vault-exits.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import {
  erc4626Deriver,
  type Identification,
  identifyByAnswers,
  objectionOf,
} from "./erc4626-base/erc4626-derivation.ts";
import type { ExitSwitches } from "./erc4626-base/erc4626-exit-switches.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";
import type { FamilyViews } from "./erc4626-base/erc4626-variant-views.ts";
import { aaveStataFactories, factoriesByChain } from "./family-factory-addresses.ts";

const rewardsAbi = once(() => parseAbi(["function rewardTokens() view returns (address[])"]));

const poolAbi = once(() =>
  parseAbi([
    "function POOL() view returns (address)",
    "function getConfiguration(address asset) view returns (uint256)",
  ]),
);
/**
 * Bit of an Aave reserve's configuration that is set if the reserve is active. Source: aave-v3-origin,
 * ReserveConfiguration.
 */
const RESERVE_ACTIVE = 1n << 56n;
/** Bit of an Aave reserve's configuration that is set if the reserve is frozen: it takes no deposits. */
const RESERVE_FROZEN = 1n << 57n;
/** Bit of an Aave reserve's configuration that is set if the reserve is paused. */
const RESERVE_PAUSED = 1n << 60n;

/**
 * Returns a query for whether the reserve has none of the bits in `off` and is active. Null if its configuration cannot
 * be read. Source: aave-v3-origin, ReserveConfiguration.
 */
function isReserveOn({ entryPoint, asset }: Vault, off: bigint): Query<boolean | null> {
  const abi = poolAbi();
  return readThen({ pool: read({ to: entryPoint, abi, name: "POOL" }) }, ({ pool }) => {
    const to = valueOrNull(pool) ?? zeroAddress;
    const state = read({ to, abi, name: "getConfiguration", args: [asset.address] });
    return createQuery({ state }, (results) => {
      const bits = valueOrNull(results.state);
      return bits === null ? null : (bits & (RESERVE_ACTIVE | off)) === RESERVE_ACTIVE;
    });
  });
}

/** Returns a query for whether the reserve pays no withdrawals, for which `maxRedeem` returns 0. */
const reserveSwitch = (vault: Vault): Query<ExitSwitches> =>
  mapQuery(isReserveOn(vault, RESERVE_PAUSED), (on) => ({ off: on === false, idle: null }));

/** Returns a query for whether the reserve takes no deposits, for which `maxDeposit` returns 0. */
const depositViews = (vault: Vault): Query<FamilyViews> =>
  mapQuery(isReserveOn(vault, RESERVE_PAUSED | RESERVE_FROZEN), (on) => ({ paused: on === false }));

/**
 * Exits of static aTokens: instant, while neither the token nor the reserve is paused, and the reserve is active and
 * has liquidity. The numeric error strings are those of older pools.
 */
const exits: VaultExits = {
  ...erc4626Exits({ pausable: true, switches: reserveSwitch }),
  rewards: ({ entryPoint }) =>
    createQuery(
      { tokens: read({ to: entryPoint, abi: rewardsAbi(), name: "rewardTokens" }) },
      ({ tokens }) =>
        (valueOrNull(tokens)?.length ?? 0) > 0
          ? "Rewards in other tokens are not part of the shares: the holder claims them from the vault's contract."
          : null,
    ),
  explain: familyErrors({
    errors: {
      "error ReservePaused()": "exits_paused",
      "error ReserveInactive()": "exits_paused",
      "error NotEnoughAvailableUserBalance()": "no_liquidity",
      "error StaticATokenInvalidZeroShares()": "nothing_to_withdraw",
    },
    reasons: [
      { reason: /^(27|29)$/, code: "exits_paused" },
      { reason: /^(32|47)$/, code: "no_liquidity" },
    ],
  }),
};

/**
 * Adapter of Aave's static aTokens (StataTokenV2). Newer pools revert with custom errors, older ones with a numeric
 * string. Source: aave-v3-origin, StataTokenV2, Errors.
 */
export const aaveStata = defineErc4626({
  name: "aave_stata",
  pausable: true,
  ratio: true,
  views: depositViews,
  exits,
  explain: familyErrors({
    errors: {
      "error StaticATokenInvalidZeroShares()": "zero_shares",
      "error ReserveInactive()": "vault_paused",
      "error ReserveFrozen()": "vault_paused",
      "error ReservePaused()": "vault_paused",
      "error SupplyCapExceeded()": "above_maximum",
    },
    reasons: [
      { reason: /^(27|28|29)$/, code: "vault_paused" },
      { reason: /^51$/, code: "above_maximum" },
    ],
  }),
});

const identificationAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function aToken() view returns (address)",
    "function POOL() view returns (address)",
    "function UNDERLYING_ASSET_ADDRESS() view returns (address)",
    "function getStataToken(address underlying) view returns (address)",
  ]),
);
const factories = factoriesByChain(aaveStataFactories);

/**
 * Returns a query that identifies a static aToken: its aToken has its asset and pool and, if factories of its chain are
 * known, one of them names it. Source: aave-v3-origin, IERC4626StataToken, IStataTokenFactory.
 */
function identifyStata({ chainId, address }: DerivationSubject): Query<Identification> {
  const abi = identificationAbi();
  const on = { to: address, abi } as const;
  return identifyByAnswers("Aave", {
    views: {
      asset: read({ ...on, name: "asset" }),
      aToken: read({ ...on, name: "aToken" }),
      POOL: read({ ...on, name: "POOL" }),
    },
    confirm: ({ asset, aToken, POOL }) => {
      const named = (factories[chainId] ?? []).map(
        (to) => [to, read({ to, abi, name: "getStataToken", args: [asset] })] as const,
      );
      const reads: Record<string, Read<Address>> = {
        ...Object.fromEntries(named),
        underlying: read({ to: aToken, abi, name: "UNDERLYING_ASSET_ADDRESS" }),
        pool: read({ to: aToken, abi, name: "POOL" }),
      };
      return createQuery(reads, ({ underlying, pool, ...created }) => {
        if (underlying?.ok !== true || !isAddressEqual(underlying.value, asset))
          return "its aToken() is not over its asset";
        if (pool?.ok !== true || !isAddressEqual(pool.value, POOL)) return "its aToken() is of another pool";
        const isNamed = (result: ReadResult<Address> | undefined) =>
          result?.ok === true ? isAddressEqual(result.value, address) : null;
        return objectionOf(Object.values(created).map(isNamed));
      });
    },
  });
}

/**
 * Vault family of Aave's static aTokens. It has no governance events of its own, because other contracts govern the
 * underlying Aave pool.
 */
export const aaveStataFamily: VaultFamily = {
  adapter: aaveStata,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyStata }),
};
