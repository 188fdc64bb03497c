import type { DiscoverySetting } from "../config/discovery-setting.ts";
import type { Provenance, VaultProof } from "../db/tables/vault-tables.ts";
import { sameAddress } from "../lib/address.ts";
import { PARTS_PER_BILLION } from "../lib/amount.ts";
import { DAY_MS } from "../lib/durations.ts";
import { namesImplementation, withoutProxyHash } from "./read-registry-code.ts";
import type { VaultGovernance } from "./read-registry-governance.ts";

/** Facts about a discovered or imported vault, from which `admissionObstacle` decides whether it may open. */
export interface AdmissionFacts {
  chainId: number;
  /** Address of the vault. */
  address: string;
  /** Address of the vault's asset as on-chain data shows it. */
  asset: string;
  /** Name of the vault's family. */
  adapter: string;
  provenance: Provenance;
  /** True if a register or list names the vault. */
  isNamed: boolean;
  /** True if a register that the protocol governs, or a public list, names the vault. */
  curated: boolean;
  /** Time since which the vault is known to exist, from the registry or the chain, in UNIX milliseconds. */
  seenAt: number;
  /** Total assets in US dollars by Causeway's own price, times 10^18, or null if unknown. */
  tvlUsd: bigint | null;
  /** The passed proof, with the amounts of the simulated deposit and redemption. */
  proof: VaultProof;
}

/** Minimum part of the deposit that a discovered vault must return immediately, in parts per billion: 99.5%. */
const LEAST_RETURNED = (PARTS_PER_BILLION * 995n) / 1_000n;

/** Facts about a vault's code and governance, from which `codeObstacle` decides whether it may open. */
export interface AdmissionCode extends VaultGovernance {
  chainId: number;
  /** Code of the vault as `readVaultCode` returns it, or null if it was not read. */
  code: string | null;
  /** Code of open, reviewed vaults of the same family and chain. */
  reviewed: ReadonlySet<string>;
  /** True unless the vault's code is known to run only itself: see `canRunOtherCode` and `createsFixedCode`. */
  delegates: boolean;
  /**
   * True if a factory of the vault's family that is a register (`isFactory`) names it or confirms that it created it,
   * or if it is a clone of such a factory's original.
   */
  fromFactory: boolean;
  /** True if enough sources name the vault: see `isAgreed`. */
  agreed: boolean;
}

const USD = 10n ** 18n;
/** Families whose interface any contract can implement: their vaults never open automatically. */
const OPEN_FAMILIES: ReadonlySet<string> = new Set(["erc4626"]);

/**
 * Returns why a discovered or imported vault may not open yet, or null if these facts show no reason; `codeObstacle`
 * examines the rest. A generic ERC-4626 vault never opens by itself. `now` is in UNIX milliseconds.
 */
export function admissionObstacle(
  facts: AdmissionFacts,
  { setting, now }: { setting: DiscoverySetting; now: number },
): string | null {
  if (isBlocked(facts, setting)) return EXCLUDED;
  if (OPEN_FAMILIES.has(facts.adapter)) return "its contract code belongs to no known family";
  if (!names(setting.assets, { chainId: facts.chainId, address: facts.asset }))
    return "its asset is not on the operator's list";
  if (!facts.isNamed) return "no vault factory or public list of vaults includes the vault any more";
  if (!facts.curated) return UNCURATED;
  if (now - facts.seenAt < setting.min_age_days * DAY_MS)
    return `it has been known for less than ${setting.min_age_days} days`;
  if (facts.tvlUsd === null) return "the value of its assets is unknown";
  if (facts.tvlUsd < BigInt(setting.min_tvl_usd) * USD)
    return "its total assets are below the operator's minimum";
  const { amount, returned } = facts.proof;
  if (amount === null || returned === null) return "a deposit does not come back at once";
  if (BigInt(returned) * PARTS_PER_BILLION < BigInt(amount) * LEAST_RETURNED)
    return "a deposit does not come back whole";
  return null;
}

/** Human-readable reason why a vault that no curated register or list names may not be open. */
export const UNCURATED =
  "neither a factory that its protocol governs nor a public list of vaults includes the vault";

/** Human-readable reason why a vault for which only one source speaks may not be open. */
export const SINGLE_SOURCE = "one public list alone vouches for it";

/** Human-readable reason why a vault must not be open for deposits: the operator's settings exclude it or its asset. */
export const EXCLUDED = "the operator of this service excludes the vault or its asset";

/** Returns true if the operator's settings exclude a vault or its asset. */
export const isBlocked = (
  { chainId, address, asset }: Pick<AdmissionFacts, "chainId" | "address" | "asset">,
  { blocked }: Pick<DiscoverySetting, "blocked">,
): boolean => [address, asset].some((one) => names(blocked, { chainId, address: one }));

/** Returns true if a list of `<chain id>:<address>` contains an address. */
const names = (
  list: readonly string[],
  { chainId, address }: { chainId: number; address: string },
): boolean =>
  list.some((entry) => {
    const [chain, named = ""] = entry.split(":");
    return Number(chain) === chainId && sameAddress(named, address);
  });

/**
 * Returns why a vault's code or governance keeps it from opening automatically, or null. Its code must be pinned, or
 * made by a factory of its family and unchangeable; a single public list does not suffice; the externally owned
 * accounts that govern it (`keys`) must be on the operator's list; and a timelock that is read must be long enough.
 */
export function codeObstacle(facts: AdmissionCode, setting: DiscoverySetting): string | null {
  const { chainId, code, reviewed, fromFactory, keys, timelockS } = facts;
  if (code === null) return "its code could not be read";
  const isNamed = namesImplementation(code);
  // A factory whose own code is known may still make proxies of a beacon, which did not return its implementation.
  const delegates = facts.delegates || (!isNamed && code.startsWith("beacon:"));
  // A factory's proxies differ in the constants of their own code, such as the asset; they run the same implementation.
  const compared = (one: string): string => (fromFactory ? withoutProxyHash(one) : one);
  const isIn = (codes: Iterable<string>): boolean =>
    [...codes].some((one) => compared(one) === compared(code));
  // A reviewed vault with the same identifier may run different code, if that can run other code and no implementation
  // is named: then only the settings pin it.
  const pinned =
    (isIn(reviewed) && (isNamed || !delegates)) || isIn(setting.code.flatMap((one) => codeOn(chainId, one)));
  if (!pinned && (isNamed || delegates)) return `its code can be replaced, and nobody pinned ${code}`;
  if (!pinned && !fromFactory) return `no factory of its family made it, and nobody pinned ${code}`;
  if (!facts.agreed) return SINGLE_SOURCE;
  if (keys === "unread") return "who governs it could not be read";
  const key = keys.find((address) => !names(setting.owners, { chainId, address }));
  if (key !== undefined) return `one key governs it: ${key}`;
  if (timelockS === "unread") return "the timelock of its changes could not be read";
  if (timelockS !== null && timelockS < BigInt(setting.min_timelock_s))
    return `its changes wait ${timelockS} seconds, less than the operator's minimum`;
  return null;
}

/** Returns the pinned code of an entry of the settings, `<chain id>:<code>`, if it is of the chain. */
const codeOn = (chainId: number, entry: string): string[] =>
  entry.startsWith(`${chainId}:`) ? [entry.slice(`${chainId}:`.length)] : [];
