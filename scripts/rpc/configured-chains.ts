import type { ChainDefinition } from "../../src/chains/chain-definitions.ts";
import { resolveChains } from "../../src/chains/chain-definitions.ts";
import { ChainsVariable } from "../../src/config/config.ts";

/**
 * Returns the chains by id that the variable `CHAINS` configures, as a deployment would serve them; without it, those
 * in the code with their public nodes. Throws when it is invalid.
 */
export function configuredChains(): ReadonlyMap<number, ChainDefinition> {
  const parsed = ChainsVariable.safeParse(process.env["CHAINS"]);
  // The value may hold API keys of nodes.
  if (!parsed.success) throw new Error("CHAINS is not a list of chains");
  return resolveChains(parsed.data ?? null);
}
