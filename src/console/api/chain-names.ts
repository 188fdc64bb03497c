import type { Answer } from "../../client/read-actions.ts";

/** A chain as the API lists it. */
export type ListedChain = Answer<"chains.list">[number];

/** Names a chain; one that the service does not know is shown by its number. */
export function formatChain(chains: readonly ListedChain[], chainId: number): string {
  return chains.find((chain) => chain.chainId === chainId)?.name ?? `Chain ${chainId}`;
}

/** Returns the address of a transaction or account in the chain's explorer, or null where the chain has none. */
export function explorerLink(
  chains: readonly ListedChain[],
  of: { chainId: number; kind: "tx" | "address"; value: string },
): string | null {
  const explorer = chains.find((chain) => chain.chainId === of.chainId)?.explorer ?? "";
  return explorer === "" ? null : `${explorer.replace(/\/$/, "")}/${of.kind}/${of.value}`;
}
