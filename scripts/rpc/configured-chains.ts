import type { ChainDefinition } from "../../src/chains/definitions.ts";
import { resolveChains } from "../../src/chains/definitions.ts";
import { ChainsVariable } from "../../src/config.ts";

/** The chains that `CHAINS` in the environment names, as a deployment with it serves them. Throws when it is wrong. */
export function configuredChains(): ReadonlyMap<number, ChainDefinition> {
  const parsed = ChainsVariable.safeParse(process.env["CHAINS"]);
  // The value may hold keys of nodes.
  if (!parsed.success) throw new Error("CHAINS is not a list of chains");
  return resolveChains(parsed.data ?? null);
}
