import type { Context } from "../context.ts";
import type { BridgeSummary } from "../schemas/bridge-schema.ts";

/**
 * Lists the bridges that the providers support, with the ids of the served chains of each, ascending; only bridges
 * between at least two of these. Throws `internal` if the providers' settings are invalid.
 */
export async function listBridges(ctx: Context): Promise<BridgeSummary[]> {
  const bridges = new Map<string, BridgeSummary>();
  for (const provider of await ctx.providers.all()) {
    for (const { key, name, chains } of provider.capabilities().bridges) {
      const known = bridges.get(key) ?? { key, name, providers: [], chains: [] };
      const served = chains.filter((chainId) => ctx.chains.definitions.has(chainId));
      bridges.set(key, {
        ...known,
        providers: [...known.providers, provider.name],
        chains: [...new Set([...known.chains, ...served])].sort((a, b) => a - b),
      });
    }
  }
  return [...bridges.values()].filter(({ chains }) => chains.length > 1);
}
