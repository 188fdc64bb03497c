import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { formatVaultId } from "../../src/lib/vault-id.ts";
import {
  type ClaimRow,
  NO_CLAIMS,
  toClaimRow,
  type VaultClaims,
} from "../../src/registry/import-registry-claims.ts";

/** Path of the public list of vaults in the repository: unreviewed addresses and tokens. */
export const publishedFile = join(import.meta.dirname, "../../drizzle/seed/published-vaults.json");

const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());
const VaultList = z.object({
  name: z.string().default("published-vaults"),
  columns: z.tuple([
    z.literal("chain_id"),
    z.literal("address"),
    z.literal("asset"),
    z.literal("share_token"),
    z.literal("protocol"),
  ]),
  rows: z.array(z.tuple([z.int().positive(), Address, Address.nullable(), Address.nullable(), z.string()])),
});

/** Contents of a public list: its name, and one claim per vault. */
export interface ListedClaims {
  name: string;
  claims: VaultClaims[];
}

/** Protocols of published lists whose rows are not vaults: Aave's are its Pool contracts, one per asset. */
const NO_VAULTS: ReadonlySet<string> = new Set(["aave"]);
/** Adapters of protocols with a single vault family; for other protocols, the family is read from the chain. */
const ADAPTERS: ReadonlyMap<string, string> = new Map([
  ["fluid", "fluid"],
  ["gearbox", "gearbox"],
  ["spark", "spark"],
  ["venus-flux", "fluid"],
  ["yearn", "yearn_v3"],
]);
/** Display names of protocols. */
const PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ["curve", "Curve Lend"],
  ["idle-finance", "Idle"],
  ["venus-flux", "Venus Flux"],
  ["yield-xyz", "Yield.xyz"],
  ["yo-protocol", "Yo"],
]);

const protocolName = (key: string): string =>
  PROTOCOLS.get(key) ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`;

/**
 * Reads a file with a public list of vaults: `columns` and `rows` of chain id, address, asset, share token and
 * protocol. Each vault is claimed once; rows of unknown chains and of protocols without vaults are left out. Throws for
 * a file of another shape.
 */
export function readVaultList(file: string): ListedClaims {
  const { name, rows } = VaultList.parse(JSON.parse(readFileSync(file, "utf8")));
  const chains = new Set(knownChains.map(({ chainId }) => chainId));
  const claims = new Map<string, VaultClaims>();
  for (const [chainId, address, asset, shareToken, protocol] of rows) {
    if (!chains.has(chainId) || NO_VAULTS.has(protocol)) continue;
    const key = { chainId, address: address as VaultClaims["address"] };
    const claim = {
      ...{ ...NO_CLAIMS, ...key, asset, shareToken, adapter: ADAPTERS.get(protocol) ?? NO_CLAIMS.adapter },
      name: `${protocolName(protocol)} vault`,
    };
    if (!claims.has(formatVaultId(key))) claims.set(formatVaultId(key), claim);
  }
  return { name, claims: [...claims.values()] };
}

/**
 * Returns the registry rows of the repository's public list, empty if there is no file; each names the list. Throws as
 * `readVaultList` does.
 */
export function readPublishedRows(file = publishedFile): (ClaimRow & { namedBy: string[] })[] {
  if (!existsSync(file)) return [];
  const { name, claims } = readVaultList(file);
  const provenance = { source: "list", detail: name } as const;
  return claims.map((claim) => ({
    ...toClaimRow(claim, { provenance, now: 0 }),
    proofDueAt: new Date(),
    namedBy: [`list:${name}`],
  }));
}
