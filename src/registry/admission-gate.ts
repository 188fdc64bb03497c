import type { Provenance, VaultProof } from "../db/schema/vault-tables.ts";
import { PARTS_PER_BILLION } from "../lib/amount.ts";
import type { DiscoverySetting } from "../lib/discovery-setting.ts";
import { DAY_MS } from "../lib/durations.ts";

/** Facts about a discovered vault that the admission gate judges. */
export interface AdmissionFacts {
  chainId: number;
  /** Address of the vault's asset as on-chain data shows it. */
  asset: string;
  adapter: string;
  provenance: Provenance;
  /** Registers and lists that name the vault. */
  namedBy: readonly string[];
  /** True if one of them is governed by the protocol, or is a public list. */
  curated: boolean;
  /** Time at which the vault was first seen, in unix milliseconds. */
  seenAt: number;
  /** Total assets in US dollars by Causeway's own price, times 10^18, or null if unknown. */
  tvlUsd: bigint | null;
  proof: VaultProof;
}

/** Minimum part of the deposit that a discovered vault must return immediately, in parts per billion: 99.5%. */
const LEAST_RETURNED = (PARTS_PER_BILLION * 995n) / 1_000n;
const USD = 10n ** 18n;
/** Families whose interface any contract can implement: their vaults never open automatically. */
const OPEN_FAMILIES: ReadonlySet<string> = new Set(["erc4626"]);

/**
 * Returns why a discovered vault may not open yet, or null if it may. A factory only proves which code a vault runs,
 * not that it is safe, so every condition must hold: an asset on the operator's list, total assets, age, a second,
 * curated source, and a simulated deposit that is returned in full. `now` is in unix milliseconds.
 */
export function admissionObstacle(
  facts: AdmissionFacts,
  { setting, now }: { setting: DiscoverySetting; now: number },
): string | null {
  if (OPEN_FAMILIES.has(facts.adapter)) return "its contract code belongs to no known family";
  const asset = `${facts.chainId}:${facts.asset.toLowerCase()}`;
  if (!setting.assets.some((allowed) => allowed.toLowerCase() === asset))
    return "its asset is not on the operator's list";
  if (facts.namedBy.length === 0) return "no register names it any more";
  if (!facts.curated) return "no curated register or list names it";
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
